//===- Signals.h - signals that end the process -----------------*- C++ -*-===//

#ifndef ERGON_RUNTIME_LIB_SIGNALS_H
#define ERGON_RUNTIME_LIB_SIGNALS_H

namespace ergon::runtime {

/// From now on an unhandled signal that ends the process first writes the run record.
void watchSignals();

} // namespace ergon::runtime

#endif
