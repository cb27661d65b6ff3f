//===- SpreadAccesses.h - accesses whose place is not known -----*- C++ -*-===//
//
// What `a[index[i]]` costs: any place of its object as often as any other.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_SPREADACCESSES_H
#define ERGON_MODEL_SPREADACCESSES_H

#include "model/ProgramForm.h"
#include "model/Traffic.h"

namespace ergon {

/// Adds the misses and write-backs of accesses without an offset to \p Into, by access, which
/// has those of all others. How often an access runs is in \p Runs.
void addSpreadAccesses(const AccessProgram &Of, const ProgramForm &Form,
                       const CacheHierarchy &Through, const std::vector<double> &Runs,
                       Traffic &Into);

} // namespace ergon

#endif
