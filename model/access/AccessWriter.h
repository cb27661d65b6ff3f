//===- AccessWriter.h - functions and their calls as accesses ---*- C++ -*-===//
#ifndef ERGON_MODEL_ACCESS_ACCESSWRITER_H
#define ERGON_MODEL_ACCESS_ACCESSWRITER_H

#include "model/access/AccessProgram.h"

namespace ergon {

/// What one run of \p Entry accesses (of a kernel: one thread), with \p Bound put for
/// symbols. Launches of kernels are no accesses of the host.
AccessProgram accessesOf(const Function &Entry, const FunctionLookup &Find,
                         const Substitution &Bound);

} // namespace ergon

#endif
