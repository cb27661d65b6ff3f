//===- SweepChecks.cpp - runs of a workload along clocks ------------------===//

#include "model/fit/SweepChecks.h"
#include "model/fit/Statistics.h"
#include "model/machine/CostClass.h"
#include "model/machine/PlausibleRanges.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace ergon {

// Bounds on ratios, each beside the largest one of five sweeps that others measured: of a GTX 1080
// Ti, a V100, a Quadro RTX 8000 (two) and a Cortex-A15 (docs/fitting.md).
namespace {
/// Power off the trend of the other clocks of the workload; honest: 1.30, and three rows beyond 1.8
/// that are known to be off.
constexpr double PowerOff = 1.6;
/// Time off that trend, as clocks may not be what was asked for; honest: 2.04.
constexpr double TimeOff = 2.6;
/// Power at a clock as a share of that at the clock below; honest: 0.772, and three rows below 0.5
/// that are known to be off.
constexpr double PowerFalls = 0.7;
/// Where there are too few clocks for a trend: a factor that the clock above or below, and what
/// other workloads do between the two, do not explain.
constexpr double PowerOffOthers = 2;
/// A change that is more than noise.
constexpr double Noise = 1.03;
/// The share of neighbouring clocks between which power falls by more than noise; honest: 2 %.
constexpr double FallsOften = 0.2;
/// Fewer points have no trend that an outlier leaves visible.
constexpr std::size_t FewestPoints = 4;

/// One workload at one clock; repeats are the median.
struct Point {
  double Clock = 0; ///< logarithm
  double Power = 0, Time = 0;
  std::size_t Line = 0;
};
using Points = std::vector<Point>; ///< by rising clock

/// What is looked at: a series of one workload along one domain, the other clock fixed.
struct SweepKey {
  std::string Workload;
  double OtherMhz = 0;
  auto operator<=>(const SweepKey &) const = default;
};
using Sweeps = std::map<SweepKey, Points>;

using Field = double Point::*;
} // namespace

static std::optional<double> asked(const Sample &Row, Domain Of) {
  return Of == Domain::Core ? Row.Clocks.CoreMhz : Row.Clocks.MemMhz;
}

static Sweeps sweepsAlong(const Samples &S, Domain Along) {
  struct Repeats {
    std::vector<double> Power, Time;
    std::size_t Line = 0;
  };
  std::map<SweepKey, std::map<double, Repeats>> Found;
  const Domain Other = Along == Domain::Core ? Domain::Mem : Domain::Core;
  for (const Sample &Row : S.Rows) {
    // As asked for: the clocks that were really run at are no part of the file.
    const auto Mhz = asked(Row, Along);
    if (!Mhz)
      continue;
    Repeats &R = Found[{Row.Workload, asked(Row, Other).value_or(0)}][*Mhz];
    R.Time.push_back(std::log(Row.TimeS));
    R.Power.push_back(Row.EnergyJ ? std::log(*Row.EnergyJ / Row.TimeS) : 0);
    R.Line = R.Line ? R.Line : Row.Line;
  }
  Sweeps Result;
  for (auto &[Key, AtClocks] : Found)
    for (auto &[Mhz, R] : AtClocks)
      Result[Key].push_back({std::log(Mhz), median(R.Power), median(R.Time), R.Line});
  return Result;
}

/// The slope and height of a line through most points (Theil and Sen); needs two clocks.
static std::pair<double, double> trend(const Points &P, Field Value) {
  // Pairs with a wide gap are enough in a long series.
  const std::size_t Step = std::max<std::size_t>(1, P.size() / 24);
  std::vector<double> Slopes, Heights;
  for (std::size_t A = 0; A < P.size(); A += Step)
    for (std::size_t B = A + 1; B < P.size(); B += Step)
      Slopes.push_back((P[B].*Value - P[A].*Value) / (P[B].Clock - P[A].Clock));
  const double Slope = median(Slopes);
  for (const Point &One : P)
    Heights.push_back(One.*Value - Slope * One.Clock);
  return {Slope, median(Heights)};
}

static double off(const Point &P, Field Value, std::pair<double, double> Trend) {
  return P.*Value - Trend.first * P.Clock - Trend.second;
}

/// The largest distance of a point from the trend of them all.
static double largest(const Points &P, Field Value) {
  const auto Trend = trend(P, Value);
  double Result = 0;
  for (const Point &One : P)
    Result = std::max(Result, std::abs(off(One, Value, Trend)));
  return Result;
}

