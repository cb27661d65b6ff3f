//===- Sampling.cpp - when there are enough samples -----------------------===//

#include "calibration/Sampling.h"
#include "model/fit/Statistics.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

namespace ergon {

double nowS() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

MedianInterval medianInterval(std::vector<double> Values) {
  const double Centre = median(Values);
  std::vector<double> Distances;
  for (double Value : Values)
    Distances.push_back(std::abs(Value - Centre));
  const double Limit = 5 * 1.4826 * median(Distances);
  MedianInterval Result;
  // Half of them are no farther than the median of the distances: these are never left out.
  Result.Outliers = std::erase_if(Values, [&](double V) { return std::abs(V - Centre) > Limit; });
  Result.Samples = Values.size();
  std::ranges::sort(Values);
  Result.Median = median(Values);
  const double N = double(Values.size()), Wide = 0.98 * std::sqrt(N);
  const double Below = std::floor(N / 2 - Wide), Above = std::ceil(N / 2 + Wide);
  Result.Low = Values[std::size_t(std::clamp(Below - 1, 0.0, N - 1))];
  Result.High = Values[std::size_t(std::clamp(Above, 0.0, N - 1))];
  return Result;
}

void CoreWatch::see(double PerCycle) {
  Seen.insert(std::ranges::upper_bound(Seen, PerCycle, std::greater()), PerCycle);
}

/// The largest value that has other values near it. A value without neighbours is an error of the
/// clock, which was slower when it was read than while additions were counted.
double CoreWatch::most() const {
  static constexpr double Near = 0.02;
  const std::size_t Enough = std::max<std::size_t>(5, Seen.size() / 50);
  for (std::size_t K = 0; K + Enough <= Seen.size(); ++K)
    if (Seen[K + Enough - 1] >= (1 - Near) * Seen[K])
      return Seen[K];
  return Seen.empty() ? 0 : Seen.back();
}

double CoreWatch::shared(double PerCycle) const {
  return PerCycle > 0 && most() > 0 ? std::max(0.0, 1 - PerCycle / most()) : 0;
}

CoreWatch &theCores() {
  static CoreWatch Watch;
  return Watch;
}

void MemoryWatch::see(unsigned Threads, double PerS) {
  std::vector<double> &Values = Seen[Threads];
  Values.insert(std::ranges::upper_bound(Values, PerS), PerS);
}

std::optional<double> MemoryWatch::usual(unsigned Threads) const {
  const auto Found = Seen.find(Threads);
  if (Found == Seen.end())
    return std::nullopt;
  return Found->second[Found->second.size() / 2];
}

double MemoryWatch::moved(const Timing &T) const {
  const std::optional<double> Usual = usual(T.Threads);
  return T.MemoryPerS > 0 && Usual ? std::abs(T.MemoryPerS / *Usual - 1) : 0;
}

MemoryWatch &theMemory() {
  static MemoryWatch Watch;
  return Watch;
}

Classification classify(const std::vector<Timing> &Timings) {
  Classification Result;
  std::vector<double> Steady, All;
  for (const Timing &T : Timings) {
    All.push_back(T.ClockHz);
    if (T.Waited <= MostWaited && T.ClockMove <= MostClockMove && !theCores().isShared(T.PerCycle))
      Steady.push_back(T.ClockHz);
  }
  Result.ClockHz = median(Steady.empty() ? All : Steady);
  for (const Timing &Element : Timings) {
    const bool Moved = Element.ClockMove > MostClockMove ||
                       std::abs(Element.ClockHz / Result.ClockHz - 1) > MostClockMove;
    Result.Verdicts.push_back(Element.Waited > MostWaited             ? Verdict::Preempted
                              : theCores().isShared(Element.PerCycle) ? Verdict::CoreShared
                              : Moved                                 ? Verdict::ClockMoved
                              : theMemory().isAnother(Element)        ? Verdict::MemoryMoved
                                                                      : Verdict::Good);
  }
  return Result;
}

Timing heldAt(double ClockHz, Timing T) {
  if (std::abs(T.ClockHz / ClockHz - 1) > MostClockMove)
    T.ClockMove = std::max(T.ClockMove, 1.0);
  return T;
}

double disturbance(const Timing &T, double ClockHz) {
  return T.Waited + std::max(T.ClockMove, std::abs(T.ClockHz / ClockHz - 1));
}

bool isTooBusy(std::size_t Attempts, std::size_t Useless) {
  constexpr std::size_t EnoughToTell = 300;
  return Attempts >= EnoughToTell && Useless > Attempts * 19 / 20;
}

std::uint64_t iterationsFor(double Seconds, const TakeSample &Take) {
  // A disturbed run takes longer than the probe needs, and not every disturbance is detected. Where
  // all runs are disturbed, a larger number of them counts.
  constexpr unsigned Wanted = 2, Most = 12;
  std::uint64_t Iterations = 1;
  for (unsigned Clean = 0, Long = 0; Clean != Wanted && Long != Most;) {
    const Timing Taken = Take(Iterations);
    if (Taken.Seconds >= Seconds) {
      ++Long;
      Clean += Taken.Waited <= MostWaited && !theCores().isShared(Taken.PerCycle);
      continue;
    }
    Clean = Long = 0;
    const double Times = Taken.Seconds > 0 ? 1.1 * Seconds / Taken.Seconds : 1000;
    Iterations = std::uint64_t(std::ceil(double(Iterations) * std::clamp(Times, 1.1, 1000.0)));
  }
  return Iterations;
}

std::vector<Timing> takeRound(const TakeSample &Take, std::uint64_t Iterations,
                              const SamplingGoal &Goal, const std::vector<double> &Good,
                              const std::function<bool()> &Stop) {
  const double End = nowS() + Goal.RoundS;
  std::vector<Timing> Taken;
  auto Enough = [&] {
    std::vector<double> All = Good;
    const Classification C = classify(Taken);
    for (std::size_t K = 0; K != Taken.size(); ++K)
      if (C.Verdicts[K] == Verdict::Good)
        All.push_back(Taken[K].Seconds / double(Iterations));
    return Goal.reached(All) || All.size() >= Goal.Most;
  };
  do
    Taken.push_back(Take(Iterations));
  while (!Stop() && !Enough() && Taken.size() != Goal.Attempts && nowS() < End);
  return Taken;
}

void SampleTotals::add(Verdict V) {
  static constexpr std::size_t SampleTotals::*Counted[] = {
      nullptr, &SampleTotals::Preempted, &SampleTotals::ClockMoved, &SampleTotals::CoreShared,
      &SampleTotals::MemoryMoved};
  if (V != Verdict::Good)
    ++(this->*Counted[std::size_t(V)]);
}

SampleTotals &SampleTotals::operator+=(const SampleTotals &Totals) {
  for (auto Element :
       {&SampleTotals::Attempts, &SampleTotals::Preempted, &SampleTotals::ClockMoved,
        &SampleTotals::CoreShared, &SampleTotals::MemoryMoved, &SampleTotals::Useless})
    this->*Element += Totals.*Element;
  return *this;
}

SampleSet::Added SampleSet::add(const std::vector<Timing> &Taken, std::uint64_t Iterations,
                                SampleTotals &Target) {
  const Classification C = classify(Taken);
  Added Result{C.ClockHz, {}};
  Target.Attempts += Taken.size();
  for (std::size_t K = 0; K != Taken.size(); ++K) {
    const double Seconds = Taken[K].Seconds / double(Iterations);
    if (C.Verdicts[K] == Verdict::Good) {
      Result.Seconds.push_back(Taken[K].Seconds);
      Good.push_back({Seconds, Taken[K]});
      continue;
    }
    Target.add(C.Verdicts[K]);
    // A thread that shares its core has a smaller out-of-order window and forwards stores later;
    // the share of additions does not show by how much. A sample with other memory bandwidth cannot
    // be corrected either.
    if (C.Verdicts[K] == Verdict::CoreShared || C.Verdicts[K] == Verdict::MemoryMoved) {
      Target.Useless += C.Verdicts[K] == Verdict::CoreShared;
      continue;
    }
    if (const double By10 = disturbance(Taken[K], C.ClockHz); By10 <= MostDisturbance)
      Rest.emplace_back(By10, Seconds);
    else
      ++Target.Useless;
  }
  return Result;
}

std::vector<double> SampleSet::good() const {
  std::vector<double> Result;
  for (const Sample &S : Good)
    if (!theCores().isShared(S.Raw.PerCycle) && !theMemory().isAnother(S.Raw))
      Result.push_back(S.Seconds);
  return Result;
}

bool SampleSet::isEnough(const SamplingGoal &Goal) const {
  const std::vector<double> Now = good();
  return Goal.reached(Now) || Now.size() >= Goal.Most;
}

std::optional<SampleSet::Found> SampleSet::conclude(const SamplingGoal &Goal) const {
  double Most = 0;
  std::vector<double> Used = good();
  std::vector<std::pair<double, double>> Least = Rest;
  std::ranges::sort(Least);
  for (const auto &[Disturbance, Seconds] : Least) {
    if (Used.size() >= Goal.Least)
      break;
    Used.push_back(Seconds);
    Most = Disturbance;
  }
  if (Used.size() < Goal.Least)
    return std::nullopt;
  std::vector<double> Clocks;
  for (const Sample &S : Good)
    if (S.Raw.ClockHz > 0)
      Clocks.push_back(S.Raw.ClockHz);
  Found Result{medianInterval(std::move(Used)), Most > 0,
               Clocks.empty() ? 0 : medianInterval(std::move(Clocks)).Median};
  Result.Seconds.Low *= 1 - Most;
  Result.Seconds.High *= 1 + Most;
  return Result;
}

} // namespace ergon
