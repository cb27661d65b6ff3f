//===- RunFit.h - numbers of runs at a size that none had -------*- C++ -*-===//
#pragma once

#include "model/symbolic/Rational.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ergon {

/// What a run counts, as a function of one of the program's arguments.
struct RunFit {
  Rational Value;   ///< at the size asked for, at least 0
  std::string Text; ///< `≈ 2·argv[1] + 3`
  /// No run beyond those that determine the formula confirms it.
  bool IsUnchecked = false;
};

/// A polynomial of low degree through \p Points, pairs of an argument and what a run counted, and
/// its value \p At another argument \p Name. The fewest terms that reach every point within 1 %: a
/// power of the argument, or all powers up to one. Nothing where none does, or for equal arguments.
std::optional<RunFit> fittedAt(std::vector<std::pair<Rational, Rational>> Points,
                               const Rational &At, const std::string &Name);

} // namespace ergon
