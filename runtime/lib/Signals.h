//===- Signals.h - signals that end the process -----------------*- C++ -*-===//

#ifndef ERGON_RUNTIME_LIB_SIGNALS_H
#define ERGON_RUNTIME_LIB_SIGNALS_H

namespace ergon::runtime {

/// From now on a signal that ends the process, as nobody handles it, has the run record written
/// first.
void watchSignals();

} // namespace ergon::runtime

#endif
