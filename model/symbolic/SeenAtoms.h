//===- SeenAtoms.h - atoms that a walk has seen -----------------*- C++ -*-===//
#pragma once

#include "model/symbolic/Expr.h"

#include <cstddef>
#include <unordered_set>

namespace ergon {

/// Atoms that a walk over a formula has seen. Written out, a formula has far more atoms than there
/// are different ones: an atom in an atom in an atom, each twice, stands there eight times.
class SeenAtoms {
public:
  /// False where \p A was here before. Small ones are always new: to walk over them takes no longer
  /// than to look them up.
  bool insert(const Atom &A) { return A.Size < LeastSize || Seen.insert(&A).second; }

private:
  static constexpr std::size_t LeastSize = 8;
  std::unordered_set<const Atom *> Seen;
};

} // namespace ergon
