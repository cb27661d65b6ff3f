//===- Run.cpp - what a run told of unknowns ------------------------------===//

#include "model/program/Run.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <ranges>

namespace ergon {

static void addUp(const CountedFunction &Of, FunctionRun &Into) {
  for (const auto &[Symbol, Mean] : Of.Unknowns) {
    Into.Unknowns[Symbol].Sum += Mean.Sum;
    Into.Unknowns[Symbol].Times += Mean.Times;
  }
  for (const auto &[Symbol, Called] : Of.Calls)
    for (const CalledFunction &Each : Called) {
      CalledFunction &Sum = Into.Calls[Symbol][{Each.Unit, Each.Name}];
      Sum.Times += Each.Times;
      for (const auto &[Number, Value] : Each.Sums)
        Sum.Sums[Number] += Value;
    }
}

void Runs::add(const std::vector<ProcessRun> &Processes) {
  Counted &Into = Each.emplace_back();
  for (const ProcessRun &Process : Processes)
    for (const CountedFunction &Function : Process.Functions) {
      addUp(Function, Into.ByName[Function.Name]);
      addUp(Function, Into.ByUnit[{Function.Unit, Function.Name}]);
    }
}

std::optional<Rational> agreed(const std::vector<Rational> &Values, std::string &Why) {
  std::vector<Rational> Found;
  for (const Rational &Value : Values)
    if (std::ranges::find(Found, Value) == Found.end())
      Found.push_back(Value);
  if (Found.size() == 1)
    return Found.front();
  Why += Found.empty() ? "; none of the given runs executed it" : "; it hangs on the run: ";
  Why += joined(Found | std::views::transform([](const Rational &Each) { return Each.get_str(); }));
  return std::nullopt;
}

void Runs::bind(Function &Of, const std::string &Unit) const {
  std::vector<const FunctionRun *> CameBy;
  auto Take = [&](const auto &In, const auto &Key) {
    if (auto Function = In.find(Key); Function != In.end())
      CameBy.push_back(&Function->second);
  };
  for (const Counted &Run : Each)
    if (Of.IsLocal)
      Take(Run.ByUnit, std::pair(Unit, Of.Name));
    else
      Take(Run.ByName, Of.Name);
  for (Unknown &Open : Of.Unknowns) {
    std::vector<Rational> Found;
    for (const FunctionRun *Run : CameBy)
      if (auto Mean = Run->Unknowns.find(Open.Symbol);
          Mean != Run->Unknowns.end() && Mean->second.Times > 0)
        Found.emplace_back(mpz_class(std::int64_t(Mean->second.Sum)),
                           mpz_class(std::int64_t(Mean->second.Times)));
    // What a profile said stays where no run came by.
    if (auto Value = agreed(Found, Open.Why); Value || !Found.empty())
      Open.Measured = std::move(Value);
  }
  bindCalls(Of, Unit, CameBy);
}

} // namespace ergon
