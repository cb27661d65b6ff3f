//===- FitErrors.cpp - prediction errors ----------------------------------===//

#include "model/fit/FitErrors.h"
#include "model/fit/Statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ergon {

FitErrors errorsOf(std::span<const double> Errors, std::span<const std::size_t> Workloads) {
  std::vector<double> Away;
  std::map<std::size_t, std::pair<double, std::size_t>>
      Entries; // sum and number of each workload's
  FitErrors Result;
  for (std::size_t K = 0; K != Errors.size(); ++K) {
    if (std::isnan(Errors[K]))
      continue;
    Away.push_back(std::abs(Errors[K]));
    Entries[Workloads[K]].first += Errors[K];
    ++Entries[Workloads[K]].second;
  }
  Result.Count = Away.size();
  if (Away.empty())
    return Result;
  const auto Rows = double(Away.size());
  for (std::size_t K = 0; K != Errors.size(); ++K) {
    if (std::isnan(Errors[K]))
      continue;
    const auto &[Sum, Number] = Entries[Workloads[K]];
    const double Left = Errors[K] - Sum / double(Number);
    Result.Mean += std::abs(Errors[K]) / Rows;
    Result.Rms += Errors[K] * Errors[K] / Rows;
    Result.ChoiceRms += Left * Left / Rows;
  }
  Result.Sd = std::sqrt(std::max(0.0, Result.Rms - Result.Mean * Result.Mean));
  Result.Rms = std::sqrt(Result.Rms);
  Result.ChoiceRms = std::sqrt(Result.ChoiceRms);
  Result.Median = median(Away);
  Result.Percentile90 = quantile(Away, 0.9);
  Result.Least = *std::ranges::min_element(Away);
  Result.Most = *std::ranges::max_element(Away);
  return Result;
}

FitErrors errorsOf(std::span<const double> Errors) {
  return errorsOf(Errors, std::vector<std::size_t>(Errors.size()));
}

} // namespace ergon
