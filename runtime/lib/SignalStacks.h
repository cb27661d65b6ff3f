//===- SignalStacks.h - where signals are handled ---------------*- C++ -*-===//
//
// A thread whose stack has overflowed has no room for a signal handler, so its run record would be
// lost. Each thread that has no alternate stack gets one while the process leaves run records:
// sigaltstack(2).
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_RUNTIME_LIB_SIGNALSTACKS_H
#define ERGON_RUNTIME_LIB_SIGNALSTACKS_H

namespace ergon::runtime {

/// Gives the calling thread an alternate stack, and lets other threads take one.
void startSignalStacks();
/// Gives the calling thread an alternate stack until it ends.
void takeSignalStack();

} // namespace ergon::runtime

#endif
