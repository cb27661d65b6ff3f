//===- Tuning.cpp - which setting is best ---------------------------------===//

#include "model/energy/Tuning.h"
#include "model/machine/CostClass.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace ergon {

Figure figure(Objective O) {
  switch (O) {
  case Objective::Energy:
    return {1, 0};
  case Objective::Edp:
    return {1, 1};
  case Objective::Ed2p:
    return {1, 2};
  case Objective::Time:
    break;
  }
  return {0, 1};
}

static constexpr double Rounding = 1e-12; // of a ratio

std::optional<bool> Choice::isCertain() const {
  if (!Rivals.empty())
    return false;
  return ErrorNotStated.empty() ? std::optional(true) : std::nullopt;
}

void markFront(std::vector<Option> &Options) {
  std::vector<Option *> ByTime;
  for (Option &Element : Options)
    ByTime.push_back(&Element);
  std::ranges::sort(ByTime, {}, [](const Option *Subject) {
    return std::pair(Subject->TimeS, Subject->EnergyJ);
  });
  double LeastJ = std::numeric_limits<double>::infinity(), AtS = 0;
  for (Option *O : ByTime) {
    O->IsOnFront = O->EnergyJ < LeastJ || (O->EnergyJ == LeastJ && O->TimeS == AtS);
    if (O->EnergyJ < LeastJ)
      std::tie(LeastJ, AtS) = std::pair(O->EnergyJ, O->TimeS);
  }
}

std::optional<Balance> balanceOf(const Machine &M, const Setting &Clocks,
                                 std::span<const std::string> Classes,
                                 std::span<const Piece> Pieces) {
  std::optional<std::size_t> Most;
  double Flops = 0, Bytes = 0;
  for (std::size_t K = 0; K != Classes.size(); ++K) {
    double Count = 0;
    for (const Piece &P : Pieces)
      Count += P.Amounts[K];
    if (Classes[K] == DramBytes)
      Bytes = Count;
    if (isFlops(Classes[K]) && Count > Flops) {
      Flops = Count;
      Most = K;
    }
  }
  if (!Most)
    return std::nullopt;
  const auto R = rooflineParameters(M, Clocks, Classes[*Most]);
  if (!R)
    return std::nullopt;
  const double I = Flops / Bytes;
  return Balance{Classes[*Most], I, R->timeBalance(), R->effectiveBalance(I), R->balancePoint()};
}

Tuning::Tuning(const PreparedMachine &Machine, std::vector<std::vector<Piece>> AllCandidates,
               const Limits &L)
    : M(Machine), Candidates(std::move(AllCandidates)) {
  for (std::size_t C = 0; C != Candidates.size(); ++C)
    for (std::size_t S = 0; S != M.Settings.size(); ++S) {
      Option Next{C, S, 0, 0, 0, 0};
      for (const Piece &P : Candidates[C]) {
        const PlainCost Cost = M.cost(S, P.Amounts);
        Next.TimeS += Cost.TimeS;
        Next.EnergyJ += Cost.EnergyJ;
        Next.DynamicJ += Cost.DynamicJ;
        Next.PeakW = std::max(Next.PeakW, Cost.powerW());
      }
      Options.push_back(Next);
    }
  LikelyJ = likelyEnergies();
  for (const auto &Pieces : Candidates)
    for (const Piece &Element : Pieces)
      CountsVary |= Element.Least != Element.Most;
  markFront(Options);
  auto Race = [&](const Option &O) {
    const Setting &Clocks = M.Settings[O.Setting];
    return std::tuple(O.TimeS, -Clocks.CoreMhz.value_or(0), -Clocks.MemMhz.value_or(0));
  };
  Fastest = std::ranges::min_element(Options, {}, Race) - Options.begin();
  const double Longest = Options[Fastest].TimeS * (1 + L.MaxSlowdown.value_or(0));
  for (Option &Entry : Options)
    Entry.IsAllowed = (!L.MaxSlowdown || isWithin(Entry.TimeS, Longest)) &&
                      (!L.PowerCapW || isWithin(Entry.PeakW, *L.PowerCapW));
}

CostIntervals Tuning::cost(const Option &O) const {
  return costOf(M, O.Setting, Candidates[O.Candidate]);
}

std::size_t Tuning::leastPower() const {
  return std::ranges::min_element(Options, {}, &Option::PeakW) - Options.begin();
}

static PlainCost operator+(PlainCost Left, const PlainCost &Right) {
  Left.TimeS += Right.TimeS;
  Left.EnergyJ += Right.EnergyJ;
  return Left;
}

PlainCost Tuning::central(const Option &O) const {
  PlainCost Sum;
  for (const Piece &P : Candidates[O.Candidate])
    Sum = Sum + M.Formula[O.Setting].of(P.Amounts);
  return Sum;
}

PlainCost Tuning::totalAt(const Option &O, double Share) const {
  PlainCost Sum;
  for (const Piece &P : Candidates[O.Candidate])
    Sum = Sum + M.Formula[O.Setting].of(countsBetween(P, Share));
  return Sum;
}

