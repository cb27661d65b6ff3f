//===- Estimates.cpp - counts where symbols have no value -----------------===//

#include "predict/answer/Estimates.h"
#include "model/evaluation/ProgramNumbers.h"
#include "predict/answer/ArgumentCases.h"
#include "predict/answer/EstimateRanges.h"
#include "predict/answer/EstimateSwitches.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <ranges>
#include <span>
#include <tuple>
#include <utility>

namespace ergon {

namespace {
/// Estimates what an entry's counts need beyond the given values.
class Estimator {
public:
  Estimator(CountedEntry &Entry, std::vector<GivenValue> Given, bool OfAccesses,
            const RunSize &SizeOf)
      : Entry(Entry), Given(std::move(Given)), UserValues(std::ssize(this->Given)),
        OfAccesses(OfAccesses), SizeOf(SizeOf) {}

  std::expected<EstimatedCounts, Error> run(std::set<std::size_t> *NotHere);
  /// Symbols that may have a value beside those that the program shows.
  std::set<std::string> Named;

private:
  CountedEntry &Entry;
  std::vector<GivenValue> Given; ///< those of the user, then calls that are left out
  std::ptrdiff_t UserValues;
  bool OfAccesses;
  const RunSize &SizeOf;
  std::vector<SymbolEstimate> Estimates;
  std::map<std::string, std::optional<std::size_t>> Positions; ///< of symbols in these
  std::set<std::string> Estimated;                             ///< classes

  /// Symbols appear once others have values.
  static constexpr unsigned MaxRounds = 8;
  /// Each needs two more counts. Where there are more, or where counts take long, only the ends of
  /// all ranges are counted.
  static constexpr std::size_t MaxCompared = 40, MaxComparedWhereSampled = 8;
  /// Of the answer: what moves it by less is not listed.
  static constexpr double Minor = 0.01;
  /// Stands for the end of a range that has none, as a multiple of the estimate.
  static constexpr std::int64_t FarAway = 100;

