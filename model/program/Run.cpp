//===- Run.cpp - values of unknowns from runs -----------------------------===//

#include "model/program/Run.h"
#include "model/program/RunFit.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <charconv>
#include <ranges>

namespace ergon {

/// What tells \p Called apart at the call \p Symbol: the function, or the arguments of a library's.
static std::pair<std::string, std::string> keyOf(const std::string &Symbol,
                                                 const CalledFunction &Called) {
  if (!isArgumentSymbol(Symbol))
    return {Called.Unit, Called.Name};
  std::string Text;
  for (const auto &[Number, Sum] : Called.Sums)
    Text += (Text.empty() ? "" : ", ") +
            Rational(Sum, std::max<std::int64_t>(Called.Times, 1)).get_str();
  return {"", Text};
}

static void addUp(const CountedFunction &Function, FunctionRun &Result) {
  for (const auto &[Symbol, Mean] : Function.Unknowns) {
    Result.Unknowns[Symbol].Sum += Mean.Sum;
    Result.Unknowns[Symbol].Times += Mean.Times;
  }
  for (const auto &[Symbol, Called] : Function.Calls)
    for (const CalledFunction &CF : Called) {
      CalledFunction &Sum = Result.Calls[Symbol][keyOf(Symbol, CF)];
      Sum.Times += CF.Times;
      for (const auto &[Number, Value] : CF.Sums)
        Sum.Sums[Number] += Value;
    }
}

void Runs::add(const std::vector<ProcessRun> &Processes) {
  Counted &Result = CountedRuns.emplace_back();
  bool IsFirst = true;
  for (const ProcessRun &Process : Processes) {
    if (Process.Functions.empty())
      continue;
    if (IsFirst)
      Result.Arguments = Process.Arguments;
    else if (Result.Arguments != Process.Arguments)
      Result.Arguments.reset();
    IsFirst = false;
  }
  for (const ProcessRun &Process : Processes)
    for (const CountedFunction &Function : Process.Functions) {
      addUp(Function, Result.ByName[Function.Name]);
      addUp(Function, Result.ByUnit[{Function.Unit, Function.Name}]);
      if (!Function.Checksum.empty())
        Checksums[Function.Unit].insert(Function.Checksum);
    }
}

const std::set<std::string> &Runs::checksumsOf(const std::string &Unit) const {
  static const std::set<std::string> None;
  auto Found = Checksums.find(Unit);
  return Found == Checksums.end() ? None : Found->second;
}

std::optional<Rational> agreed(const std::vector<Rational> &Values, std::string &Why) {
  std::vector<Rational> Found;
  for (const Rational &Value : Values)
    if (std::ranges::find(Found, Value) == Found.end())
      Found.push_back(Value);
  if (Found.size() == 1)
    return Found.front();
  Why += Found.empty() ? "; none of the given runs executed it" : "; it hangs on the run: ";
  Why += joined(Found | std::views::transform([](const Rational &R) { return R.get_str(); }));
  return std::nullopt;
}

static std::optional<Rational> wholeNumber(const std::string &Word) {
  std::int64_t Result = 0;
  const auto [End, Bad] = std::from_chars(Word.data(), Word.data() + Word.size(), Result);
  return Bad == std::errc() && End == Word.data() + Word.size() ? std::optional(Rational(Result))
                                                                : std::nullopt;
}

bool Runs::fitTo(const std::vector<std::string> &Arguments) {
  std::optional<std::size_t> Position;
  SizeOfRuns.reset();
  for (const Counted &Run : CountedRuns) {
    if (!Run.Arguments || Run.Arguments->size() != Arguments.size())
      return false;
    for (std::size_t I = 0; I != Arguments.size(); ++I)
      if ((*Run.Arguments)[I] != Arguments[I] && Position.value_or(I) != I)
        return false;
      else if ((*Run.Arguments)[I] != Arguments[I])
        Position = I;
  }
  if (!Position || CountedRuns.size() < 2)
    return false;
  Size Result{"argv[" + std::to_string(*Position + 1) + "]", {}, {}};
  for (const Counted &Run : CountedRuns) {
    auto Number = wholeNumber((*Run.Arguments)[*Position]);
    if (!Number)
      return false;
    Result.Had.push_back(*Number);
  }
  auto Asked = wholeNumber(Arguments[*Position]);
  if (!Asked)
    return false;
  Result.Asked = *Asked;
  SizeOfRuns = std::move(Result);
  return true;
}

/// What a run of the size asked for would count of a function, of which \p ByRun has one of each
/// run; null where it did not come by.
FunctionRun Runs::fitted(const std::vector<const FunctionRun *> &ByRun) {
  FunctionRun Result;
  std::size_t Largest = 0;
  for (std::size_t I = 0; I != ByRun.size(); ++I)
    if (ByRun[I] && (!ByRun[Largest] || SizeOfRuns->Had[Largest] < SizeOfRuns->Had[I]))
      Largest = I;
  Result.Calls = ByRun[Largest]->Calls; // shares of the largest run
  std::erase_if(Result.Calls, [](const auto &Site) { return isArgumentSymbol(Site.first); });
  for (const auto &[Symbol, Ignored] : ByRun[Largest]->Unknowns) {
    std::vector<std::pair<Rational, Rational>> Points;
    for (std::size_t I = 0; I != ByRun.size(); ++I)
      if (ByRun[I])
        if (auto Mean = ByRun[I]->Unknowns.find(Symbol);
            Mean != ByRun[I]->Unknowns.end() && Mean->second.Times > 0)
          Points.emplace_back(SizeOfRuns->Had[I], Rational(Mean->second.Sum, Mean->second.Times));
    if (Points.empty()) { // no run reached it
      Result.Unknowns.insert(*ByRun[Largest]->Unknowns.find(Symbol));
      continue;
    }
    const std::string From = ", from " + std::to_string(Points.size()) + " runs";
    auto Fit = fittedAt(Points, SizeOfRuns->Asked, SizeOfRuns->Name);
    if (!Fit)
      continue;
    // A ratio of counts, to seven digits where it is not whole.
    static constexpr std::int64_t Parts = 10'000'000, Most = std::int64_t(1) << 39;
    const bool IsLarge = Fit->Value >= Rational(Most) || Fit->Value.isInteger();
    const Rational Sum = floorOf(Fit->Value * Rational(IsLarge ? 1 : Parts) + Rational(1, 2));
    if (!Sum.asWord())
      continue;
    Result.Unknowns[Symbol] = {*Sum.asWord(), IsLarge ? 1 : Parts};
    if (isUnknownSymbol(Symbol) && std::ranges::any_of(Points, [&](const auto &Point) {
          return Point.second != Points.front().second;
        }))
      Fits.insert(Symbol + " " + Fit->Text + From +
                  (Fit->IsUnchecked ? ", which no further run confirms" : ""));
  }
  return Result;
}

std::optional<Rational> Runs::threads() const {
  std::vector<Rational> Found;
  for (const Counted &Run : CountedRuns) {
    RunMean Sum;
    for (const auto &[Name, Function] : Run.ByName)
      if (auto Own = Function.Unknowns.find("omp.threads"); Own != Function.Unknowns.end()) {
        Sum.Sum += Own->second.Sum;
        Sum.Times += Own->second.Times;
      }
    if (Sum.Times > 0)
      Found.emplace_back(Sum.Sum, Sum.Times);
  }
  std::string Ignored;
  const auto Result = agreed(Found, Ignored);
  return Result && Result->isInteger() && *Result > 0 ? Result : std::nullopt;
}

void Runs::bind(Function &F, const std::string &Unit) {
  std::vector<const FunctionRun *> ByRun;
  auto Take = [&](const auto &Item, const auto &Key) {
    auto Function = Item.find(Key);
    ByRun.push_back(Function == Item.end() ? nullptr : &Function->second);
  };
  for (const Counted &Run : CountedRuns)
    if (F.IsLocal)
      Take(Run.ByUnit, std::pair(Unit, F.Name));
    else
      Take(Run.ByName, F.Name);
  std::vector<const FunctionRun *> CameBy = ByRun;
  std::erase(CameBy, nullptr);
  FunctionRun Fitted;
  const bool IsFitted = SizeOfRuns && !CameBy.empty();
  if (IsFitted) {
    Fitted = fitted(ByRun);
    CameBy = {&Fitted};
  }
  for (Unknown &Open : F.Unknowns) {
    std::vector<Rational> Found;
    for (const FunctionRun *Run : CameBy)
      if (auto Mean = Run->Unknowns.find(Open.Symbol);
          Mean != Run->Unknowns.end() && Mean->second.Times > 0)
        Found.emplace_back(Mean->second.Sum, Mean->second.Times);
    // A profile's value stays where no run reached the code.
    if (auto Value = agreed(Found, Open.Why); Value || !Found.empty())
      Open.Measured = std::move(Value);
  }
  auto Measured = asRun(F, CameBy);
  bindCalls(F, Unit, CameBy);
  if (Measured)
    bindCalls(*Measured, Unit, CameBy);
  if (IsFitted)
    for (Function *Each : {&F, Measured.get()})
      if (Each)
        Each->Body.TripsKnown = Known::Estimated;
  F.AsRun = std::move(Measured);
}

} // namespace ergon
