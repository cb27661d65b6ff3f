//===- Cost.cpp - costs of counts on a machine ----------------------------===//

#include "model/energy/Cost.h"
#include "model/energy/CacheRoofs.h"
#include "model/energy/PricedCounts.h"
#include "model/machine/CostClass.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ergon {

//===----------------------------------------------------------------------===//
// Counts as arrays
//===----------------------------------------------------------------------===//

std::vector<std::string> classesOf(const CountValues &Counts) {
  std::vector<std::string> Result;
  for (const auto &[Key, Value] : Counts.Values)
    Result.push_back(Key);
  return Result; // of a map: sorted
}

namespace {
/// Builds the pieces of a run.
struct PieceMaker {
  std::span<const std::string> Classes;
  bool DramIsRequested;

  /// \p Keep selects the classes that belong to it.
  template <typename Filter>
  Piece make(const std::map<std::string, Rational> &Values,
             const std::map<std::string, Bounds> &Ranges, Filter Keep) const {
    Piece Result;
    Result.Amounts.assign(Classes.size(), 0);
    Result.Least = Result.Most = Result.Amounts;
    for (std::size_t K = 0; K != Classes.size(); ++K) {
      auto Found = Values.find(Classes[K]);
      if (Found == Values.end() || !Keep(Classes[K]))
        continue;
      Result.Amounts[K] = Result.Least[K] = Result.Most[K] = Found->second.get_d();
      if (auto Range = Ranges.find(Classes[K]); Range != Ranges.end()) {
        Result.HasIntervals = true;
        Result.Least[K] = Range->second.Low.get_d();
        Result.Most[K] = Range->second.High.get_d();
      }
      if (Classes[K] == DramBytes && DramIsRequested) // caches may keep all of it
        Result.Least[K] = 0;
    }
    return Result;
  }
};
} // namespace

/// Distributes a total for all kernels by what each requests.
static void shareDram(std::vector<PartValues> &Kernels, const Rational &Given) {
  const std::string Key(DramBytes);
  Rational Requested = 0;
  for (const PartValues &Kernel : Kernels)
    if (auto Found = Kernel.Values.find(Key); Found != Kernel.Values.end())
      Requested += Found->second;
  for (PartValues &Values : Kernels) {
    Values.Ranges.erase(Key);
    if (Requested != 0)
      Values.Values[Key] = Values.Values[Key] / Requested * Given;
  }
}

