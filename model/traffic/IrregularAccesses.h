//===- IrregularAccesses.h - accesses whose place is not known --*- C++ -*-===//
//
// What `a[index[i]]` costs: any place of its object as often as any other.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_TRAFFIC_IRREGULARACCESSES_H
#define ERGON_MODEL_TRAFFIC_IRREGULARACCESSES_H

#include "model/traffic/TrafficAnalysis.h"

namespace ergon {

/// Puts the misses and write-backs of accesses without an offset into \p Result, by access, which
/// has what \p Analysis found. How often an access runs is in \p Runs.
void addSpreadAccesses(const AccessProgram &Program, const ProgramForm &Form,
                       const CacheHierarchy &Through, const std::vector<double> &Runs,
                       const TrafficAnalysis &Analysis, Traffic &Result);

} // namespace ergon

#endif
