//===- TrafficSampling.cpp - loops of which some iterations are looked at -===//

#include "model/TrafficAnalysis.h"

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

/// All iterations of a loop, of which some are looked at: more where they differ.
Tally TrafficAnalysis::sumOf(const LoopForm &Of, const Iteration &Around, LevelMask Active,
                             const std::vector<double> &FirstTouches) const {
  std::int64_t Trips = lastOf(Of, Around) + 1;
  Tally Sum = emptyTally();
  if (Trips <= 0)
    return Sum;
  static constexpr std::size_t Most[] = {24, 12, 7, 5};
  std::size_t Budget = Most[std::min<std::size_t>(Around.size(), 3)];
  std::map<std::int64_t, Tally> Samples;
  auto At = [&](std::int64_t Number) -> const Tally & {
    auto Found = Samples.find(Number);
    if (Found == Samples.end())
      Found = Samples.emplace(Number, sampleOf(Of, Around, Number, Active)).first;
    return Found->second;
  };
  if (Trips <= std::int64_t(Budget)) {
    for (std::int64_t I = 0; I != Trips; ++I)
      Sum.add(1, At(I));
    return Sum;
  }
  struct Interval {
    std::int64_t First, Middle, Last;
    double Error;
  };
  std::vector<double> Level(Caches.size());
  auto Of1 = [&](const Tally &T, std::size_t L) {
    double S = 0;
    for (std::size_t I = L; I < T.Misses.size(); I += Caches.size())
      S += T.Misses[I] + T.InnerMisses[I];
    return S;
  };
  auto Make = [&](std::int64_t First, std::int64_t Last) {
    std::int64_t Middle = First + (Last - First) / 2;
    if (Middle % 8 == 0 && Middle + 1 < Last)
      ++Middle;
    Interval Result{First, Middle, Last, 0};
    if (Middle == First)
      return Result;
    const Tally &A = At(First), &M = At(Middle), &B = At(Last);
    for (std::size_t L = 0; L != Caches.size(); ++L) {
      double T = double(Middle - First) / double(Last - First);
      double Way = std::abs(Of1(M, L) - (1 - T) * Of1(A, L) - T * Of1(B, L));
      double All = 0;
      for (auto &[Number, S] : Samples)
        All += Of1(S, L);
      All *= double(Trips) / double(Samples.size());
      if (All > 0 && Last - First > 2)
        Result.Error = std::max(Result.Error, Way * double(Last - First) / All);
    }
    return Result;
  };
  At(0);
  std::vector<Interval> All{Make(1, Trips - 1)};
  while (Samples.size() + 2 <= Budget) {
    auto Worst = std::ranges::max_element(All, {}, &Interval::Error);
    if (Worst->Error < 0.02)
      break;
    Interval Parent = *Worst;
    *Worst = Make(Parent.First, Parent.Middle);
    All.push_back(Make(Parent.Middle, Parent.Last));
  }
  Sum.add(1, At(0));
  Sum.add(1, At(1));
  for (const Interval &Each : All) {
    auto Weights =
        parabolaWeights(double(Each.Middle - Each.First), double(Each.Last - Each.First));
    Sum.add(Weights[0], At(Each.First));
    if (Weights[1] != 0)
      Sum.add(Weights[1], At(Each.Middle));
    Sum.add(Weights[2], At(Each.Last));
  }
  // As much is reused as is touched and not touched first.
  for (std::size_t A = 0; A != Form.accesses().size(); ++A) {
    std::size_t O = Form.accesses()[A].Of->Object;
    if (Sum.Carried[O] <= 0)
      continue;
    double Scale = std::clamp((Sum.Touches[O] - FirstTouches[O]) / Sum.Carried[O], 0.5, 2.0);
    for (std::size_t L = 0; L != Caches.size(); ++L) {
      Sum.Misses[indexOf(unsigned(A), L)] *= Scale;
      Sum.Dirtied[indexOf(unsigned(A), L)] *= Scale;
    }
  }
  return Sum;
}

} // namespace ergon
