//===- Prediction.cpp - what one run costs --------------------------------===//

#include "model/Prediction.h"
#include "model/Roofline.h"

#include <algorithm>

namespace ergon {

static const std::string DramClass = "bytes_dram";

static std::optional<Rational> noValue(const std::string &) { return std::nullopt; }

namespace {
/// A class' value, or what it needs first: symbols, or a sum that is too long.
struct ClassValue {
  std::optional<Rational> Value;
  std::optional<Bounds> Between;
  std::set<std::string> Needs;
};
} // namespace

/// The middle of each interval; of symbols that are whole numbers one beside it.
static SymbolValues middles(const SymbolBounds &Between) {
  return [&Between](const std::string &Name) -> std::optional<Rational> {
    auto Found = Between.find(Name);
    if (Found == Between.end())
      return std::nullopt;
    const auto &[Low, High] = Found->second;
    Rational Middle = (Low + High) / Rational(2);
    return Low.isInteger() && High.isInteger() && !isMean(Name) ? Rational(floorOf(Middle))
                                                                : Middle;
  };
}

/// Where one class' sum was too long, the others' most often are: they get less effort.
static constexpr unsigned long MaxSteps = 20'000'000, MaxStepsThen = 500'000;

static std::expected<ClassValue, EvaluationError> evaluateClass(CostClass Class, const Expr &Amount,
                                                                const SymbolBounds &Between,
                                                                unsigned long &Steps) {
  ClassValue Result;
  Amount.collectSymbols(Result.Needs);
  bool IsInterval =
      std::erase_if(Result.Needs, [&](const auto &Name) { return Between.contains(Name); }) != 0;
  if (!Result.Needs.empty())
    return Result;
  auto Value = Amount.evaluate(middles(Between), Steps);
  auto Range = IsInterval && Value ? boundsOf(Amount, Between, Steps) : Bounds{};
  if (Value && Range) {
    Result.Value = std::move(*Value);
    if (IsInterval) // nothing runs a negative number of times
      Result.Between = {std::max(Rational(0), Range->Low), Range->High};
    return Result;
  }
  const EvaluationError &Error = Value ? Range.error() : Value.error();
  if (Error.Why != EvaluationError::Kind::TooExpensive)
    return std::unexpected(Error);
  Steps = MaxStepsThen;
  Result.Needs.insert("formula:" + std::string(name(Class)));
  return Result;
}

static Bounds operator+(const Bounds &Left, const Bounds &Right) {
  return {Left.Low + Right.Low, Left.High + Right.High};
}

namespace {
/// `bytes_dram` as far as the code tells: what is requested of main memory.
struct Requested {
  Rational Value = 0;
  Bounds Between{0, 0};
  bool IsInterval = false;

