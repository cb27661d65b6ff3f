//===- IrregularAccesses.h - irregular (data-dependent) accesses *- C++ -*-===//
//
// Traffic of accesses such as `a[index[i]]`: all elements of the object are equally likely.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/traffic/TrafficAnalysis.h"

namespace ergon {

/// Adds the misses and write-backs of accesses without an offset to \p Result, by access, which
/// holds the result of \p Analysis. \p Runs is how often each access runs.
void addSpreadAccesses(const AccessProgram &Program, const ProgramForm &Form,
                       const CacheHierarchy &Through, const std::vector<double> &Runs,
                       const TrafficAnalysis &Analysis, Traffic &Result);

} // namespace ergon
