//===- FitErrors.cpp - how far predictions are from measurements ----------===//

#include "model/FitErrors.h"
#include "model/Statistics.h"

#include <cmath>
#include <map>
#include <utility>

namespace ergon {

FitErrors errorsOf(std::span<const double> Ratios, std::span<const std::size_t> Workloads) {
  const auto Rows = double(Ratios.size());
  std::vector<double> Away;
  std::map<std::size_t, std::pair<double, std::size_t>> Of; // sum and number of each workload's
  FitErrors Result;
  for (std::size_t K = 0; K != Ratios.size(); ++K) {
    const double Error = Ratios[K] - 1;
    Away.push_back(std::abs(Error));
    Result.Mean += Away.back() / Rows;
    Result.Rms += Error * Error / Rows;
    Of[Workloads[K]].first += Error;
    ++Of[Workloads[K]].second;
  }
  for (std::size_t K = 0; K != Ratios.size(); ++K) {
    const auto &[Sum, Number] = Of[Workloads[K]];
    const double Left = Ratios[K] - 1 - Sum / double(Number);
    Result.ChoiceRms += Left * Left / Rows;
  }
  Result.Sd = std::sqrt(std::max(0.0, Result.Rms - Result.Mean * Result.Mean));
  Result.Rms = std::sqrt(Result.Rms);
  Result.ChoiceRms = std::sqrt(Result.ChoiceRms);
  Result.Median = median(Away);
  Result.Least = *std::ranges::min_element(Away);
  Result.Most = *std::ranges::max_element(Away);
  return Result;
}

} // namespace ergon