  std::expected<EntryCounts, Error> count(const std::vector<Rational> &Numbers);
  bool takeUnbound(const EntryCounts &Counted);
  std::optional<std::size_t> estimate(Unknown What, bool IsLimitCertain = true);
  std::vector<Rational> estimatedNumbers() const;
  static Rational highEnd(const SymbolEstimate &E);
  void compare(EstimatedCounts &Result);
  std::vector<Rational> withoutFarEnds(std::vector<Rational> Numbers) const;
  bool leavesOutRecursion(const CountValues &Counts) const;
  std::set<std::string> givenNames() const; ///< by the user
  bool takeLikely(EntryCounts &Counted);
  void openLeftOut(EstimatedCounts &Result) const;
  std::expected<EstimatedCounts, Error> runInNumbers(std::set<std::size_t> *NotHere,
                                                     ProgramNumbers &Program);
};
} // namespace

std::vector<Rational> Estimator::estimatedNumbers() const {
  std::vector<Rational> Result;
  for (const SymbolEstimate &E : Estimates)
    Result.push_back(E.Value);
  return Result;
}

/// \p Numbers are those of the estimates.
std::expected<EntryCounts, Error> Estimator::count(const std::vector<Rational> &Numbers) {
  std::vector<GivenValue> Values = Given;
  for (std::size_t I = 0; I != Estimates.size(); ++I)
    Values.emplace_back(Estimates[I].What.Symbol, Numbers[I]).IsOptional = true;
  AccessNames Names; // which need not be looked for
  for (const GivenValue &Value : Values)
    if (Value.IsOptional)
      Names.Symbols.insert(Value.Name);
  std::set<std::size_t> NotHere; // with some values a symbol has no effect
  return Entry.counts(Values, &NotHere, LongSums::Sampled, Names);
}

/// The position of its estimate, a new one where there is none; nothing where no number stands for
/// the symbol. A limit that rests on estimates is none of its range.
std::optional<std::size_t> Estimator::estimate(Unknown What, bool IsLimitCertain) {
  const std::string Symbol = What.Symbol;
  auto [Position, New] = Positions.try_emplace(Symbol);
  if (!New || Symbol.starts_with("formula:"))
    return Position->second;
  Position->second = Estimates.size();
  SymbolEstimate E = estimateOf(What);
  if (What.Limit && !IsLimitCertain) {
    const Rational Value = E.Value;
    What.Limit.reset();
    E = estimateOf(What);
    E.Value = Value;
  }
  if (isArgumentCount(Symbol, Entry.function())) // a program that is called without arguments
    E.Value = E.Low = 1;
  if (const auto Cases = caseValues(Entry.function(), Symbol); !Cases.empty()) {
    E.Value = Cases.front();
    E.Low = std::ranges::min(Cases);
    E.High = std::ranges::max(Cases);
  }
  if (const code::ProgramValues::Mean *Mean =
          Entry.mean(What.PassedAs.empty() ? Symbol : What.PassedAs)) {
    E.Value = Rational(Mean->Sum) / Rational(Mean->Times);
    if (!Mean->IsBeginning && !Mean->IsLast && !Mean->IsOrdinary) {
      E.Low = Rational(Mean->Range.first);
      E.High = Rational(Mean->Range.second);
    }
    E.Low = std::min(E.Low, E.Value);
    if (E.High)
      E.High = std::max(*E.High, E.Value);
    E.Source = Mean->IsLast        ? "what the code's run leaves in it"
               : Mean->IsOrdinary  ? "what the code's run makes of ordinary numbers"
               : Mean->IsBeginning ? "mean of the beginning of the code's run, which is too long"
                                   : "mean of the code's run";
  }
  // A narrow type ends the range.
  if (const Rational Last = possibleValues(Entry.function(), Symbol).High; Last < highEnd(E)) {
    E.High = Last;
    E.Value = std::min(E.Value, Last);
  }
  Estimates.push_back(std::move(E));
  return Position->second;
}

/// Adds what the latest counts need; if nothing, what the accesses need. False where nothing can be
/// added.
bool Estimator::takeUnbound(const EntryCounts &Counted) {
  const std::size_t Before = Given.size() + Estimates.size();
  const bool AreCertain = Estimates.empty(); // the numbers of the latest counts
  bool IsRounded = false;
  for (const auto &[Class, Symbols] : Counted.Counts.Needs)
    Estimated.insert(Class);
  for (const std::string &Symbol : Counted.Counts.Unbound)
    if (isOpenCall(Symbol))
      Given.emplace_back(Symbol, Rational(0));
    else if (const auto Had = Positions.find(Symbol); Had != Positions.end() && Had->second)
      IsRounded |=
          roundOff(Estimates[*Had->second].Value); // recursion is followed with whole numbers
    else
      estimate(Entry.explain(Symbol), AreCertain);
  if (OfAccesses && Counted.Counts.Unbound.empty()) {
    const auto Accesses = Entry.accesses(Counted.Bound);
    if (!Accesses)
      return false; // Entry.failure() says why
    for (const std::string &Call : (*Accesses)->OpenCalls)
      Given.emplace_back(Call, Rational(0));
    for (const std::string &Symbol : (*Accesses)->Unbound)
      if (!Counted.Bound.Ranges.contains(Symbol))
        estimate(Entry.explain(Symbol), AreCertain);
  }
  return IsRounded || Given.size() + Estimates.size() != Before;
}

Rational Estimator::highEnd(const SymbolEstimate &E) {
  return E.High.value_or(std::max(E.Value, Rational(1)) * Rational(FarAway));
}

/// \p Numbers with the estimates of symbols whose range has no end.
std::vector<Rational> Estimator::withoutFarEnds(std::vector<Rational> Numbers) const {
  for (std::size_t I = 0; I != Estimates.size(); ++I)
    if (!Estimates[I].High)
      Numbers[I] = Estimates[I].Value;
  return Numbers;
}

/// Counts at the ends of the ranges.
void Estimator::compare(EstimatedCounts &Result) {
  const double Size = SizeOf(Result.Counted.Counts);
  std::vector<Rational> Shorter = estimatedNumbers(), Longer = Shorter;
  std::map<std::vector<Rational>, CountValues> Done = {{Shorter, Result.Counted.Counts}};
  bool IsCertain = true; // that the ends are: other symbols may need values there
  auto CountsAt = [&](const std::vector<Rational> &Numbers) -> const CountValues & {
    auto [Found, New] = Done.try_emplace(Numbers);
    if (New) {
      auto Counted = count(Numbers);
      IsCertain &= Counted && Counted->Counts.Unbound.empty();
      Found->second = Counted ? std::move(Counted->Counts) : Result.Counted.Counts;
      for (auto &[Class, Amount] : Found->second.Values)
        Amount = std::max(Amount, Rational(0)); // ends may not go together: a negative length
    }
    return Found->second;
  };
  std::vector<std::pair<const CountValues *, const CountValues *>> Ends;
  for (std::size_t I = 0; I != Estimates.size(); ++I) {
    SymbolEstimate &E = Estimates[I];
    bool GrowsWith = true;
    if (Estimates.size() <=
        (Result.Counted.Counts.IsSampled ? MaxComparedWhereSampled : MaxCompared)) {
      std::vector<Rational> Numbers = estimatedNumbers();
      Numbers[I] = E.Low;
      const double AtLow = SizeOf(CountsAt(Numbers));
      Numbers[I] = highEnd(E);
      const double AtHigh = SizeOf(CountsAt(Numbers));
      GrowsWith = AtHigh >= AtLow;
      double Least = std::min({AtLow, AtHigh, Size}), Most = std::max({AtLow, AtHigh, Size});
      // Of cases, neither the lowest nor the highest number need be an end.
      for (const Rational &Case : caseValues(Entry.function(), E.What.Symbol)) {
        Numbers[I] = Case;
        const double AtCase = SizeOf(CountsAt(Numbers));
        if (AtCase <= Least) {
          Least = AtCase;
          E.Low = Case;
        }
        if (AtCase >= Most) {
          Most = AtCase;
          E.High = Case;
        }
        GrowsWith = true;
      }
      Numbers[I] = E.Low;
      const CountValues &Low = CountsAt(Numbers);
      Numbers[I] = highEnd(E);
      Ends.emplace_back(&Low, &CountsAt(Numbers));
      E.Spread = Most - Least;
      E.IsMinor = E.Spread <= Minor * Size;
    }
    Result.IsUnbounded |= !E.High && !E.IsMinor && GrowsWith;
    (GrowsWith ? Shorter : Longer)[I] = E.Low;
    (GrowsWith ? Longer : Shorter)[I] = highEnd(E);
  }
  Result.Least = CountsAt(Shorter);
  Result.Most = CountsAt(Longer);
  SwitchRanges::EndsOfClasses Directions;
  // A class may shrink where the run grows.
  for (const auto &[Class, Ignored] : Result.Counted.Counts.Values) {
    std::vector<Rational> Least = Shorter, Most = Longer;
    for (std::size_t I = 0; I != Ends.size(); ++I) {
      const Rational AtLow = amountOf(*Ends[I].first, Class),
                     AtHigh = amountOf(*Ends[I].second, Class);
      if (AtLow == AtHigh)
        continue;
      (AtLow < AtHigh ? Least : Most)[I] = Estimates[I].Low;
      (AtLow < AtHigh ? Most : Least)[I] = highEnd(Estimates[I]);
    }
    addRange(Result, Class, CountsAt(Least), CountsAt(Most), CountsAt(withoutFarEnds(Most)));
    for (std::size_t I = 0; I != Ends.size(); ++I) // what has no effect here may have one elsewhere
      if (amountOf(*Ends[I].first, Class) == amountOf(*Ends[I].second, Class)) {
        Least[I] = Estimates[I].Low;
        Most[I] = highEnd(Estimates[I]);
      }
    Directions.emplace(Class, std::pair(std::move(Least), std::move(Most)));
  }
  if (!Ends.empty()) {
    Substitution Known = Result.Counted.Bound.substitution();
    std::vector<Rational> HighEnds;
    for (const SymbolEstimate &E : Estimates) {
      Known.erase(E.What.Symbol);
      HighEnds.push_back(highEnd(E));
    }
    TotalsBuilder InSymbols = Entry.builder(std::move(Known));
    SwitchRanges(Estimates, std::move(HighEnds), std::move(Directions), CountsAt, SizeOf)
        .widen(Result, InSymbols.of(Entry.function()).Values);
  }
  if (!IsCertain)
    openHighEnds(Result);
  for (SymbolEstimate &E : Estimates) // of cases, the greater number may cost less
    if (E.High)
      std::tie(E.Low, *E.High) =
          std::pair(std::min({E.Low, *E.High, E.Value}), std::max({E.Low, *E.High, E.Value}));
  setShares(Estimates);
}

std::set<std::string> Estimator::givenNames() const {
  const auto Names =
      std::views::transform(std::span(Given).first(std::size_t(UserValues)), &GivenValue::Name);
  return {Names.begin(), Names.end()};
}

/// Counts with what is likely, if something is: a mean stands for what may be another number in
/// each call.
bool Estimator::takeLikely(EntryCounts &Counted) {
  auto IsLikely = [](const SymbolEstimate &E) { return E.What.Usually.has_value(); };
  if (Estimates.empty() || !(Entry.hasLikely() || std::ranges::any_of(Estimates, IsLikely)))
    return false;
  Entry.takeLikely(givenNames());
  auto Likely = count(estimatedNumbers());
  for (unsigned Round = 0; Likely && Round != MaxRounds && takeUnbound(*Likely); ++Round)
    Likely = count(estimatedNumbers());
  if (Likely && Likely->Counts.Unbound.empty() && !Entry.failure()) {
    Counted = std::move(*Likely);
    return true;
  }
  Entry.dropLikely();
  return false;
}

/// Whether recorded code runs more often than is counted, and the user did not say so.
bool Estimator::leavesOutRecursion(const CountValues &Counts) const {
  return std::ranges::any_of(Counts.LeftOut, [Names = givenNames()](const auto &Call) {
    return std::string_view(Call.first).starts_with("recursion:") && !Names.contains(Call.first);
  });
}

/// Opens the interval of each class where a call of unknown cost is left out, and the user did not
/// say so.
void Estimator::openLeftOut(EstimatedCounts &Result) const {
  const auto &LeftOut = Result.Counted.Counts.LeftOut;
  if (std::ranges::all_of(
          LeftOut, [Names = givenNames()](const auto &Call) { return Names.contains(Call.first); }))
    return;
  openHighEnds(Result);
}

/// The same for a program that is too large for formulas: one evaluation for the counts, one for
/// each end of the ranges, and slopes say what each symbol moves.
std::expected<EstimatedCounts, Error> Estimator::runInNumbers(std::set<std::size_t> *NotHere,
                                                              ProgramNumbers &Program) {
  const Function &Called = Entry.function();
  AccessNames Known{Program.symbols(Called), {}};
  Known.Symbols.insert(Named.begin(), Named.end());
  for (const GivenValue &Value : Given)
    if (isOpenCall(Value.Name))
      Known.OpenCalls.insert(Value.Name);
  static const Totals None;
  auto Bound =
      bindValues(Given, Called, []() -> const Totals & { return None; }, NotHere, {}, Known);
  if (!Bound)
    return std::unexpected(Bound.error());
  Program.bind(Bound->substitution());
  using Numbers = std::map<std::string, Rational>;
  auto ValueOf = [&](const Numbers &Moved) {
    return [this, Moved](const Unknown &U) {
      if (auto Found = Moved.find(U.Symbol); Found != Moved.end())
        return Found->second;
      const auto Position = estimate(U);
      return Position ? Estimates[*Position].Value : Rational(0);
    };
  };
  auto TotalsAt = [&](const Numbers &Moved) { return Program.of(Called, ValueOf(Moved)); };
  auto Evaluated = [&](const Totals &T) {
    std::set<std::string> LeftOut = Bound->FreeCalls;
    for (const auto &[Call, Times] : T.OpenCalls)
      LeftOut.insert(Call);
    return evaluateCounts(T, LeftOut, Bound->DramBytes, {}, LongSums::Sampled);
  };
  auto Fail = [&](const EvaluationError &Bad) {
    return std::unexpected(
        Error{"a formula has no value: " + Bad.What, "", "give another value", Called.Demangled});
  };
  Totals T = TotalsAt({});
  if (Program.hasLargerLimits()) {
    Estimates.clear();
    Positions.clear();
    T = TotalsAt({});
  }
  if (Entry.hasLikely() && !Estimates.empty()) {
    Entry.takeLikely(givenNames());
    ProgramNumbers Likely(Entry.lookup());
    Likely.bind(Bound->substitution());
    T = Likely.of(Entry.function(), ValueOf({}));
    Entry.dropLikely();
  }
  Entry.addKnownKernels(T);
  if (Entry.failure())
    return std::unexpected(*Entry.failure());
  auto Counted = Evaluated(T);
  if (!Counted)
    return Fail(Counted.error());
  EstimatedCounts Result;
  Result.Counted = {*Bound, std::move(*Counted), {}, /*IsInNumbers=*/true, LongSums::Sampled};
  for (const auto &[Call, Times] : Result.Counted.Counts.LeftOut)
    if (!Bound->FreeCalls.contains(Call)) // each may count in any class
      for (auto &[Class, How] : Result.Counted.Counts.KnownAs)
        How = Known::Estimated;
  for (const SymbolEstimate &E : Estimates)
    Result.Counted.Bound.Given.insert_or_assign(E.What.Symbol, E.Value);
  if (Estimates.empty() || !SizeOf) {
    openLeftOut(Result);
    Result.Estimates = std::move(Estimates);
    return Result;
  }
  const double Size = SizeOf(Result.Counted.Counts);
  const auto Weights = weightsOf(T, Size, [&](const Totals &More) {
    auto Counts = Evaluated(More);
    return Counts ? SizeOf(*Counts) : Size;
  });
  const std::map<std::string, double> Slopes = Program.slopes([&](CostClass Class) {
    auto Found = Weights.find(Class);
    return Found == Weights.end() ? 0 : Found->second;
  });
  std::map<std::string, Rational> Shorter, Longer;
  for (SymbolEstimate &E : Estimates) {
    auto Found = Slopes.find(E.What.Symbol);
    const double Slope = Found == Slopes.end() ? 0 : Found->second;
    E.Spread = std::abs(Slope) * Rational(highEnd(E) - E.Low).get_d();
    E.IsMinor = E.Spread <= Minor * Size;
    Result.IsUnbounded |= !E.High && !E.IsMinor && Slope > 0;
    (Slope >= 0 ? Shorter : Longer)[E.What.Symbol] = E.Low;
    (Slope >= 0 ? Longer : Shorter)[E.What.Symbol] = highEnd(E);
  }
  std::map<std::string, Rational> Nearer = Longer;
  for (const SymbolEstimate &E : Estimates)
    if (!E.High)
      Nearer[E.What.Symbol] = E.Value;
  std::optional<CountValues> Near;
  for (auto [Ends, To] : {std::pair(&Shorter, &Result.Least), std::pair(&Longer, &Result.Most),
                          std::pair(&Nearer, &Near)}) {
    auto AtEnd = Evaluated(TotalsAt(*Ends));
    if (!AtEnd)
      return Fail(AtEnd.error());
    *To = std::move(*AtEnd);
  }
  for (const auto &[Class, Ignored] : Result.Counted.Counts.Values)
    addRange(Result, Class, *Result.Least, *Result.Most, *Near);
  openLeftOut(Result);
  setShares(Estimates);
  Result.Estimates = std::move(Estimates);
  return Result;
}

std::expected<EstimatedCounts, Error> Estimator::run(std::set<std::size_t> *NotHere) {
  ProgramNumbers Program(Entry.lookup());
  const bool HasRanges = std::ranges::any_of(
      Given, [](const GivenValue &Value) { return Value.Range && !Value.isNumber(); });
  const bool MayBeInNumbers = !HasRanges && !Entry.function().IsKernel;
  if (MayBeInNumbers && Entry.sites().isLarge(Entry.function()))
    return runInNumbers(NotHere, Program);
  auto Counted = Entry.counts(Given, NotHere, LongSums::Sampled);
  for (unsigned Round = 0; Counted && Round != MaxRounds && takeUnbound(*Counted); ++Round)
    Counted = count(estimatedNumbers());
  if (Entry.failure())
    return std::unexpected(*Entry.failure());
  // With estimates, code that does not run may divide by zero.
  if (!Counted && (Estimates.empty() || !MayBeInNumbers))
    return std::unexpected(Counted.error());
  // What formulas cannot have, numbers may.
  const bool IsTooLarge =
      !Counted || std::ranges::any_of(Counted->Counts.Unbound, [](const std::string &Symbol) {
        return Symbol.starts_with("formula:");
      });
  if (MayBeInNumbers && (IsTooLarge || leavesOutRecursion(Counted->Counts))) {
    Estimator InNumbers(Entry, {Given.begin(), Given.begin() + UserValues}, OfAccesses, SizeOf);
    InNumbers.Named = Named;
    auto Result = InNumbers.runInNumbers(NotHere, Program);
    if (!Result || IsTooLarge || !leavesOutRecursion(Result->Counted.Counts))
      return Result;
  }
  EstimatedCounts Result;
  Result.Counted = std::move(*Counted);
  const bool HasLikely = takeLikely(Result.Counted);
  for (const std::string &Class : Estimated)
    if (auto Found = Result.Counted.Counts.KnownAs.find(Class);
        Found != Result.Counted.Counts.KnownAs.end())
      Found->second = Known::Estimated;
  if (SizeOf && !Estimates.empty() && Result.Counted.Counts.Unbound.empty()) {
    Entry.dropLikely();
    compare(Result);
    if (HasLikely)
      Entry.takeLikely(givenNames());
    // The latest counts are those of the estimates again.
    if (auto Again = count(estimatedNumbers()); !Again)
      return std::unexpected(Again.error());
  }
  openLeftOut(Result);
  Result.Estimates = std::move(Estimates);
  return Result;
}

std::expected<EstimatedCounts, Error> estimateCounts(CountedEntry &Entry,
                                                     std::vector<GivenValue> Values,
                                                     std::set<std::size_t> *NotHere,
                                                     bool OfAccesses, const RunSize &SizeOf) {
  if (NotHere)
    return Estimator(Entry, std::move(Values), OfAccesses, SizeOf).run(NotHere);
  std::set<std::size_t> Others;
  auto Result = Estimator(Entry, Values, OfAccesses, SizeOf).run(&Others);
  std::erase_if(Others, [&](std::size_t Number) { return Values[Number].IsOptional; });
  if (!Result || Others.empty())
    return Result;
  // What is asked for may be given, with these values or without, though one may make others
  // needless.
  std::set<std::string> Asked;
  auto Collect = [&](const std::expected<EstimatedCounts, Error> &Found) {
    if (Found)
      for (const SymbolEstimate &E : Found->Estimates)
        Asked.insert(E.What.Symbol);
  };
  Collect(Result);
  std::vector<GivenValue> OfProgram;
  std::ranges::copy_if(Values, std::back_inserter(OfProgram), &GivenValue::IsOptional);
  std::set<std::size_t> Ignored;
  Collect(Estimator(Entry, std::move(OfProgram), OfAccesses, {}).run(&Ignored));
  for (const std::size_t Number : Others)
    Values[Number].IsOptional = Asked.contains(Values[Number].Name);
  Estimator Again(Entry, std::move(Values), OfAccesses, SizeOf);
  Again.Named = std::move(Asked);
  return Again.run(nullptr);
}

} // namespace ergon