/// The point without which the others are closest to their trend, and its distance from it.
static std::pair<std::size_t, double> outlier(const Points &P, Field Value) {
  std::pair<std::size_t, double> Result{0, 0};
  double Least = std::numeric_limits<double>::infinity();
  const auto Whole = trend(P, Value);
  for (std::size_t K = 0; K != P.size(); ++K) {
    // In a long series only points that are off at all.
    if (P.size() > 12 && std::abs(off(P[K], Value, Whole)) < std::log(PowerOff))
      continue;
    Points Rest = P;
    Rest.erase(Rest.begin() + std::ptrdiff_t(K));
    const double Spread = largest(Rest, Value);
    if (Spread >= Least)
      continue;
    Least = Spread;
    Result = {K, off(P[K], Value, trend(Rest, Value))};
  }
  // Otherwise it is the series that has no trend.
  return std::abs(Result.second) > 2 * Least ? Result : std::pair<std::size_t, double>{0, 0};
}

static std::string factor(double Log) { return shortNumber(std::exp(std::abs(Log))); }

static double medianSlope(const Sweeps &All, Field Value,
                          const std::function<bool(const std::string &)> &Counts) {
  std::vector<double> Slopes;
  for (const auto &[Key, P] : All)
    if (P.size() > 1 && Counts(Key.Workload))
      Slopes.push_back(trend(P, Value).first);
  return Slopes.empty() ? std::nan("") : median(Slopes);
}

//===----------------------------------------------------------------------===//
// Exchanged columns
//===----------------------------------------------------------------------===//

namespace {
/// The thirds of the workloads that move the fewest and the most bytes of main memory a second.
struct ByMemory {
  std::set<std::string> Little, Much;
};
/// By how much more of its exponent the time of workloads with little main memory follows the
/// core's clock than that of those with much, at least.
constexpr double MemoryTells = 0.1;
} // namespace

/// Nothing where the bytes of main memory are not counted, or alike.
static std::optional<ByMemory> byMemory(const Samples &S) {
  const auto Dram = std::size_t(std::ranges::find(S.Classes, DramBytes) - S.Classes.begin());
  if (Dram == S.Classes.size())
    return std::nullopt;
  std::map<std::string, double> Rates;
  for (const Sample &Row : S.Rows)
    Rates[Row.Workload] = std::max(Rates[Row.Workload], Row.Counts[Dram].value_or(0) / Row.TimeS);
  std::vector<double> All;
  for (const auto &[Workload, Rate] : Rates)
    All.push_back(Rate);
  const double Low = quantile(All, 1.0 / 3), High = quantile(All, 2.0 / 3);
  if (All.size() < 3 || Low >= High)
    return std::nullopt;
  ByMemory Result;
  for (const auto &[Workload, Rate] : Rates)
    if (Rate <= Low)
      Result.Little.insert(Workload);
    else if (Rate >= High)
      Result.Much.insert(Workload);
  return Result;
}

std::vector<SampleFinding> checkExchangedColumns(const Samples &S) {
  const bool HasEnergy = S.Rows.front().EnergyJ.has_value();
  auto Any = [](const std::string &) { return true; };
  const Sweeps Core = sweepsAlong(S, Domain::Core), Mem = sweepsAlong(S, Domain::Mem);
  const double WattsByCore = medianSlope(Core, &Point::Power, Any);
  // The time of work in the core follows the core's clock, that of workloads with many bytes of
  // main memory follows it less.
  double ByCore = 0, ByMem = 0;
  bool TimeSays = false;
  if (const std::optional<ByMemory> Parts = byMemory(S)) {
    auto IsLittle = [&](const std::string &Workload) { return Parts->Little.contains(Workload); };
    auto IsMuch = [&](const std::string &Workload) { return Parts->Much.contains(Workload); };
    ByCore = medianSlope(Core, &Point::Time, IsLittle);
    ByMem = medianSlope(Mem, &Point::Time, IsLittle);
    TimeSays = ByMem < -0.5 && !(ByCore < -0.3) &&
               medianSlope(Mem, &Point::Time, IsMuch) > ByMem + MemoryTells;
  }
  if (TimeSays)
    return {{"swapped-clocks", Severity::Error,
             "the time of the workloads with the fewest bytes of main memory follows mem_mhz (to "
             "the power " +
                 shortNumber(ByMem) + ")" +
                 (std::isnan(ByCore) ? ", and core_mhz is always the same"
                                     : " and not core_mhz (" + shortNumber(ByCore) + ")") +
                 "; are the columns core_mhz and mem_mhz exchanged?"}};
  // Time against energy: power then falls with the clock as much as it really rises.
  if (HasEnergy && WattsByCore < -0.2)
    return {{"swapped-columns", Severity::Error,
             "energy_j/time_s falls as core_mhz rises in most workloads (to the power " +
                 shortNumber(WattsByCore) +
                 "), where power must rise; are the columns time_s and energy_j exchanged?"}};
  return {};
}

