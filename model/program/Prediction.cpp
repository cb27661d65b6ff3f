//===- Prediction.cpp - counts of one run ---------------------------------===//

#include "model/program/Prediction.h"
#include "model/machine/CostClass.h"
#include "model/symbolic/ApproximateValue.h"

#include <algorithm>
#include <cmath>

namespace ergon {

static const std::string DramClass(DramBytes);

static std::optional<Rational> noValue(const std::string &) { return std::nullopt; }

namespace {
/// A class's value, or what it lacks: symbols, or the time for a long sum.
struct ClassValue {
  std::optional<Rational> Value;
  std::optional<Bounds> Gap;
  std::set<std::string> Needs;
  bool IsSampled = false; ///< the gap is the error of the samples
};
} // namespace

/// The middle of each interval; the nearest integer for symbols that are integers.
static SymbolValues middles(const SymbolBounds &Bounds) {
  return [&Bounds](const std::string &Name) -> std::optional<Rational> {
    auto Found = Bounds.find(Name);
    if (Found == Bounds.end())
      return std::nullopt;
    const auto &[Low, High] = Found->second;
    Rational Middle = (Low + High) / Rational(2);
    return Low.isInteger() && High.isInteger() && !isMean(Name) ? floorOf(Middle) : Middle;
  };
}

namespace {
/// The steps that are left for the sums of all classes.
struct Effort {
  LongSums How;
  /// Sampled sums need not be tried for long.
  std::uint64_t Steps = How == LongSums::Open ? 20'000'000 : 500'000;

  /// Where one class's sum is too long, the others mostly are too: they get less.
  void reduce() { Steps = How == LongSums::Open ? 500'000 : 20'000; }
};
} // namespace

/// The interval of each launch gets less again: it is no answer of its own.
static constexpr std::uint64_t MaxStepsOfInterval = 100'000;

/// \p Amount from some of the terms of its sums; counts are not negative.
static std::optional<ClassValue> sampled(const Expr &Amount, const SymbolValues &Values) {
  const auto Found = approximateValue(Amount, Values);
  if (!Found)
    return std::nullopt;
  auto Count = [](double Value) { return Rational::wholePartOf(std::max(0.0, Value)); };
  ClassValue Result;
  Result.Value = Count(std::round(Found->Value));
  Result.Gap = {Count(Found->Value - Found->Error), Count(std::ceil(Found->Value + Found->Error))};
  Result.IsSampled = true;
  return Result;
}

static std::expected<ClassValue, EvaluationError>
evaluateClass(CostClass Class, const Expr &Amount, const SymbolBounds &SB, Effort &Left) {
  ClassValue Result;
  Amount.collectSymbols(Result.Needs);
  bool IsInterval =
      std::erase_if(Result.Needs, [&](const auto &Name) { return SB.contains(Name); }) != 0;
  if (!Result.Needs.empty())
    return Result;
  auto Value = Amount.evaluate(middles(SB), Left.Steps);
  auto Range = IsInterval && Value ? boundsOf(Amount, SB, Left.Steps) : Bounds{};
  if (Value && Range) {
    Result.Value = std::move(*Value);
    if (IsInterval) // counts are not negative
      Result.Gap = {std::max(Rational(0), Range->Low), Range->High};
    return Result;
  }
  const EvaluationError &Error = Value ? Range.error() : Value.error();
  if (Error.Why != EvaluationError::Kind::TooExpensive)
    return std::unexpected(Error);
  Left.reduce();
  if (Left.How == LongSums::Sampled)
    if (auto Some = sampled(Amount, middles(SB)))
      return std::move(*Some);
  Result.Needs.insert("formula:" + std::string(name(Class)));
  return Result;
}

/// A symbol for a large formula is no useful answer where values for others would do: names those,
/// except symbols in \p Bounds.
static void nameInLarge(std::set<std::string> &Needs, const std::set<std::string> &InLarge,
                        const SymbolBounds &Bounds) {
  auto IsFormula = [](const std::string &Name) { return Name.starts_with("formula:"); };
  if (std::ranges::none_of(Needs, IsFormula))
    return;
  std::set<std::string> Others;
  for (const std::string &Name : InLarge)
    if (!IsFormula(Name) && !Bounds.contains(Name))
      Others.insert(Name);
  if (Others.empty())
    return;
  std::erase_if(Needs, IsFormula);
  Needs.merge(Others);
}

std::optional<ExecutedFlops> executedFlops(const Counts &C, const OpenSymbols &Open, LongSums How) {
  const auto [Least, Most] = C.executedFlops();
  BoundsOfLongSum OfLong;
  bool IsRare = false; // samples that are all 0 do not say how much the other terms are
  if (How == LongSums::Sampled)
    OfLong = [&](const Expr &Amount, const SymbolValues &Values) -> std::optional<Bounds> {
      const auto Some = approximateValue(Amount, Values);
      if (!Some)
        return std::nullopt;
      IsRare |= Some->Value == 0 && Some->Error == 0;
      return Bounds{Rational::wholePartOf(std::floor(Some->Value - Some->Error)),
                    Rational::wholePartOf(std::ceil(Some->Value + Some->Error))};
    };
  auto Between = [&](const Expr &Amount) -> std::optional<Bounds> {
    auto Found = boundsOf(Amount, Open.Between, MaxStepsOfInterval, OfLong);
    return Found ? std::optional(*Found) : std::nullopt;
  };
  const auto Low = Between(Least), High = Low ? Between(Most) : Low;
  if (!High)
    return std::nullopt;
  ExecutedFlops Result{std::max(Low->Low, Rational(0)), High->High};
  if (IsRare || std::ranges::any_of(Open.WithoutEnd, [&](const std::string &Symbol) {
        return Most.dependsOn(Symbol);
      }))
    Result.High.reset();
  return Result;
}

LaunchValues evaluateLaunch(const FirstLaunch &First, const OpenSymbols &Open, LongSums How) {
  LaunchValues Result{First.Location, First.Function, {}, {}, {}};
  for (std::size_t Axis = 0; Axis != 3; ++Axis) {
    Result.Grid[Axis] = First.Shape.Grid[Axis].constant();
    Result.Block[Axis] = First.Shape.Block[Axis].constant();
  }
  Effort Left{How};
  for (const auto &[Class, Amount] : First.Values)
    if (auto Found = evaluateClass(Class, Amount, {}, Left); Found && Found->Value)
      Result.Values[std::string(name(Class))] = std::move(*Found->Value);
  Result.Executed = executedFlops(First.Values, Open, How);
  return Result;
}

static Bounds operator+(const Bounds &Left, const Bounds &Right) {
  return {Left.Low + Right.Low, Left.High + Right.High};
}

namespace {
/// `bytes_dram` as known from the code: bytes requested from main memory.
struct Requested {
  Rational Value = 0;
  Bounds Gap{0, 0};
  bool IsInterval = false;
  Known How = Known::Bound;

