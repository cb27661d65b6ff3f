//===- Samples.h - measured runs for fits -----------------------*- C++ -*-===//
//
// A table of measurements: each row is a workload at a setting, its time and energy, and the units
// of each cost class that it executed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/Machine.h"

#include <cstddef>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace ergon {

/// One measurement.
struct Sample {
  std::string Workload;
  Setting Clocks;                ///< its Source is empty
  double TimeS = 0;              ///< seconds, above 0
  std::optional<double> EnergyJ; ///< joules, above 0; absent without a meter
  /// Units of each class, in the order of Samples::Classes; a count that was not measured is
  /// absent, not 0.
  std::vector<std::optional<double>> Counts;
  std::size_t Line = 0; ///< where it was read, from 1
  std::string Family{}; ///< see nameFamilies(); empty: the workload is its own
};

struct Samples {
  std::vector<std::string> Classes;
  std::vector<Sample> Rows;
};

/// Names the families of \p S: workloads that resemble each other, such as a program's inputs, and
/// that a fit leaves out together. A family is what the first group of \p Pattern finds in a
/// workload's name, or all that it matches where it has no group, or the name where it finds
/// nothing. Without a pattern it is the part of the name up to the first `/`.
void nameFamilies(Samples &S, const std::optional<std::regex> &Pattern = std::nullopt);

/// The family of a row.
inline const std::string &familyOf(const Sample &Row) {
  return Row.Family.empty() ? Row.Workload : Row.Family;
}

/// The rows at \p Positions, in that order.
template <typename Range> Samples selected(const Samples &S, const Range &Positions) {
  Samples Result{S.Classes, {}};
  for (const auto Row : Positions)
    Result.Rows.push_back(S.Rows[std::size_t(Row)]);
  return Result;
}

/// The number of each row's workload, from 0 in the order of their first rows.
std::vector<std::size_t> workloadsOf(const Samples &S);
/// The same for its family.
std::vector<std::size_t> familiesOf(const Samples &S);
/// The same for its setting: rows with the same clocks.
std::vector<std::size_t> settingsOf(const Samples &S);

} // namespace ergon