  void add(const ClassValue &Next) {
    Value += *Next.Value;
    Between = Between + Next.Between.value_or(Bounds{*Next.Value, *Next.Value});
    IsInterval |= Next.Between.has_value();
  }
  void putInto(std::map<std::string, Rational> &Values, std::map<std::string, Bounds> &Intervals) {
    Values[DramClass] = Value;
    if (IsInterval)
      Intervals[DramClass] = Between;
  }
};
} // namespace

/// The counts of one part; classes that rest on an unbound symbol are left out.
static std::expected<PartValues, EvaluationError> evaluatePart(std::string Name, const Counts &Of,
                                                               const SymbolBounds &Between) {
  PartValues Result{std::move(Name), std::nullopt, {}, {}};
  Requested Dram;
  bool AllRequested = true;
  unsigned long Steps = MaxSteps;
  for (const auto &[Class, Amount] : Of) {
    auto Found = evaluateClass(Class, Amount, Between, Steps);
    if (!Found)
      return std::unexpected(Found.error());
    if (!Found->Value) {
      AllRequested &= !isMainMemoryTraffic(Class);
      continue;
    }
    if (isMainMemoryTraffic(Class))
      Dram.add(*Found);
    if (Found->Between)
      Result.Between[std::string(name(Class))] = *Found->Between;
    Result.Values[std::string(name(Class))] = std::move(*Found->Value);
  }
  if (AllRequested)
    Dram.putInto(Result.Values, Result.Between);
  return Result;
}

static std::expected<std::vector<PartValues>, EvaluationError>
evaluateParts(const Totals &Of, const SymbolBounds &Between) {
  std::vector<PartValues> Result;
  Counts Host = Of.Values;
  for (const auto &[Name, Kernel] : Of.Kernels)
    Host += Kernel.Values * Expr(-1);
  auto First = evaluatePart("host", Host, Between);
  if (!First)
    return std::unexpected(First.error());
  Result.push_back(std::move(*First));
  for (const auto &[Name, Kernel] : Of.Kernels) {
    auto Next = evaluatePart(Name, Kernel.Values, Between);
    if (!Next)
      return std::unexpected(Next.error());
    if (auto Launches = Kernel.Launches.evaluate(middles(Between)))
      Next->Launches = *Launches;
    Result.push_back(std::move(*Next));
  }
  return Result;
}

std::expected<CountValues, EvaluationError> evaluateCounts(const Totals &Of,
                                                           const std::set<std::string> &Free,
                                                           const std::optional<Rational> &DramBytes,
                                                           const SymbolBounds &Between) {
  CountValues Result;
  std::set<std::string> Unbound;
  Requested Dram;
  Known RequestedKnown = Known::Bound;
  unsigned long Steps = MaxSteps;
  for (const auto &[Class, Amount] : Of.Values) {
    std::string Key(name(Class));
    auto Found = evaluateClass(Class, Amount, Between, Steps);
    if (!Found)
      return std::unexpected(Found.error());
    Unbound.insert(Found->Needs.begin(), Found->Needs.end());
    std::optional<Rational> &Value = Found->Value;
    if (!Value) {
      if (isMainMemoryTraffic(Class) && !DramBytes)
        Result.Needs[DramClass].insert(Found->Needs.begin(), Found->Needs.end());
      Result.Needs[Key] = std::move(Found->Needs);
      continue;
    }
    Known How = Of.KnownAs.at(Class);
    if (std::ranges::any_of(Of.Rests.at(Class),
                            [&](auto &Name) { return !Between.contains(Name); }))
      How = std::max(How, Known::Assumed);
    if (Found->Between) {
      How = std::max(How, Known::Bound);
      Result.Between[Key] = *Found->Between;
    }
    if (isMainMemoryTraffic(Class)) {
      Dram.add(*Found);
      RequestedKnown = std::max(RequestedKnown, How);
    }
    Result.KnownAs[Key] = How;
    Result.Values[Key] = std::move(*Value);
  }
  for (const auto &[Name, Times] : Of.OpenCalls) {
    if (Free.contains(Name) || Times.isZero())
      continue;
    auto Value = Times.evaluate(noValue);
    if (!Value || *Value != 0)
      Unbound.insert(Name);
  }
  Result.DramIsRequested = !DramBytes;
  if (!Result.Needs.contains(DramClass)) {
    if (DramBytes)
      Result.Values[DramClass] = *DramBytes;
    else
      Dram.putInto(Result.Values, Result.Between);
    Result.KnownAs[DramClass] = DramBytes ? Known::Assumed : RequestedKnown;
  }
  for (const auto &[Name, Times] : Of.LibraryCalls) {
    auto Value = Times.evaluate(noValue);
    if (!Value || *Value != 0)
      Result.LibraryCalls.emplace(Name, Value ? Expr(*Value) : Times);
  }
  Result.Unbound.assign(Unbound.begin(), Unbound.end());
  if (!Of.Kernels.empty()) {
    auto Parts = evaluateParts(Of, Between);
    if (!Parts)
      return std::unexpected(Parts.error());
    Result.Parts = std::move(*Parts);
  }
  return Result;
}

/// Where classes have intervals: time and energy only grow with each count.
static void includeIntervals(const Machine &M, const Setting &At, const CountValues &Counts,
                             std::map<std::string, double> Values, Cost &Result) {
  std::map<std::string, double> Least = Values;
  for (const auto &[Key, Range] : Counts.Between) {
    Least[Key] = Range.Low.get_d();
    Values[Key] = Range.High.get_d();
  }
  if (Counts.DramIsRequested) // caches may keep all of it
    Least[DramClass] = 0;
  Estimate Low = estimate(M, At, Least), High = estimate(M, At, Values);
  Result.TimeS = {Result.TimeS.Value, Low.TimeS, High.TimeS};
  Result.EnergyJ = {Result.EnergyJ.Value, Low.EnergyJ, High.EnergyJ};
  double Most =
      Low.TimeS > 0 ? High.EnergyJ / Low.TimeS : std::max(High.PowerW, Result.PowerW.Value);
  if (M.PowerCap)
    Most = std::min(Most, M.PowerCap->Value);
  Result.PowerW = {Result.PowerW.Value, High.TimeS > 0 ? Low.EnergyJ / High.TimeS : 0, Most};
}

/// \p Counts as one piece of work: all in one roofline.
static Cost costOfOne(const Machine &M, const Setting &At, const CountValues &Counts) {
  std::map<std::string, double> Values;
  double Work = 0;
  for (const auto &[Key, Value] : Counts.Values) {
    Values[Key] = Value.get_d();
    if (auto Class = costClass(Key); Class && isWork(*Class))
      Work += Value.get_d();
  }
  Estimate Central = estimate(M, At, Values);
  Cost Result;
  auto Include = [&](const Estimate &One) {
    auto Widen = [](Interval &Of, double Value) {
      Of.Low = std::min(Of.Low, Value);
      Of.High = std::max(Of.High, Value);
    };
    Widen(Result.TimeS, One.TimeS);
    Widen(Result.EnergyJ, One.EnergyJ);
    Widen(Result.PowerW, One.PowerW);
  };
  Result.TimeS = {Central.TimeS, Central.TimeS, Central.TimeS};
  Result.EnergyJ = {Central.EnergyJ, Central.EnergyJ, Central.EnergyJ};
  Result.PowerW = {Central.PowerW, Central.PowerW, Central.PowerW};
  double Dram = Values[DramClass];
  if (!Counts.Between.empty()) {
    includeIntervals(M, At, Counts, std::move(Values), Result);
  } else if (Dram > 0 && Counts.DramIsRequested) {
    // Caches may keep anything from no byte to all of them. Time and energy only
    // grow with the bytes; power is highest where both roofs meet.
    Values[DramClass] = 0;
    Estimate None = estimate(M, At, Values);
    Include(None);
    auto PerByte = M.timePerUnit(DramClass, At);
    if (PerByte && *PerByte > 0 && None.TimeS / *PerByte < Dram) {
      Values[DramClass] = None.TimeS / *PerByte;
      Include(estimate(M, At, Values));
    }
  }
  if (Dram > 0)
    Result.Intensity["dram"] = Work / Dram;
  Result.Bound = Central.Bound;
  Result.BreakdownJ = Central.BreakdownJ;
  Result.Missing = Central.Missing;
  Result.Unpriced = Central.Unpriced;
  Result.Untimed = Central.Untimed;
  return Result;
}

/// One after the other: times and energies add up, the longest says what bounds.
static void append(Cost &To, const Cost &Next) {
  if (Next.TimeS.Value > To.TimeS.Value || To.Bound.empty())
    To.Bound = Next.Bound;
  auto Add = [](Interval &Sum, const Interval &Each) {
    Sum = {Sum.Value + Each.Value, Sum.Low + Each.Low, Sum.High + Each.High};
  };
  if (Next.TimeS.High > 0)
    To.PowerW = To.TimeS.High == 0 ? Next.PowerW
                                   : Interval{0, std::min(To.PowerW.Low, Next.PowerW.Low),
                                              std::max(To.PowerW.High, Next.PowerW.High)};
  Add(To.TimeS, Next.TimeS);
  Add(To.EnergyJ, Next.EnergyJ);
  To.PowerW.Value = To.TimeS.Value > 0 ? To.EnergyJ.Value / To.TimeS.Value : 0;
  for (const auto &[Class, Joules] : Next.BreakdownJ)
    To.BreakdownJ[Class] += Joules;
  auto Union = [](std::vector<std::string> &All, const std::vector<std::string> &Each) {
    for (const std::string &Class : Each)
      if (std::ranges::find(All, Class) == All.end())
        All.push_back(Class);
  };
  Union(To.Missing, Next.Missing);
  Union(To.Unpriced, Next.Unpriced);
  Union(To.Untimed, Next.Untimed);
}

static double number(const std::map<std::string, Rational> &Values, const std::string &Key) {
  auto Found = Values.find(Key);
  return Found == Values.end() ? 0 : Found->second.get_d();
}

Cost costOn(const Machine &M, const Setting &At, const CountValues &Counts) {
  if (Counts.Parts.empty())
    return costOfOne(M, At, Counts);
  CountValues Copies;
  double Work = 0, Dram = 0, Requested = 0;
  for (const PartValues &Part : Counts.Parts)
    if (&Part != &Counts.Parts.front())
      Requested += number(Part.Values, DramClass);
  Cost Result;
  for (const PartValues &Part : Counts.Parts) {
    CountValues Each;
    Each.Values = Part.Values;
    Each.Between = Part.Between;
    if (&Part == &Counts.Parts.front()) {
      auto IsNoCopy = [](const auto &Entry) {
        auto Class = costClass(Entry.first);
        return Class != CostClass::H2DBytes && Class != CostClass::D2HBytes &&
               Class != CostClass::D2DBytes;
      };
      std::erase_if(Each.Values, IsNoCopy);
      std::erase_if(Each.Between, IsNoCopy);
    } else {
      Each.DramIsRequested = Counts.DramIsRequested;
      if (!Counts.DramIsRequested)
        Each.Between.erase(DramClass);
      // What is given for all kernels is each one's by what it requests.
      if (!Counts.DramIsRequested && Requested > 0)
        Each.Values[DramClass] =
            Each.Values[DramClass] / Rational(Requested) * Counts.Values.at(DramClass);
      for (const auto &[Key, Value] : Each.Values)
        if (auto Class = costClass(Key); Class && isWork(*Class))
          Work += Value.get_d();
      Dram += number(Each.Values, DramClass);
    }
    append(Result, costOfOne(M, At, Each));
  }
  if (Dram > 0)
    Result.Intensity["dram"] = Work / Dram;
  Result.NotCovered.push_back(Counts.Parts.front().Name);
  return Result;
}

} // namespace ergon
