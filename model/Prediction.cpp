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
  std::set<std::string> Needs;
};
} // namespace

/// Where one class' sum was too long, the others' most often are: they get less effort.
static constexpr unsigned long MaxSteps = 20'000'000, MaxStepsThen = 500'000;

static std::expected<ClassValue, EvaluationError> evaluateClass(CostClass Class, const Expr &Amount,
                                                                unsigned long &Steps) {
  ClassValue Result;
  Amount.collectSymbols(Result.Needs);
  if (!Result.Needs.empty())
    return Result;
  auto Value = Amount.evaluate(noValue, Steps);
  if (Value) {
    Result.Value = std::move(*Value);
  } else if (Value.error().Why == EvaluationError::Kind::TooExpensive) {
    Steps = MaxStepsThen;
    Result.Needs.insert("formula:" + std::string(name(Class)));
  } else {
    return std::unexpected(Value.error());
  }
  return Result;
}

/// The counts of one part; classes that rest on an unbound symbol are left out.
static std::expected<PartValues, EvaluationError> evaluatePart(std::string Name, const Counts &Of) {
  PartValues Result{std::move(Name), std::nullopt, {}};
  Rational Requested = 0;
  bool AllRequested = true;
  unsigned long Steps = MaxSteps;
  for (const auto &[Class, Amount] : Of) {
    auto Found = evaluateClass(Class, Amount, Steps);
    if (!Found)
      return std::unexpected(Found.error());
    if (!Found->Value) {
      AllRequested &= !isMainMemoryTraffic(Class);
      continue;
    }
    if (isMainMemoryTraffic(Class))
      Requested += *Found->Value;
    Result.Values[std::string(name(Class))] = std::move(*Found->Value);
  }
  if (AllRequested)
    Result.Values[DramClass] = Requested;
  return Result;
}

static std::expected<std::vector<PartValues>, EvaluationError> evaluateParts(const Totals &Of) {
  std::vector<PartValues> Result;
  Counts Host = Of.Values;
  for (const auto &[Name, Kernel] : Of.Kernels)
    Host += Kernel.Values * Expr(-1);
  auto First = evaluatePart("host", Host);
  if (!First)
    return std::unexpected(First.error());
  Result.push_back(std::move(*First));
  for (const auto &[Name, Kernel] : Of.Kernels) {
    auto Next = evaluatePart(Name, Kernel.Values);
    if (!Next)
      return std::unexpected(Next.error());
    if (auto Launches = Kernel.Launches.evaluate(noValue))
      Next->Launches = *Launches;
    Result.push_back(std::move(*Next));
  }
  return Result;
}

std::expected<CountValues, EvaluationError>
evaluateCounts(const Totals &Of, const std::set<std::string> &Free,
               const std::optional<Rational> &DramBytes) {
  CountValues Result;
  std::set<std::string> Unbound;
  Rational Requested = 0;
  Known RequestedKnown = Known::Bound;
  unsigned long Steps = MaxSteps;
  for (const auto &[Class, Amount] : Of.Values) {
    std::string Key(name(Class));
    auto Found = evaluateClass(Class, Amount, Steps);
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
    if (!Of.Rests.at(Class).empty())
      How = std::max(How, Known::Assumed);
    if (isMainMemoryTraffic(Class)) {
      Requested += *Value;
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
    Result.Values[DramClass] = DramBytes.value_or(Requested);
    Result.KnownAs[DramClass] = DramBytes ? Known::Assumed : RequestedKnown;
  }
  for (const auto &[Name, Times] : Of.LibraryCalls) {
    auto Value = Times.evaluate(noValue);
    if (!Value || *Value != 0)
      Result.LibraryCalls.emplace(Name, Value ? Expr(*Value) : Times);
  }
  Result.Unbound.assign(Unbound.begin(), Unbound.end());
  if (!Of.Kernels.empty()) {
    auto Parts = evaluateParts(Of);
    if (!Parts)
      return std::unexpected(Parts.error());
    Result.Parts = std::move(*Parts);
  }
  return Result;
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
  if (Dram > 0 && Counts.DramIsRequested) {
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
    if (&Part == &Counts.Parts.front()) {
      for (CostClass Copy : {CostClass::H2DBytes, CostClass::D2HBytes, CostClass::D2DBytes})
        if (auto Found = Part.Values.find(std::string(name(Copy))); Found != Part.Values.end())
          Each.Values.insert(*Found);
    } else {
      Each.Values = Part.Values;
      Each.DramIsRequested = Counts.DramIsRequested;
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
