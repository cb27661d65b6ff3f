//===- Prediction.cpp - what one run costs --------------------------------===//

#include "model/Prediction.h"
#include "model/Roofline.h"

#include <algorithm>

namespace ergon {

static const std::string DramClass = "bytes_dram";

std::expected<CountValues, EvaluationError>
evaluateCounts(const Totals &Of, const std::set<std::string> &Free,
               const std::optional<Rational> &DramBytes) {
  CountValues Result;
  std::set<std::string> Unbound;
  auto NoValue = [](const std::string &) { return std::optional<Rational>(); };
  Rational Requested = 0;
  Known RequestedKnown = Known::Bound;
  for (const auto &[Class, Amount] : Of.Values) {
    std::string Key(name(Class));
    std::set<std::string> Symbols;
    Amount.collectSymbols(Symbols);
    Unbound.insert(Symbols.begin(), Symbols.end());
    if (!Symbols.empty()) {
      if (isMainMemoryTraffic(Class) && !DramBytes)
        Result.Needs[DramClass].insert(Symbols.begin(), Symbols.end());
      Result.Needs[Key] = std::move(Symbols);
      continue;
    }
    auto Value = Amount.evaluate(NoValue);
    if (!Value)
      return std::unexpected(Value.error());
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
    auto Value = Times.evaluate(NoValue);
    if (!Value || *Value != 0)
      Unbound.insert(Name);
  }
  Result.DramIsRequested = !DramBytes;
  if (!Result.Needs.contains(DramClass)) {
    Result.Values[DramClass] = DramBytes.value_or(Requested);
    Result.KnownAs[DramClass] = DramBytes ? Known::Assumed : RequestedKnown;
  }
  for (const auto &[Name, Times] : Of.LibraryCalls) {
    auto Value = Times.evaluate(NoValue);
    if (!Value || *Value != 0)
      Result.LibraryCalls.emplace(Name, Value ? Expr(*Value) : Times);
  }
  Result.Unbound.assign(Unbound.begin(), Unbound.end());
  return Result;
}

Cost costOn(const Machine &M, const Setting &At, const CountValues &Counts) {
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

} // namespace ergon
