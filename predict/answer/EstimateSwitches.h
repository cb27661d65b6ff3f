//===- EstimateSwitches.h - ranges between the ends of symbols --*- C++ -*-===//
//
// Counts may be larger or smaller between the ends of a symbol's range than at both of them: code
// that runs where `n == 1`, or between two limits. There the others may matter that do not
// elsewhere.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "predict/answer/EstimatedCounts.h"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ergon {

class SwitchRanges {
public:
  using Numbers = std::vector<Rational>; ///< by estimate
  using CountsOf = std::function<const CountValues &(const Numbers &)>;

  /// By class, the ends of the ranges at which there is least and most of it.
  using EndsOfClasses = std::map<std::string, std::pair<Numbers, Numbers>>;

  /// \p Ends are the numbers that stand for the high ends of \p Estimates.
  SwitchRanges(std::vector<SymbolEstimate> &Estimates, Numbers Ends, EndsOfClasses Directions,
               CountsOf CountsAt, const RunSize &SizeOf)
      : Estimates(Estimates), Ends(std::move(Ends)), Directions(std::move(Directions)),
        CountsAt(std::move(CountsAt)), SizeOf(SizeOf) {}

  /// Widens the ranges of \p Result, where the counts \p Formulas compare estimated symbols with
  /// numbers, by the counts at these and beside.
  void widen(EstimatedCounts &Result, const Counts &Formulas);

private:
  /// Numbers that are tried, and those of them that change counts: these need counts at the ends of
  /// all other symbols too.
  static constexpr std::size_t MaxTried = 12, MaxSwitches = 4;
  /// Of the answer: what moves it by less is not listed.
  static constexpr double Minor = 0.01;

  std::vector<SymbolEstimate> &Estimates;
  Numbers Ends;
  EndsOfClasses Directions;
  CountsOf CountsAt;
  const RunSize &SizeOf;

  Numbers estimates() const;
  void widenAt(EstimatedCounts &Result, std::size_t Switch, const Rational &Number);
};

} // namespace ergon