  void add(const ClassValue &Next, Known NextHow = Known::Bound) {
    How = std::max(How, NextHow);
    Value += *Next.Value;
    Gap = Gap + Next.Gap.value_or(Bounds{*Next.Value, *Next.Value});
    IsInterval |= Next.Gap.has_value();
  }
  void putInto(std::map<std::string, Rational> &Values, std::map<std::string, Bounds> &Intervals) {
    Values[DramClass] = Value;
    if (IsInterval)
      Intervals[DramClass] = Gap;
  }
};
} // namespace

/// The counts of one part, without classes that depend on an unbound symbol.
static std::expected<PartValues, EvaluationError>
evaluatePart(std::string Name, const Counts &C, const SymbolBounds &Bounds, LongSums How) {
  PartValues Result{std::move(Name), std::nullopt, {}, {}};
  Requested Dram;
  bool AllRequested = true;
  Effort Left{How};
  for (const auto &[Class, Amount] : C) {
    auto Found = evaluateClass(Class, Amount, Bounds, Left);
    if (!Found)
      return std::unexpected(Found.error());
    if (!Found->Value) {
      AllRequested &= !isMainMemoryTraffic(Class);
      continue;
    }
    if (isMainMemoryTraffic(Class))
      Dram.add(*Found);
    if (Found->Gap)
      Result.Ranges[std::string(name(Class))] = *Found->Gap;
    Result.Values[std::string(name(Class))] = std::move(*Found->Value);
  }
  if (AllRequested)
    Dram.putInto(Result.Values, Result.Ranges);
  return Result;
}

static std::expected<std::vector<PartValues>, EvaluationError>
evaluateParts(const Totals &T, const SymbolBounds &Bounds, LongSums How) {
  std::vector<PartValues> Result;
  Counts Host = T.Values;
  for (const auto &[Name, Kernel] : T.Kernels)
    Host += Kernel.Values * Expr(-1);
  auto First = evaluatePart("host", Host, Bounds, How);
  if (!First)
    return std::unexpected(First.error());
  Result.push_back(std::move(*First));
  for (const auto &[Name, Kernel] : T.Kernels) {
    auto Next = evaluatePart(Name, Kernel.Values, Bounds, How);
    if (!Next)
      return std::unexpected(Next.error());
    if (auto Launches = Kernel.Launches.evaluate(middles(Bounds)))
      Next->Launches = *Launches;
    Result.push_back(std::move(*Next));
  }
  return Result;
}

/// The calls of unknown cost that may run and are not \p Free.
static std::set<std::string> openCalls(const Totals &T, const std::set<std::string> &Free) {
  std::set<std::string> Result;
  for (const auto &[Name, Times] : T.OpenCalls) {
    auto Value = Times.evaluate(noValue);
    if (!Free.contains(Name) && (!Value || *Value != 0))
      Result.insert(Name);
  }
  return Result;
}

/// Those of \p Calls that may run, and how often.
static std::map<std::string, Expr> running(const std::map<std::string, Expr> &Calls) {
  std::map<std::string, Expr> Result;
  for (const auto &[Name, Times] : Calls) {
    auto Value = Times.evaluate(noValue);
    if (!Value || *Value != 0)
      Result.emplace(Name, Value ? Expr(*Value) : Times);
  }
  return Result;
}

/// Names range checks where machine arithmetic wraps around: counts there are assumed at best.
static void addWraps(const Totals &T, const SymbolBounds &Bounds, CountValues &Result) {
  bool MayWrap = false;
  for (const auto &[Place, Times] : T.Wraps) {
    auto Value = Times.evaluate(middles(Bounds));
    if (Value && *Value == 0)
      continue;
    MayWrap = true;
    // Ignores checks without values; reports any other that is not zero.
    if (Value || Value.error().Why != EvaluationError::Kind::Unbound)
      Result.Wraps.push_back(Place);
  }
  for (auto &[Key, How] : Result.KnownAs)
    if (!Result.Wraps.empty() || (MayWrap && !Result.Needs.contains(Key)))
      How = std::max(How, Known::Assumed);
}

std::expected<CountValues, EvaluationError> evaluateCounts(const Totals &T,
                                                           const std::set<std::string> &Free,
                                                           const std::optional<Rational> &DramBytes,
                                                           const SymbolBounds &Bounds,
                                                           LongSums Sums) {
  CountValues Result;
  const std::set<std::string> Open = openCalls(T, Free); // each may count in any class
  std::set<std::string> Unbound = Open;
  if (!Open.empty() && !DramBytes)
    Result.Needs[DramClass] = Open;
  Requested Dram;
  Effort Left{Sums};
  for (const auto &[Class, Amount] : T.Values) {
    std::string Key(name(Class));
    auto Found = evaluateClass(Class, Amount, Bounds, Left);
    if (!Found)
      return std::unexpected(Found.error());
    if (auto Large = T.InLarge.find(Class); Large != T.InLarge.end())
      nameInLarge(Found->Needs, Large->second, Bounds);
    Found->Needs.insert(Open.begin(), Open.end());
    Unbound.insert(Found->Needs.begin(), Found->Needs.end());
    std::optional<Rational> &Value = Found->Value;
    if (!Found->Needs.empty()) {
      if (isMainMemoryTraffic(Class) && !DramBytes)
        Result.Needs[DramClass].insert(Found->Needs.begin(), Found->Needs.end());
      Result.Needs[Key] = std::move(Found->Needs);
      continue;
    }
    Result.IsSampled |= Found->IsSampled;
    Known How = T.KnownAs.at(Class);
    if (std::ranges::any_of(T.unknownsOf(Class),
                            [&](auto &Name) { return !Bounds.contains(Name); }))
      How = std::max(How, Known::Assumed);
    if (Found->Gap) {
      How = std::max(How, Found->IsSampled ? Known::Estimated : Known::Bound);
      Result.Ranges[Key] = *Found->Gap;
    }
    if (isMainMemoryTraffic(Class))
      Dram.add(*Found, How);
    if (isMachineCode(Key)) // its blocks are found by positions
      How = std::max(How, Known::Estimated);
    Result.KnownAs[Key] = How;
    Result.Values[Key] = std::move(*Value);
  }
  Result.DramIsRequested = !DramBytes;
  if (!Result.Needs.contains(DramClass)) {
    if (DramBytes)
      Result.Values[DramClass] = *DramBytes;
    else
      Dram.putInto(Result.Values, Result.Ranges);
    Result.KnownAs[DramClass] = DramBytes ? Known::Assumed : Dram.How;
  }
  Result.LibraryCalls = running(T.LibraryCalls);
  Result.LeftOut = running(T.OpenCalls);
  std::erase_if(Result.LeftOut, [&](const auto &Call) { return !Free.contains(Call.first); });
  addWraps(T, Bounds, Result);
  Result.Unbound.assign(Unbound.begin(), Unbound.end());
  if (!T.Kernels.empty() && Open.empty()) {
    auto Parts = evaluateParts(T, Bounds, Sums);
    if (!Parts)
      return std::unexpected(Parts.error());
    Result.Parts = std::move(*Parts);
  }
  return Result;
}

} // namespace ergon
