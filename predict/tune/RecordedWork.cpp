//===- RecordedWork.cpp - the workload of a recorded program --------------===//

#include "predict/tune/RecordedWork.h"
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
                                                    std::vector<std::string> NIs,
                                                    std::vector<std::string> PIs) {
  RecordedWork Result;
  Result.Entry = &Entry;
  Result.Values = std::move(Values);
  Result.NIs = std::move(NIs);
  Result.PIs = std::move(PIs);
  for (const Formula *Each : {&Terms.Computation, &Terms.Memory})
    for (const std::string &Name : Each->symbols()) {
      if (Name == "n" || Name == "p")
        continue;
      std::vector<std::string> &Classes = Result.Classes[Name] = classesNamed(Name);
      if (!Classes.empty())
        continue;
      std::vector<std::string> All;
      for (unsigned I = 0; I != NumCostClasses; ++I)
        All.emplace_back(name(CostClass(I)));
      return std::unexpected(Error{"no cost class is called " + inQuotes(Name), "",
                                   suggestName(Name, All), Each->text()});
    }
  Result.Terms = std::move(Terms);
  return Result;
}

/// True where something that is asked for has no value: a class, or what a call costs.
bool RecordedWork::needsMore(const EntryCounts &Of) {
  std::set<std::string> Asked{Messages, MessageBytes}, Needed, OfClasses;
  for (const auto &[Name, Each] : Classes)
    Asked.insert(Each.begin(), Each.end());
  for (const auto &[Class, Symbols] : Of.Counts.Needs) {
    OfClasses.insert(Symbols.begin(), Symbols.end());
    if (Asked.contains(Class))
      Needed.insert(Symbols.begin(), Symbols.end());
  }
  Unknowns.clear();
  for (const Unknown &Each : Of.Unknowns) // an open call's own cost is in no class
    if (Needed.contains(Each.Symbol) || !OfClasses.contains(Each.Symbol))
      Unknowns.push_back(Each);
  for (const auto &[Class, How] : Of.Counts.KnownAs)
    if (Asked.contains(Class)) {
      Known &Weakest = KnownAs.try_emplace(Class, How).first->second;
      Weakest = std::max(Weakest, How);
    }
  for (const auto &[Name, Times] : Of.Counts.LibraryCalls)
    LibraryCalls.insert(Name);
  return !Unknowns.empty();
}

RecordedWork::Counted RecordedWork::count(double N, double P) {
  if (N >= TooLong)
    return std::unexpected(NoEfficiency{"a sum of the counts has too many terms there"});
  std::vector<GivenValue> All = Values;
  for (const auto &[Names, Number] : {std::pair(&NIs, N), std::pair(&PIs, P)})
    for (const std::string &Name : *Names) {
      const Rational Whole{mpz_class(std::nearbyint(Number))};
      All.emplace_back(Name, Bounds{Whole, Whole}, Whole.get_str(),
                       fmt::format("--set {}={}", Name, Whole.get_str()));
    }
  const auto Found = Entry->counts(All);
  if (!Found) {
    Failure = Found.error();
    return std::unexpected(NoEfficiency{Failure->line()});
  }
  if (!Found->Counts.Between.empty()) {
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
  for (const auto &[Name, Each] : Classes) {
    double &Sum = Given[Name] = 0;
    for (const std::string &Class : Each)
      Sum += Value(Class);
  }
  const auto Computation = Terms.Computation.evaluate(Given), Memory = Terms.Memory.evaluate(Given);
  for (const auto *Each : {&Computation, &Memory})
    if (!*Each)
      return std::unexpected(NoEfficiency{"no value for " + Each->error().What});
  return OneProcess{*Computation, *Memory, Value(Messages), Value(MessageBytes)};
}

const RecordedWork::Counted &RecordedWork::ofOne(double N, double P) {
  auto Found = Done.find({N, P});
  if (Found == Done.end())
    Found = Done.emplace(std::pair(N, P), count(N, P)).first;
  return Found->second;
}

std::expected<Workload, NoEfficiency> RecordedWork::at(double N, double P) {
  const Counted &Alone = ofOne(N, 1), &OfMany = ofOne(N, P);
  if (!Alone || !OfMany)
    return std::unexpected((Alone ? OfMany : Alone).error());
  return Workload{.Computation = Alone->Computation,
                  .Memory = Alone->Memory,
                  .ComputationOverhead = P * OfMany->Computation - Alone->Computation,
                  .MemoryOverhead = P * OfMany->Memory - Alone->Memory,
                  .Messages = P * OfMany->Messages,
                  .MessageBytes = P * OfMany->MessageBytes};
}

} // namespace ergon
