//===- FitErrors.cpp - prediction errors ----------------------------------===//

#include "model/fit/FitErrors.h"
#include "model/energy/PreparedMachine.h"
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

/// Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.5.
double student(std::size_t Families) {
  static constexpr double Z = Deviations95, Z3 = Z * Z * Z, Z5 = Z3 * Z * Z;
  const double Freedom = double(Families - 1);
  return 1 + ((Z3 + Z) / (4 * Freedom) + (5 * Z5 + 16 * Z3 + 3 * Z) / (96 * Freedom * Freedom)) / Z;
}

/// The shortest range around 0 with 95 % of \p Rows.
static std::pair<double, double> shortestRange(std::vector<Weighed> Rows) {
  std::ranges::sort(Rows, {}, [](const Weighed &Row) { return Row.Away; });
  double Sum = 0;
  for (const Weighed &Row : Rows)
    Sum += Row.Weight;
  std::pair<double, double> Best{std::min(0.0, Rows.front().Away), std::max(0.0, Rows.back().Away)};
  double Inside = 0;
  for (std::size_t First = 0, Next = 0; First != Rows.size(); ++First) {
    while (Next != Rows.size() && Inside < 0.95 * Sum)
      Inside += Rows[Next++].Weight;
    if (Inside < 0.95 * Sum)
      break;
    const double Low = std::min(0.0, Rows[First].Away), High = std::max(0.0, Rows[Next - 1].Away);
    if (High - Low < Best.second - Best.first)
      Best = {Low, High};
    Inside -= Rows[First].Weight;
  }
  return Best;
}

double deviation95(std::vector<Weighed> Rows) {
  for (Weighed &Row : Rows)
    Row.Away = std::abs(Row.Away);
  return shortestRange(std::move(Rows)).second / Deviations95;
}

/// The same, at least their root mean square.
static double deviation(std::vector<Weighed> Rows) {
  double Squares = 0, Sum = 0;
  for (const Weighed &Row : Rows) {
    Squares += Row.Weight * Row.Away * Row.Away;
    Sum += Row.Weight;
  }
  return std::max(std::sqrt(Squares / Sum), deviation95(std::move(Rows)));
}

std::optional<LogDeviations> logDeviations(std::span<const double> Errors,
                                           std::span<const std::size_t> Workloads,
                                           std::span<const std::size_t> Families) {
  /// A prediction further off than this tells no more.
  static constexpr double Furthest = 1e3;
  std::map<std::size_t, std::vector<double>> Logs; // by workload
  std::map<std::size_t, std::size_t> RowsOf;       // by family
  std::map<std::size_t, std::size_t> FamilyOf;
  for (std::size_t K = 0; K != Errors.size(); ++K) {
    if (std::isnan(Errors[K]))
      continue;
    Logs[Workloads[K]].push_back(std::log(std::clamp(1 + Errors[K], 1 / Furthest, Furthest)));
    FamilyOf[Workloads[K]] = Families[K];
    ++RowsOf[Families[K]];
  }
  if (RowsOf.size() < 2)
    return std::nullopt;
  std::vector<Weighed> Whole, OfRatio;
  for (const auto &[Workload, Values] : Logs) {
    const double Weight = 1 / double(RowsOf.at(FamilyOf.at(Workload))), Center = mean(Values);
    for (double Value : Values) {
      Whole.push_back({Value, Weight});
      OfRatio.push_back({Value - Center, Weight});
    }
  }
  const double Widened = student(RowsOf.size());
  const auto [Low, High] = shortestRange(Whole);
  return LogDeviations{Widened * deviation(std::move(Whole)), -Widened * Low / Deviations95,
                       Widened * High / Deviations95, Widened * deviation(std::move(OfRatio))};
}

FitErrors errorsOf(std::span<const double> Errors) {
  return errorsOf(Errors, std::vector<std::size_t>(Errors.size()));
}

} // namespace ergon
