//===- AccessWriter.h - expands functions and calls to accesses -*- C++ -*-===//
#pragma once

#include "model/access/AccessProgram.h"

namespace ergon {

/// The accesses of one run of \p Entry (of a kernel: one thread), with \p Bound substituted for
/// symbols. Kernel launches are no accesses of the host.
AccessProgram accessesOf(const Function &Entry, const FunctionLookup &Find,
                         const Substitution &Bound);

} // namespace ergon
