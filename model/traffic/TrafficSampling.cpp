//===- TrafficSampling.cpp - samples the iterations of loops --------------===//

#include "model/traffic/TrafficAnalysis.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ergon {

/// Σ over t = 1 … n of the parabola through (0, f(0)), (m, f(m)) and (n, f(n)), as weights
/// of the three values.
static std::array<double, 3> parabolaWeights(double M, double N) {
  double Ones = N, Sum = N * (N + 1) / 2, Squares = N * (N + 1) * (2 * N + 1) / 6;
  if (M <= 0 || M >= N) // a line
    return {Ones - Sum / N, 0, Sum / N};
  return {(Squares - (M + N) * Sum + M * N * Ones) / (M * N), (Squares - N * Sum) / (M * (M - N)),
          (Squares - M * Sum) / (N * (N - M))};
}

namespace {
/// Iterations First < i <= Last of a loop, as a parabola through three of them.
struct Interval {
  std::int64_t First, Middle, Last;
  double Error = 0; ///< as a share of the loop's misses
  /// By level, how many lines another curve between the ends may have more or fewer.
  std::vector<double> Doubt{};
};
/// Number of samples for each alignment of an iteration to lines.
using SamplePhases = std::array<unsigned, 8>;
} // namespace

/// An iteration near the middle whose alignment to lines few samples have, but not one that starts
/// a line, as most do not.
static std::int64_t medianInterval(std::int64_t First, std::int64_t Last,
                                   const SamplePhases &Phases) {
  const std::int64_t Middle = First + (Last - First) / 2;
  std::int64_t Best = Middle;
  auto badness = [&](std::int64_t Number) {
    const auto Phase = std::size_t(Number) % Phases.size();
    return 8 * int(Phases[Phase]) + 12 * int(Phase == 0) + int(std::abs(Number - Middle));
  };
  for (std::int64_t I = std::max(First + 1, Middle - 4); I < std::min(Last, Middle + 4); ++I)
    if (badness(I) < badness(Best))
      Best = I;
  return Best;
}

/// Misses of a level.
double TrafficAnalysis::missesOf(const Tally &T, std::size_t Level) const {
  double Sum = 0;
  for (std::size_t I = Level; I < T.Misses.size(); I += Caches.size())
    Sum += T.Misses[I] + T.InnerMisses[I];
  return Sum;
}

/// Sample limit of a loop: a few hundred for a whole nest, a few for each of very many.
std::size_t TrafficAnalysis::samplesFor(const LoopForm &Form) const {
  if (IsThrifty)
    return 3;
  static constexpr std::size_t Most[][4] = {{16, 8, 4, 3}, {16, 8, 4, 3}, {16, 8, 4, 3},
                                            {12, 6, 4, 3}, {8, 4, 3, 3},  {5, 3, 3, 2}};
  const std::size_t Nest = std::min<std::size_t>(Form.Depth + Form.Height, 5);
  return Most[Nest][std::min<std::size_t>(Form.Depth, 3)];
}

/// Access limit of one run of an innermost loop: larger where there are fewer runs.
static double walkBudget(const LoopForm &Form) {
  constexpr std::array Most = {1 << 15, 1 << 11, 1 << 9, 1 << 8};
  return Most[std::min<std::size_t>(Form.Depth, 3)];
}