Work workOf(const CountValues &Counts, std::span<const std::string> Classes) {
  const PieceMaker Maker{Classes, Counts.DramIsRequested};
  auto All = [](std::string_view) { return true; };
  Work Result;
  if (Counts.Parts.empty()) {
    Result.Pieces.push_back(Maker.make(Counts.Values, Counts.Ranges, All));
    return Result;
  }
  const PartValues &Host = Counts.Parts.front();
  Result.NotCovered.push_back(Host.Name);
  Result.Pieces.push_back(Maker.make(Host.Values, Host.Ranges, isCopy));
  Result.Pieces.back().Name = Host.Name;
  std::vector<PartValues> Kernels(Counts.Parts.begin() + 1, Counts.Parts.end());
  if (!Counts.DramIsRequested)
    shareDram(Kernels, Counts.Values.at(std::string(DramBytes)));
  for (const PartValues &Kernel : Kernels) {
    Piece &Next = Result.Pieces.emplace_back(Maker.make(Kernel.Values, Kernel.Ranges, All));
    Next.Name = Kernel.Name;
    if (!Kernel.Launches)
      continue;
    Next.Launches = Kernel.Launches->get_d();
    if (auto Class = std::ranges::find(Classes, name(CostClass::Launches)); Class != Classes.end())
      for (auto *Of : {&Next.Amounts, &Next.Least, &Next.Most})
        (*Of)[std::size_t(Class - Classes.begin())] = *Next.Launches;
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Intervals
//===----------------------------------------------------------------------===//

std::vector<double> countsBetween(const Piece &P, double Share) {
  std::vector<double> Result(P.Least);
  for (std::size_t K = 0; K != Result.size(); ++K)
    Result[K] += Share * (P.Most[K] - P.Least[K]);
  return Result;
}

/// The position of the highest power between the ends. Dynamic power is a sum over a norm, so it
/// has one maximum, which is flat: the position need not be exact. Golden-section search.
static std::optional<double> highestPower(const SettingCosts &Costs, const Piece &P) {
  if (P.Least == P.Most)
    return std::nullopt;
  constexpr double Golden = 0.6180339887498949;
  auto Power = [&](double Share) { return Costs.of(countsBetween(P, Share)).powerW(); };
  double Low = 0, High = 1, Left = 1 - Golden, Right = Golden;
  double PowerLeft = Power(Left), PowerRight = Power(Right);
  while (High - Low > 1e-3) {
    if (PowerLeft < PowerRight) {
      Low = std::exchange(Left, Right);
      Right = Low + Golden * (High - Low);
      PowerLeft = std::exchange(PowerRight, Power(Right));
    } else {
      High = std::exchange(Right, Left);
      Left = High - Golden * (High - Low);
      PowerRight = std::exchange(PowerLeft, Power(Left));
    }
  }
  return Low > 0 && High < 1 ? std::optional((Low + High) / 2) : std::nullopt;
}

std::optional<double> turningPoint(const SettingCosts &Costs, const Piece &P) {
  if (Costs.OverlapExponent)
    return highestPower(Costs, P);
  const PlainCost First = Costs.of(P.Least), Last = Costs.of(P.Most);
  if (First.Bound == Last.Bound)
    return std::nullopt;
  // Each roof is linear along the way; the two that bound the ends cross.
  const double Above = First.TimeS - Costs.roof(Last.Bound, P.Least);
  const double Below = Last.TimeS - Costs.roof(First.Bound, P.Most);
  const double Share = Above / (Above + Below);
  return Share > 0 && Share < 1 ? std::optional(Share) : std::nullopt;
}

static Interval around(double Value) { return {Value, Value, Value}; }

static void widen(CostIntervals &Intervals, const PlainCost &Cost) {
  auto Include = [](Interval &I, double Value) {
    I.Low = std::min(I.Low, Value);
    I.High = std::max(I.High, Value);
  };
  Include(Intervals.TimeS, Cost.TimeS);
  Include(Intervals.EnergyJ, Cost.EnergyJ);
  Include(Intervals.PowerW, Cost.powerW());
}

/// From the counts' intervals: time and energy are monotone in each count.
static CostIntervals byCounts(const SettingCosts &Costs, const Piece &P) {
  const PlainCost Central = Costs.of(P.Amounts), Low = Costs.of(P.Least), High = Costs.of(P.Most);
  CostIntervals Result{around(Central.TimeS), around(Central.EnergyJ), around(Central.powerW())};
  widen(Result, Low);
  widen(Result, High);
  if (P.HasIntervals) {
    Result.PowerW.Low = High.TimeS > 0 ? Low.EnergyJ / High.TimeS : 0;
    if (Low.TimeS > 0)
      Result.PowerW.High = High.EnergyJ / Low.TimeS;
  } else if (auto Share = turningPoint(Costs, P)) { // power is highest where both roofs meet
    widen(Result, Costs.of(countsBetween(P, *Share)));
  }
  if (Costs.CapW)
    Result.PowerW.High = std::min(Result.PowerW.High, *Costs.CapW);
  return Result;
}

/// By the errors of each figure.
static void widenBy(CostIntervals &C, const PreparedMachine &M, const Response &Follows) {
  for (auto [I, F] : {std::pair{&C.TimeS, Figure{0, 1}}, std::pair{&C.EnergyJ, Figure{1, 0}},
                      std::pair{&C.PowerW, Figure{1, -1}}}) {
    I->Low /= factor95(M.error(Follows, F, End::Low));
    I->High *= factor95(M.error(Follows, F, End::High));
  }
}

/// In sequence: times and energies add up.
static void append(CostIntervals &To, const CostIntervals &Next) {
  auto Add = [](Interval &Sum, const Interval &I) {
    Sum = {Sum.Value + I.Value, Sum.Low + I.Low, Sum.High + I.High};
  };
  if (Next.TimeS.High > 0)
    To.PowerW = To.TimeS.High == 0 ? Next.PowerW
                                   : Interval{0, std::min(To.PowerW.Low, Next.PowerW.Low),
                                              std::max(To.PowerW.High, Next.PowerW.High)};
  Add(To.TimeS, Next.TimeS);
  Add(To.EnergyJ, Next.EnergyJ);
  To.PowerW.Value = To.TimeS.Value > 0 ? To.EnergyJ.Value / To.TimeS.Value : 0;
}

/// By measured runs: whatever the counts are, these took what they took.
static CostIntervals knownCost(const PreparedMachine &M, std::size_t Setting,
                               std::span<const Piece> Pieces) {
  CostIntervals Result;
  for (std::size_t Bound = 0; Bound != CountsOfPiece.size(); ++Bound) {
    PlainCost Sum;
    for (const Piece &P : Pieces) {
      const PlainCost Next = M.cost(Setting, P.*CountsOfPiece[Bound], Bound);
      Sum.TimeS += Next.TimeS;
      Sum.EnergyJ += Next.EnergyJ;
    }
    if (Bound == 0)
      Result = {around(Sum.TimeS), around(Sum.EnergyJ), around(Sum.powerW())};
    else if (Sum.TimeS > 0)
      widen(Result, Sum);
  }
  const Response Follows = M.response(Setting, Pieces);
  widenBy(Result, M, Follows);
  if (const auto &CapW = M.Costs[Setting].CapW)
    Result.PowerW.High = std::max(Result.PowerW.Value, std::min(Result.PowerW.High, *CapW));
  return Result;
}

CostIntervals costOf(const PreparedMachine &M, std::size_t Setting, std::span<const Piece> Pieces) {
  if (M.known())
    return knownCost(M, Setting, Pieces);
  const SettingCosts &Costs = M.Costs[Setting];
  CostIntervals Result;
  for (const Piece &P : Pieces) {
    CostIntervals Next = byCounts(Costs, P);
    const Response Follows = M.response(Setting, std::span(&P, 1));
    widenBy(Next, M, Follows);
    if (Costs.CapW)
      Next.PowerW.High = std::min(Next.PowerW.High, *Costs.CapW);
    append(Result, Next);
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// One run at one setting
//===----------------------------------------------------------------------===//

namespace {
/// W and Q of each level.
struct FlopsAndBytes {
  double Flops = 0;
  std::map<std::string, double> Bytes;

  void add(std::string_view Class, double Value) {
    if (isWork(Class))
      Flops += Value;
    if (auto Level = memoryLevel(Class);
        Level && std::ranges::find(MemoryLevelNames, *Level) != MemoryLevelNames.end())
      Bytes[std::string(*Level)] += Value;
  }
  std::map<std::string, double> ratios() const {
    std::map<std::string, double> Result;
    for (const auto &[Level, Moved] : Bytes)
      if (Moved > 0)
        Result[Level] = Flops / Moved;
    return Result;
  }
};
} // namespace

std::map<std::string, double> intensities(const CountValues &Values) {
  FlopsAndBytes Sums;
  for (const auto &[Class, Value] : Values.Values)
    Sums.add(Class, Value.get_d());
  return Sums.ratios();
}

std::vector<ComparedRun> compared(const PreparedMachine &M) {
  std::vector<ComparedRun> Result;
  for (const MeasuredRun &Run : M.known()->runs()) {
    const ModelledRun Modelled = M.modelled(Run.Clocks);
    Result.push_back({Run, Modelled.TimeS, Modelled.EnergyJ(Modelled.TimeS)});
  }
  return Result;
}

/// Brings the parts of an energy to its sum: a longer run takes more constant energy, and what then
/// is missing is shared by all.
static void correctBreakdown(Cost &C, double MoreConstantJ) {
  C.BreakdownJ["constant"] += MoreConstantJ;
  double Sum = 0;
  for (const auto &[Class, Joules] : C.BreakdownJ)
    Sum += Joules;
  for (auto &[Class, Joules] : C.BreakdownJ)
    Joules *= Sum > 0 ? C.EnergyJ.Value / Sum : 1;
}

Cost costOn(const Machine &M, const Setting &Clocks, const CountValues &Counted,
            const std::vector<MeasuredRun> &Runs) {
  const CountValues Counts = pricedCounts(M, Counted);
  PreparedMachine Prepared(M, {Clocks}, classesOf(Counts));
  const Work Whole = workOf(Counts, Prepared.Classes);
  Cost Result;
  if (!Runs.empty() && Prepared.know(Runs, Whole.Pieces)) {
    Result.Measured = compared(Prepared);
    Result.MeasureNext = nextToMeasure(*Prepared.known(), M.Settings);
  }
  static_cast<CostIntervals &>(Result) = costOf(Prepared, 0, Whole.Pieces);
  Result.NotCovered = Whole.NotCovered;
  FlopsAndBytes Sums;
  double LongestS = -1;
  for (const Piece &P : Whole.Pieces) {
    const Estimate E = estimate(Prepared.Costs[0], Prepared.Classes, P.Amounts);
    if (E.TimeS > LongestS) { // the longest is the bottleneck
      LongestS = E.TimeS;
      Result.Bound = E.Bound;
    }
    for (const auto &[Class, Joules] : E.BreakdownJ)
      Result.BreakdownJ[Class] += Joules;
    Result.DynamicJ.Value += Prepared.Costs[0].of(P.Amounts).DynamicJ;
    Result.DynamicJ.Low += Prepared.Costs[0].of(P.Least).DynamicJ;
    Result.DynamicJ.High += Prepared.Costs[0].of(P.Most).DynamicJ;
    unite(Result.Missing, E.Missing);
    unite(Result.Unpriced, E.Unpriced);
    unite(Result.Untimed, E.Untimed);
    for (std::size_t K = 0; K != Prepared.Classes.size(); ++K)
      Sums.add(Prepared.Classes[K], P.Amounts[K]);
  }
  Result.Intensity = Sums.ratios();
  if (Prepared.known())
    correctBreakdown(Result, (Result.TimeS.Value - Prepared.modelled(Clocks).TimeS) *
                                 Prepared.Costs[0].Pi0W.value_or(0));
  const Response Follows = Prepared.response(0, Whole.Pieces);
  Result.ErrorInTime = Prepared.errorInTime(Follows);
  for (Figure F : {Figure{1, 0}, Figure{0, 1}}) {
    unite(Result.ErrorNotStated, Prepared.notStated(Follows, F));
    unite(Result.Estimated, Prepared.estimated(Follows, F));
  }
  std::ranges::sort(Result.ErrorNotStated);
  std::ranges::sort(Result.Estimated);
  return Result;
}

Cost costAt(Cost C, const Interval &TimeS, std::string Bound, double ConstantW) {
  const double CountedS = C.TimeS.Value;
  auto Joules = [&, Counted = C.EnergyJ.Value](double S, double DynamicJ) {
    return std::max(0.0, Counted + (S - CountedS) * ConstantW + DynamicJ - C.DynamicJ.Value);
  };
  if (TimeS.Value != CountedS && ConstantW != 0)
    C.BreakdownJ["constant"] += (TimeS.Value - CountedS) * ConstantW;
  C.EnergyJ = {Joules(TimeS.Value, C.DynamicJ.Value), Joules(TimeS.Low, C.DynamicJ.Low),
               Joules(TimeS.High, C.DynamicJ.High)};
  C.TimeS = TimeS;
  // The same work in a longer run draws less power.
  C.PowerW = TimeS.Low > 0 ? Interval{C.EnergyJ.Value / TimeS.Value,
                                      Joules(TimeS.High, C.DynamicJ.Low) / TimeS.High,
                                      Joules(TimeS.Low, C.DynamicJ.High) / TimeS.Low}
                           : Interval{};
  for (Interval *Each : {&C.EnergyJ, &C.PowerW}) {
    Each->Low /= factor95(C.ErrorInTime);
    Each->High *= factor95(C.ErrorInTime);
  }
  C.Bound = std::move(Bound);
  C.Untimed.clear();
  return C;
}

Cost correctedBy(const MeasuredModel &Known, const Setting &Clocks, Cost C,
                 const ModelledRun &Modelled) {
  MeasuredModel::Answer At = Known.at(Clocks);
  const double MoreConstantJ = Modelled.EnergyJ(At.TimeS) - Modelled.EnergyJ(Modelled.TimeS);
  auto within = [](double Value, const MeasuredModel::Sides &Errors) {
    return Interval{Value, Value / factor95(Errors.Below), Value * factor95(Errors.Above)};
  };
  C.TimeS = within(At.TimeS, At.TimeError);
  C.EnergyJ.Value = At.EnergyJ;
  C.PowerW.Value = At.TimeS > 0 ? At.EnergyJ / At.TimeS : 0;
  // Counts that lie between two numbers do not widen an energy that was measured.
  double LessJ = 0, MoreJ = 0;
  if (!At.PowerError && At.EnergyJ > 0) {
    At.PowerError = C.ErrorInTime;
    LessJ = C.DynamicJ.Value - C.DynamicJ.Low;
    MoreJ = C.DynamicJ.High - C.DynamicJ.Value;
  }
  C.EnergyJ = within(At.EnergyJ, At.error(1, 0));
  C.PowerW = within(C.PowerW.Value, At.error(1, -1));
  if (At.EnergyJ > 0)
    for (Interval *Each : {&C.EnergyJ, &C.PowerW}) {
      Each->Low *= 1 - LessJ / At.EnergyJ;
      Each->High *= 1 + MoreJ / At.EnergyJ;
    }
  correctBreakdown(C, MoreConstantJ);
  return C;
}

} // namespace ergon
