//===- Signals.h - signals that end the process -----------------*- C++ -*-===//

#pragma once

namespace ergon::runtime {

/// From now on an unhandled signal that ends the process first writes the run record.
void watchSignals();

/// Gives the calling thread an alternate stack, and lets other threads take one. A thread whose
/// stack has overflowed has no room for a signal handler, so its run record would be lost. Each
/// thread that has no alternate stack gets one while the process leaves run records:
/// sigaltstack(2).
void startSignalStacks();
/// Gives the calling thread an alternate stack until it ends.
void takeSignalStack();

} // namespace ergon::runtime