//===----------------------------------------------------------------------===//
// Rows off the trend
//===----------------------------------------------------------------------===//

namespace {
/// Checks the sweeps of a table along the core's clock.
class SweepChecker {
public:
  explicit SweepChecker(const Samples &S)
      : All(sweepsAlong(S, Domain::Core)), HasEnergy(S.Rows.front().EnergyJ.has_value()) {}

  std::vector<SampleFinding> check() {
    if (HasEnergy) {
      checkOrder();
      checkPowers();
    }
    checkTimes();
    checkHighest();
    return std::move(Findings);
  }

private:
  Sweeps All;
  bool HasEnergy;
  std::vector<SampleFinding> Findings;

  void warn(std::string Id, std::string Text) {
    Findings.push_back({std::move(Id), Severity::Warning, std::move(Text)});
  }
  void checkOrder();
  void checkPowers();
  void checkTimes();
  void checkHighest();
  void checkFalls(const SweepKey &Key, const Points &P);
  std::vector<std::size_t> powersAmongOthers() const;
  std::vector<std::size_t> impossibleTimes() const;
};
} // namespace

/// Whether power rises with the clock at all.
void SweepChecker::checkOrder() {
  std::size_t Falls = 0, Steps = 0;
  for (const auto &[Key, P] : All)
    for (std::size_t K = 1; K < P.size(); ++K) {
      ++Steps;
      Falls += P[K].Power < P[K - 1].Power - std::log(Noise);
    }
  if (Steps >= 8 && double(Falls) > FallsOften * double(Steps))
    warn("power-without-order",
         "power falls between neighbouring core clocks of one workload in " +
             std::to_string(Falls) + " of " + std::to_string(Steps) +
             " cases; check that energies and clocks are those of their rows");
}

/// Names the first clock of \p P where power drops, beside a point that is off alone.
void SweepChecker::checkFalls(const SweepKey &Key, const Points &P) {
  for (std::size_t K = 1; K < P.size(); ++K)
    if (const double Change = P[K].Power - P[K - 1].Power; Change < std::log(PowerFalls)) {
      warn("power-falls", inLines({P[K].Line}) + ": the power of " + Key.Workload + " falls to " +
                              shortNumber(100 * std::exp(Change)) + " % from " +
                              shortNumber(std::exp(P[K - 1].Clock)) + " to " +
                              shortNumber(std::exp(P[K].Clock)) +
                              " MHz; check the energy, or leave the row out");
      return;
    }
}

void SweepChecker::checkPowers() {
  std::vector<std::size_t> Lines;
  double Most = 0;
  for (const auto &[Key, Whole] : All) {
    Points P = Whole;
    while (P.size() >= FewestPoints) {
      const auto [Worst, Off] = outlier(P, &Point::Power);
      if (std::abs(Off) < std::log(PowerOff))
        break;
      if (Off < 0 && Worst + 1 == P.size() && Worst > 0 &&
          P[Worst].Power - P[Worst - 1].Power < std::log(PowerFalls)) {
        checkFalls(Key, P); // it stays low, for all that is known
      } else {
        Lines.push_back(P[Worst].Line);
        Most = std::max(Most, std::abs(Off));
      }
      P.erase(P.begin() + std::ptrdiff_t(Worst));
    }
    checkFalls(Key, P);
  }
  if (!Lines.empty()) {
    std::ranges::sort(Lines);
    warn("power-off-trend", inLines(Lines) +
                                ": energy_j/time_s is off that of the other clocks of the same "
                                "workload, by a factor of up to " +
                                factor(Most) + "; check energy and time, or leave the rows out");
  }
  if (const auto Others = powersAmongOthers(); !Others.empty())
    warn("power-off-others", inLines(Others) +
                                 ": energy_j/time_s changes from the other clocks of the workload "
                                 "by more than twice what other workloads do; check energy and "
                                 "time, or leave the rows out");
}

