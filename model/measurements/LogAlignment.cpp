//===- LogAlignment.cpp - kernels' times on a power log's clock -----------===//

#include "model/measurements/LogAlignment.h"
#include "model/measurements/PowerReadings.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <cmath>

namespace ergon {

std::vector<Stretch> stretchesOf(std::span<const TimedLaunch> Launches, double MaxPauseS) {
  std::vector<Stretch> Result;
  for (const TimedLaunch &L : Launches) {
    const double EndS = L.StartS + L.TimeS;
    if (Result.empty() || Result.back().Workload != L.Workload ||
        L.StartS - Result.back().UntilS > MaxPauseS)
      Result.push_back({L.Workload, L.StartS, EndS, 0, 0});
    Stretch &Last = Result.back();
    Last.UntilS = std::max(Last.UntilS, EndS);
    Last.BusyS += L.TimeS;
    Last.Launches += 1;
  }
  return Result;
}

namespace {
/// Sums of the power of one workload's readings at one setting; the last workload is none.
struct Sums {
  double Count = 0, Sum = 0, Squares = 0;
  void add(double PowerW) { Count += 1, Sum += PowerW, Squares += PowerW * PowerW; }
  double residual() const { return Count > 0 ? Squares - Sum * Sum / Count : 0; }
  double mean() const { return Count > 0 ? Sum / Count : 0; }
};

/// An offset, and what is left of the variance with it.
struct Candidate {
  double OffsetS = 0, Residual = 0;
};

/// Kernels and readings that are to be aligned. Each workload, and the time without one, is taken
/// to have one power at each setting.
struct Search {
  std::span<const Stretch> Stretches;
  std::span<const PowerReading> Readings;
  std::vector<std::size_t> Settings; ///< of each reading
  std::size_t Workloads = 0;
  double PeriodS = 0, LeastS = 0, MostS = 0; ///< offsets that are possible