/// The sum over a loop's iterations, from samples: more where they differ. It is one long function,
/// as choosing, weighing and scaling share the samples so far.
Tally TrafficAnalysis::sumOf(const LoopForm &Form, const Iteration &Around, LevelMask ActiveLevels,
                             const std::map<unsigned, double> &FirstTouches, bool IsEven) const {
  const std::int64_t Trips = lastOf(Form, Around) + 1;
  Tally Sum = emptyTally(Form);
  if (Trips <= 0)
    return Sum;
  if (Form.Height == 0)
    if (auto Found = Walk.run(Form, Around, ActiveLevels, walkBudget(Form), IsEven)) {
      Sum.Misses = std::move(Found->Misses);
      Sum.Dirtied = std::move(Found->Dirtied);
      return Sum;
    }
  const std::size_t Budget = samplesFor(Form);
  constexpr double Tolerance = 0.05;
  std::map<std::int64_t, Tally> Samples;
  SamplePhases Phases{};
  auto at = [&](std::int64_t Number) -> const Tally & {
    auto Found = Samples.find(Number);
    if (Found == Samples.end()) {
      Found = Samples.emplace(Number, sampleOf(Form, Around, Number, ActiveLevels)).first;
      ++Phases[std::size_t(Number) % Phases.size()];
    }
    return Found->second;
  };
  if (Trips <= std::int64_t(std::max<std::size_t>(Budget, 4))) {
    for (std::int64_t I = 0; I != Trips; ++I)
      Sum.add(1, at(I));
    return Sum;
  }
  auto make = [&](std::int64_t First, std::int64_t Last) {
    const std::int64_t Middle = Budget < 3 ? First : medianInterval(First, Last, Phases);
    Interval Result{First, Middle, Last};
    const Tally &A = at(First), &B = at(Last); // also for a line, so that there are samples
    if (Middle == First)
      return Result;
    const Tally &M = at(Middle);
    for (std::size_t L = 0; L != Caches.size(); ++L) {
      const double Share = double(Middle - First) / double(Last - First);
      const double Way =
          std::abs(missesOf(M, L) - (1 - Share) * missesOf(A, L) - Share * missesOf(B, L));
      double All = 0;
      for (const auto &[Number, Sample] : Samples)
        All += missesOf(Sample, L);
      All *= double(Trips) / double(Samples.size());
      Result.Doubt.push_back(Way * double(Last - First));
      if (All > 0 && Last - First > 2)
        Result.Error = std::max(Result.Error, Way * double(Last - First) / All);
    }
    return Result;
  };
  std::vector<Interval> All{make(1, Trips - 1)};
  while (Samples.size() + 2 <= Budget) {
    double Error = 0;
    for (const Interval &Element : All)
      Error += Element.Error;
    if (Error < Tolerance && Samples.size() >= 5)
      break;
    // Where one interval is not smooth, a long one may only seem so.
    auto Worst = std::ranges::max_element(All, {}, [&](const Interval &Entry) {
      return Entry.Error + (Error + Tolerance) * double(Entry.Last - Entry.First) / double(Trips);
    });
    const Interval Parent = *Worst;
    *Worst = make(Parent.First, Parent.Middle);
    All.push_back(make(Parent.Middle, Parent.Last));
  }
  // The first iteration is like the second one without reuse.
  Tally First = at(1);
  for (auto Part : {&Tally::Misses, &Tally::Dirtied})
    std::ranges::fill(First.*Part, 0);
  First.Carried.clear();
  Sum.add(1, First);
  Sum.add(1, at(1));
  for (const Interval &Current : All) {
    auto Weights = parabolaWeights(double(Current.Middle - Current.First),
                                   double(Current.Last - Current.First));
    Sum.add(Weights[0], at(Current.First));
    if (Weights[1] != 0)
      Sum.add(Weights[1], at(Current.Middle));
    Sum.add(Weights[2], at(Current.Last));
    for (std::size_t L = 0; IsThrifty && L != Current.Doubt.size(); ++L)
      Sum.addDoubt(L, Current.Doubt[L], {1, 1});
  }
  // Reused lines are those touched minus those touched first.
  for (unsigned A = Form.Items.front().FirstAccess; A != Form.Items.back().EndAccess; ++A) {
    const unsigned O = Program.accesses()[A].Access->Object;
    const auto Carried = Sum.Carried.find(O);
    if (Carried == Sum.Carried.end() || Carried->second <= 0)
      continue;
    const auto Before = FirstTouches.find(O);
    const double Again = Sum.Touches[O] - (Before == FirstTouches.end() ? 0 : Before->second);
    const double Scale = std::clamp(Again / Carried->second, 0.5, 2.0);
    for (std::size_t L = 0; L != Caches.size(); ++L) {
      Sum.Misses[Sum.indexOf(A, L)] *= Scale;
      Sum.Dirtied[Sum.indexOf(A, L)] *= Scale;
    }
  }
  return Sum;
}

} // namespace ergon