/// Where a workload has two or three clocks: what it does between two of them against what others
/// do there.
std::vector<std::size_t> SweepChecker::powersAmongOthers() const {
  std::vector<std::size_t> Lines;
  using Step = std::tuple<double, double, double>; // the other clock, from, to
  std::map<Step, std::vector<double>> Changes;
  for (const auto &[Key, P] : All)
    for (std::size_t K = 1; K < P.size(); ++K)
      Changes[{Key.OtherMhz, P[K - 1].Clock, P[K].Clock}].push_back(P[K].Power - P[K - 1].Power);
  for (const auto &[Key, P] : All) {
    if (P.size() < 2 || P.size() >= FewestPoints)
      continue;
    std::vector<double> Away(P.size());
    for (std::size_t K = 1; K < P.size(); ++K) {
      const std::vector<double> &Known = Changes[{Key.OtherMhz, P[K - 1].Clock, P[K].Clock}];
      const double Change = P[K].Power - P[K - 1].Power;
      if (Known.size() >= 4)
        Away[K] = Away[K - 1] + Change - median(Known);
    }
    const double Middle = median(Away);
    for (std::size_t K = 0; K != P.size(); ++K)
      if (std::abs(Away[K] - Middle) > std::log(PowerOffOthers) / (P.size() == 2 ? 2 : 1))
        Lines.push_back(P[K].Line);
  }
  std::ranges::sort(Lines);
  return Lines;
}

/// Where a workload has two or three clocks: times that rise with the clock, or fall far more than
/// it rises.
std::vector<std::size_t> SweepChecker::impossibleTimes() const {
  std::vector<std::size_t> Lines;
  for (const auto &[Key, P] : All)
    for (std::size_t K = 1; K < P.size() && P.size() < FewestPoints; ++K)
      if (const double Change = P[K].Time - P[K - 1].Time;
          Change > std::log(TimeRises) || Change + P[K].Clock - P[K - 1].Clock < -std::log(TimeOff))
        Lines.push_back(P[K].Line);
  std::ranges::sort(Lines);
  return Lines;
}

void SweepChecker::checkTimes() {
  std::vector<std::size_t> Lines;
  for (const auto &[Key, Whole] : All) {
    Points P = Whole;
    while (P.size() >= FewestPoints) {
      const auto [Worst, Off] = outlier(P, &Point::Time);
      if (std::abs(Off) < std::log(TimeOff))
        break;
      Lines.push_back(P[Worst].Line);
      P.erase(P.begin() + std::ptrdiff_t(Worst));
    }
  }
  std::ranges::sort(Lines);
  if (const auto Others = impossibleTimes(); !Others.empty())
    warn("time-off-clocks",
         inLines(Others) +
             ": time_s rises from the core clock below, or falls far more than the clock "
             "rises; check time and core_mhz of both rows, or leave them out");
  if (!Lines.empty())
    warn("time-off-trend", inLines(Lines) +
                               ": time_s is off that of the other clocks of the same workload by "
                               "more than a factor of " +
                               shortNumber(TimeOff) +
                               "; check time and core_mhz, or leave the rows out");
}

/// Whether the highest clocks changed nothing for workloads that follow the lower ones.
void SweepChecker::checkHighest() {
  std::map<std::pair<double, double>, std::vector<double>> Exponents; // by the two clocks
  for (const auto &[Key, P] : All) {
    if (P.size() < FewestPoints)
      continue;
    const Points Below(P.begin(), P.begin() + std::ptrdiff_t(P.size() + 1) / 2);
    if (trend(Below, &Point::Time).first > -0.8)
      continue;
    const Point &Last = P.back(), &Before = P[P.size() - 2];
    Exponents[{Before.Clock, Last.Clock}].push_back((Last.Time - Before.Time) /
                                                    (Last.Clock - Before.Clock));
  }
  for (const auto &[Clocks, Values] : Exponents)
    if (Values.size() >= 3 && median(Values) > -0.15)
      warn("clock-without-effect",
           "from " + shortNumber(std::exp(Clocks.first)) + " to " +
               shortNumber(std::exp(Clocks.second)) +
               " MHz of core_mhz nothing gets faster that does so at lower clocks; did the core "
               "run at " +
               shortNumber(std::exp(Clocks.second)) + " MHz?");
}

std::vector<SampleFinding> checkSweeps(const Samples &S) { return SweepChecker(S).check(); }

} // namespace ergon
