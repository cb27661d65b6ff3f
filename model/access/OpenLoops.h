//===- OpenLoops.h - the loops around an access -----------------*- C++ -*-===//

#pragma once

#include "model/program/Function.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ergon {

/// A loop that is being expanded.
struct OpenLoop {
  std::string Variable;
  Expr Last, Entries;
};
/// The outermost first.
using OpenLoops = std::vector<OpenLoop>;

/// The largest value of \p Offset over the loops around: induction variables with a positive
/// coefficient at their end, others at their start.
Expr lastByte(Expr Offset, const OpenLoops &Around);

/// For runs that each begin where the one before ended: the mean length times the number of runs
/// before. Nothing where the mean is no whole number of bytes, to within a twentieth.
std::optional<Expr> offsetOfRuns(const UnknownStart &Start, const OpenLoops &Around);

/// What is known of \p Offset, and the part of it that has no value, as \p IsOpen says: a start
/// that is constant in the innermost loops, without the \p Depth outermost, as far as that part
/// does not depend on their variables.
std::pair<UnknownStart, Expr> withoutOpen(const Expr &Offset, const OpenLoops &Around,
                                          std::size_t Depth,
                                          const std::function<bool(const Expr &)> &IsOpen);

} // namespace ergon
