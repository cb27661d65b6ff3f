//===- RecordedWork.cpp - the workload of a recorded program --------------===//

#include "predict/tune/RecordedWork.h"
#include "predict/answer/Estimates.h"
#include "predict/text/Suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace ergon {

static const std::string Messages(name(CostClass::Messages)),
    MessageBytes(name(CostClass::MessageBytes));

/// The class of that name, or all that begin with it and an underscore.
static std::vector<std::string> classesNamed(const std::string &Name) {
  if (costClass(Name))
    return {Name};
  std::vector<std::string> Result;
  for (unsigned I = 0; I != NumCostClasses; ++I)
    if (name(CostClass(I)).starts_with(Name + "_"))
      Result.emplace_back(name(CostClass(I)));
  return Result;
}

std::expected<RecordedWork, Error> RecordedWork::of(CountedEntry &Entry, RecordedTerms Terms,
                                                    std::vector<GivenValue> Values,
                                                    std::vector<std::string> SizeNames,
                                                    std::vector<std::string> ProcessNames,
                                                    bool Strict) {
  RecordedWork Result;
  Result.Entry = &Entry;
  Result.IsStrict = Strict;
  Result.Values = std::move(Values);
  Result.SizeNames = std::move(SizeNames);
  Result.ProcessNames = std::move(ProcessNames);
  for (const Formula *F : {&Terms.Computation, &Terms.Memory})
    for (const std::string &Name : F->symbols()) {
      if (Name == "n" || Name == "p")
        continue;
      std::vector<std::string> &Classes = Result.Classes[Name] = classesNamed(Name);
      if (!Classes.empty())
        continue;
      std::vector<std::string> All;
      for (unsigned I = 0; I != NumCostClasses; ++I)
        All.emplace_back(name(CostClass(I)));
      return std::unexpected(Error{"no cost class is called " + inQuotes(Name), "",
                                   suggestName(Name, All), F->text()});
    }
  Result.Terms = std::move(Terms);
  return Result;
}

/// True where a requested value is missing: a class, or the cost of a call.
bool RecordedWork::needsMore(const EntryCounts &Counts) {
  std::set<std::string> Asked{Messages, MessageBytes}, Needed, ClassesResult;
  for (const auto &[Name, BS] : Classes)
    Asked.insert(BS.begin(), BS.end());
  for (const auto &[Class, Symbols] : Counts.Counts.Needs) {
    ClassesResult.insert(Symbols.begin(), Symbols.end());
    if (Asked.contains(Class))
      Needed.insert(Symbols.begin(), Symbols.end());
  }
  Unknowns.clear();
  for (const Unknown &U : Counts.Unknowns) // an open call's own cost is in no class
    if (Needed.contains(U.Symbol) || !ClassesResult.contains(U.Symbol))
      Unknowns.push_back(U);
  for (const auto &[Class, How] : Counts.Counts.KnownAs)
    if (Asked.contains(Class)) {
      Known &Weakest = KnownAs.try_emplace(Class, How).first->second;
      Weakest = std::max(Weakest, How);
    }
  for (const auto &[Name, Times] : Counts.Counts.LibraryCalls)
    if (const Function *Callee = Entry->lookup()(Name, Entry->function());
        Callee && Callee->Described.What == LibraryNote::Kind::Counted)
      LibraryCalls.insert(Name);
  return !Unknowns.empty();
}

std::expected<EntryCounts, Error> RecordedWork::countsOf(const std::vector<GivenValue> &All) {
  if (IsStrict)
    return Entry->counts(All);
  auto Estimated = estimateCounts(*Entry, All, nullptr, /*OfAccesses=*/false, {});
  if (!Estimated)
    return std::unexpected(Estimated.error());
  for (SymbolEstimate &E : Estimated->Estimates)
    Estimates.try_emplace(E.What.Symbol, std::move(E));
  return std::move(Estimated->Counted);
}

RecordedWork::Counted RecordedWork::count(double N, double P) {
  if (N >= TooLong)
    return std::unexpected(NoEfficiency{"a sum of the counts has too many terms there"});
  std::vector<GivenValue> All = Values;
  for (const auto &[Names, Number] : {std::pair(&SizeNames, N), std::pair(&ProcessNames, P)})
    for (const std::string &Name : *Names) {
      const Rational Whole = Rational::wholePartOf(std::nearbyint(Number));
      All.emplace_back(Name, Bounds{Whole, Whole}, Whole.get_str(),
                       fmt::format("--set {}={}", Name, Whole.get_str()));
    }
  const auto Found = countsOf(All);
  if (!Found) {
    Failure = Found.error();
    return std::unexpected(NoEfficiency{Failure->line()});
  }
  if (!Found->Counts.Ranges.empty()) {
    auto Given = std::ranges::find_if(Values, std::not_fn(&GivenValue::isNumber));
    Failure = Error{"an interval", "", "give one number", Given->Source};
    return std::unexpected(NoEfficiency{Failure->line()});
  }
  if (needsMore(*Found)) {
    if (Unknowns.front().Symbol.starts_with("formula:"))
      TooLong = N;
    return std::unexpected(NoEfficiency{"no value for " + Unknowns.front().Symbol});
  }
  auto Value = [&](const std::string &Class) {
    auto Given = Found->Counts.Values.find(Class);
    return Given == Found->Counts.Values.end() ? 0 : Given->second.get_d();
  };
  Formula::Values Given{{"n", N}, {"p", P}};
  for (const auto &[Name, ClassesOfName] : Classes) {
    double &Sum = Given[Name] = 0;
    for (const std::string &Class : ClassesOfName)
      Sum += Value(Class);
  }
  const auto Computation = Terms.Computation.evaluate(Given), Memory = Terms.Memory.evaluate(Given);
  for (const auto *V : {&Computation, &Memory})
    if (!*V)
      return std::unexpected(NoEfficiency{"no value for " + V->error().What});
  return OneProcess{*Computation, *Memory, Value(Messages), Value(MessageBytes)};
}

const RecordedWork::Counted &RecordedWork::ofOne(double N, double P) {
  auto Found = Done.find({N, P});
  if (Found == Done.end())
    Found = Done.emplace(std::pair(N, P), count(N, P)).first;
  return Found->second;
}

std::expected<Workload, NoEfficiency> RecordedWork::at(double N, double P) {
  const Counted &Alone = ofOne(N, 1), &Many = ofOne(N, P);
  if (!Alone || !Many)
    return std::unexpected((Alone ? Many : Alone).error());
  return Workload{.Computation = Alone->Computation,
                  .Memory = Alone->Memory,
                  .ComputationOverhead = P * Many->Computation - Alone->Computation,
                  .MemoryOverhead = P * Many->Memory - Alone->Memory,
                  .Messages = P * Many->Messages,
                  .MessageBytes = P * Many->MessageBytes};
}

} // namespace ergon
