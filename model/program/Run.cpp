//===- Run.cpp - values of unknowns from runs -----------------------------===//

#include "model/program/Run.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <ranges>

namespace ergon {

static void addUp(const CountedFunction &Function, FunctionRun &Result) {
  for (const auto &[Symbol, Mean] : Function.Unknowns) {
    Result.Unknowns[Symbol].Sum += Mean.Sum;
    Result.Unknowns[Symbol].Times += Mean.Times;
  }
  for (const auto &[Symbol, Called] : Function.Calls)
    for (const CalledFunction &CF : Called) {
      CalledFunction &Sum = Result.Calls[Symbol][{CF.Unit, CF.Name}];
      Sum.Times += CF.Times;
      for (const auto &[Number, Value] : CF.Sums)
        Sum.Sums[Number] += Value;
    }
}

void Runs::add(const std::vector<ProcessRun> &Processes) {
  Counted &Result = CountedRuns.emplace_back();
  for (const ProcessRun &Process : Processes)
    for (const CountedFunction &Function : Process.Functions) {
      addUp(Function, Result.ByName[Function.Name]);
      addUp(Function, Result.ByUnit[{Function.Unit, Function.Name}]);
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
  Why += joined(Found | std::views::transform([](const Rational &R) { return R.get_str(); }));
  return std::nullopt;
}

void Runs::bind(Function &F, const std::string &Unit) const {
  std::vector<const FunctionRun *> CameBy;
  auto Take = [&](const auto &Item, const auto &Key) {
    if (auto Function = Item.find(Key); Function != Item.end())
      CameBy.push_back(&Function->second);
  };
  for (const Counted &Run : CountedRuns)
    if (F.IsLocal)
      Take(Run.ByUnit, std::pair(Unit, F.Name));
    else
      Take(Run.ByName, F.Name);
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
  bindCalls(F, Unit, CameBy);
}

} // namespace ergon