  std::vector<Sums> sumsAt(double OffsetS) const;
  Candidate tryOffset(double OffsetS) const;
  bool disagree(double OffsetS, double OtherS) const;
  double varianceOfSettings() const;
  std::expected<LogAlignment, std::string> run() const;
};
} // namespace

/// The setting of each reading: clocks of the core that are near each other are one.
static std::vector<std::size_t> settingsOfReadings(std::span<const PowerReading> Readings) {
  std::vector<double> Clocks, Settings;
  for (const PowerReading &R : Readings)
    Clocks.push_back(R.CoreMhz.value_or(0));
  std::ranges::sort(Clocks);
  for (const double Clock : Clocks)
    if (Settings.empty() || Clock > Settings.back() * (1 + ClockTolerance))
      Settings.push_back(Clock);
  std::vector<std::size_t> Result;
  for (const PowerReading &R : Readings)
    Result.push_back(
        std::size_t(std::ranges::upper_bound(Settings, R.CoreMhz.value_or(0)) - Settings.begin()) -
        1);
  return Result;
}

/// The readings of each workload at each setting where kernels begin \p OffsetS later.
std::vector<Sums> Search::sumsAt(double OffsetS) const {
  const std::size_t Count = std::ranges::max(Settings) + 1;
  std::vector<Sums> Result((Workloads + 1) * Count);
  std::size_t Next = 0;
  for (std::size_t K = 0; K != Readings.size(); ++K) {
    const PowerReading &R = Readings[K];
    while (Next != Stretches.size() && Stretches[Next].UntilS + OffsetS < R.AtS)
      ++Next;
    const bool Runs = Next != Stretches.size() && Stretches[Next].FromS + OffsetS <= R.AtS;
    Result[(Runs ? Stretches[Next].Workload : Workloads) * Count + Settings[K]].add(R.PowerW);
  }
  return Result;
}

Candidate Search::tryOffset(double OffsetS) const {
  Candidate Result{OffsetS, 0};
  for (const Sums &S : sumsAt(OffsetS))
    Result.Residual += S.residual();
  return Result;
}

/// Whether two offsets give some workload powers that are more than 5 % apart.
bool Search::disagree(double OffsetS, double OtherS) const {
  const std::vector<Sums> A = sumsAt(OffsetS), B = sumsAt(OtherS);
  const std::size_t Count = std::ranges::max(Settings) + 1;
  for (std::size_t W = 0; W != Workloads * Count; ++W) {
    const double First = A[W].mean(), Second = B[W].mean();
    if (First > 0 && Second > 0 && std::abs(First - Second) > 0.05 * First)
      return true;
  }
  return false;
}

/// The variance within settings, which workloads are to explain.
double Search::varianceOfSettings() const {
  std::vector<Sums> All(std::ranges::max(Settings) + 1);
  for (std::size_t K = 0; K != Readings.size(); ++K)
    All[Settings[K]].add(Readings[K].PowerW);
  double Result = 0;
  for (const Sums &S : All)
    Result += S.residual();
  return Result;
}

std::expected<LogAlignment, std::string> Search::run() const {
  const double StepS = std::max(PeriodS / 4, (MostS - LeastS) / 2000);
  std::vector<Candidate> Tried;
  for (double OffsetS = LeastS; OffsetS <= MostS + StepS / 2; OffsetS += StepS)
    Tried.push_back(tryOffset(OffsetS));
  Candidate Best = *std::ranges::min_element(Tried, {}, &Candidate::Residual);
  const double Total = varianceOfSettings();
  for (const Candidate &Other : Tried)
    if (Other.Residual <= Best.Residual + 0.01 * Total &&
        std::abs(Other.OffsetS - Best.OffsetS) > 3 * PeriodS + StepS &&
        disagree(Best.OffsetS, Other.OffsetS))
      return std::unexpected("the kernels fit to its readings at two places, " +
                             shortNumber(Best.OffsetS - LeastS) + " s and " +
                             shortNumber(Other.OffsetS - LeastS) + " s after the first");
  // All offsets between two readings are equal: the middle of them is taken.
  double FromS = Best.OffsetS, UntilS = Best.OffsetS;
  const double CoarseS = Best.OffsetS;
  for (double OffsetS = CoarseS - StepS - PeriodS; OffsetS <= CoarseS + StepS + PeriodS;
       OffsetS += PeriodS / 8) {
    const Candidate Fine = tryOffset(OffsetS);
    if (OffsetS < LeastS || OffsetS > MostS || Fine.Residual > Best.Residual * (1 + 1e-9))
      continue;
    if (Fine.Residual < Best.Residual * (1 - 1e-9))
      FromS = UntilS = OffsetS;
    FromS = std::min(FromS, OffsetS);
    UntilS = std::max(UntilS, OffsetS);
    Best = Fine;
  }
  const double Explained = Total > 0 ? 1 - Best.Residual / Total : 0;
  if (Explained < 0.5)
    return std::unexpected("no offset explains its readings (the best " +
                           shortNumber(100 * Explained) + " % of their variance)");
  return LogAlignment{(FromS + UntilS) / 2, AlignedBy::Power, Explained};
}

std::expected<LogAlignment, std::string> alignLog(std::span<const Stretch> Stretches,
                                                  std::span<const PowerReading> Readings) {
  const double PeriodS = readingPeriodS(Readings);
  if (Stretches.empty() || Readings.size() < 3)
    return std::unexpected("the power log has fewer than 3 readings");
  double FirstS = Stretches.front().FromS, LastS = Stretches.front().UntilS;
  std::size_t Workloads = 0;
  for (const Stretch &S : Stretches) {
    LastS = std::max(LastS, S.UntilS);
    Workloads = std::max(Workloads, S.Workload + 1);
  }
  const double KernelsS = LastS - FirstS, LogS = Readings.back().AtS - Readings.front().AtS;
  const double LeastS = Readings.front().AtS - FirstS, MostS = Readings.back().AtS - LastS;
  // A log that begins and ends with the kernels has up to a reading less than they take.
  if (MostS < LeastS - 2 * PeriodS)
    return std::unexpected("the power log lasts " + shortNumber(LogS) + " s, the kernels " +
                           shortNumber(KernelsS) + " s");
  if (MostS - LeastS <= PeriodS)
    return LogAlignment{(LeastS + MostS) / 2, AlignedBy::Length, 1};
  Sums All;
  for (const PowerReading &R : Readings)
    All.add(R.PowerW);
  if (std::sqrt(std::max(0.0, All.residual()) / All.Count) < 0.02 * All.mean()) {
    // Energies are the same at any offset; clocks are where there is one.
    if (std::ranges::max(settingsOfReadings(Readings)) == 0)
      return LogAlignment{LeastS, AlignedBy::Constant, 1};
    return std::unexpected("its power is " + shortNumber(All.mean()) +
                           " W throughout, so that nothing says which kernel ran at which clock");
  }
  if (KernelsS < 3 * PeriodS)
    return std::unexpected("all kernels together take " + shortNumber(KernelsS) +
                           " s, less than three readings, which are " + shortNumber(PeriodS) +
                           " s apart");
  if (Readings.size() < 3 * (Workloads + 1))
    return std::unexpected("there are " + std::to_string(Readings.size()) + " readings for " +
                           std::to_string(Workloads) + " kernels");
  Search Kernels{Stretches, Readings, std::vector<std::size_t>(Readings.size()), Workloads, PeriodS,
                 LeastS,    MostS};
  const auto Alone = Kernels.run();
  if (Alone)
    return Alone;
  // Of a sweep of clocks a kernel has as many powers.
  Kernels.Settings = settingsOfReadings(Readings);
  const auto BySetting = Kernels.run();
  return BySetting ? BySetting : Alone;
}

} // namespace ergon