double Tuning::leastRatio(const Option &Above, const Option &Below, Figure F) const {
  // Time and energy are linear between the points where the bottleneck changes, and a ratio of two
  // linear functions is minimal at an end.
  std::vector<double> Shares{0, 1};
  if (M.Formula.front().OverlapExponent) // nearly linear: the p-norm has no corners
    Shares.insert(Shares.end(), {0.25, 0.5, 0.75});
  else
    for (const Option *O : {&Above, &Below})
      for (const Piece &P : Candidates[O->Candidate])
        if (auto Share = turningPoint(M.Formula[O->Setting], P))
          Shares.push_back(*Share);
  auto Ratio = [&](const PlainCost &Upper, const PlainCost &Lower) {
    return figureOf(Upper.EnergyJ, Upper.TimeS, F) / figureOf(Lower.EnergyJ, Lower.TimeS, F);
  };
  // A correction stays as at the central counts.
  const double Central =
      figureOf(Above.EnergyJ, Above.TimeS, F) / figureOf(Below.EnergyJ, Below.TimeS, F);
  const double Corrects = Central / Ratio(central(Above), central(Below));
  double Least = Central;
  for (double Share : Shares) {
    if (Least < 1 - Rounding)
      return Least;
    const PlainCost Upper = totalAt(Above, Share), Lower = totalAt(Below, Share);
    if (Upper.TimeS > 0 && Lower.TimeS > 0)
      Least = std::min(Least, Corrects * Ratio(Upper, Lower));
  }
  return Least;
}

std::vector<double> Tuning::likelyEnergies() const {
  std::vector<double> Result;
  for (const Option &O : Options)
    Result.push_back(O.EnergyJ);
  const TypicalEnergy *Typical = M.typical();
  const auto Reference = std::ranges::find_if(M.Settings, [&](const Setting &Clocks) {
    return Typical && Clocks.sameClocks(Typical->Settings.front().Clocks);
  });
  if (Reference == M.Settings.end())
    return Result;
  const std::size_t AtReference = std::size_t(Reference - M.Settings.begin());
  for (std::size_t C = 0; C != Candidates.size(); ++C) {
    const double ReferenceJ = Options[C * M.Settings.size() + AtReference].EnergyJ;
    for (std::size_t S = 0; S != M.Settings.size() && ReferenceJ > 0; ++S)
      if (const TypicalEnergy::At *Here = Typical->find(M.Settings[S])) {
        double &Joules = Result[C * M.Settings.size() + S];
        Joules = ReferenceJ * Here->with(Joules / ReferenceJ, M.modelWeight());
      }
  }
  return Result;
}

std::optional<Choice> Tuning::choose(Objective Goal) const {
  const Figure F = figure(Goal);
  auto Joules = [&](std::size_t I) { return F.Energy != 0 ? LikelyJ[I] : Options[I].EnergyJ; };
  auto Value = [&](std::size_t I) { return figureOf(Joules(I), Options[I].TimeS, F); };
  auto Order = [&](std::size_t I) { return std::tuple(Value(I), Joules(I), Options[I].TimeS, I); };
  std::vector<std::size_t> Allowed(Options.size());
  std::iota(Allowed.begin(), Allowed.end(), 0);
  std::erase_if(Allowed, [&](std::size_t I) { return !Options[I].IsAllowed; });
  if (Allowed.empty())
    return std::nullopt;
  std::ranges::sort(Allowed, {}, Order);
  Choice Result{Allowed.front(), Allowed.front(), std::nullopt, 0, {}, {}};
  Result.ByModel = *std::ranges::min_element(Allowed, {}, [&](std::size_t I) {
    return figureOf(Options[I].EnergyJ, Options[I].TimeS, F);
  });
  const double Best = Value(Result.Best);
  auto ResponseOf = [&](std::size_t I) {
    return M.response(Options[I].Setting, Candidates[Options[I].Candidate]);
  };
  const Response AtBest = ResponseOf(Result.Best);
  if (Options.size() == 1)
    return Result; // independent of errors
  Result.ErrorNotStated = M.notStated(AtBest, F);
  if (Allowed.size() == 1)
    return Result;
  Result.Second = Allowed[1];
  Result.Ahead = Best > 0 ? Value(Allowed[1]) / Best - 1 : 0;
  for (std::size_t I : std::span(Allowed).subspan(1)) {
    const double Ratio = Best > 0 ? Value(I) / Best : 1;
    double Least = Ratio;
    if (CountsVary && Best > 0) {
      const Option &Above = Options[I], &Below = Options[Result.Best];
      const double ByModel =
          figureOf(Above.EnergyJ, Above.TimeS, F) / figureOf(Below.EnergyJ, Below.TimeS, F);
      Least *= std::pow(leastRatio(Above, Below, F) / ByModel, M.modelWeight());
    }
    const double Error = M.statesErrors() ? M.errorOfRatio(ResponseOf(I), AtBest, F) : 0;
    if (std::log(Least) <= Deviations95 * Error)
      Result.Rivals.push_back({I, Ratio - 1, Error, Least < 1 - Rounding});
  }
  return Result;
}

} // namespace ergon
