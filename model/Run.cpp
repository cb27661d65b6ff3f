//===- Run.cpp - what a run told of unknowns ------------------------------===//

#include "model/Run.h"
#include "model/Rational.h"

#include <algorithm>

namespace ergon {

void Runs::add(const std::vector<ProcessRun> &Processes) {
  Counted &Into = Each.emplace_back();
  for (const ProcessRun &Process : Processes)
    for (const CountedFunction &Function : Process.Functions)
      for (const auto &[Symbol, Mean] : Function.Unknowns)
        for (RunMean *Sum : {&Into.ByName[Function.Name][Symbol],
                             &Into.ByUnit[{Function.Unit, Function.Name}][Symbol]}) {
          Sum->Sum += Mean.Sum;
          Sum->Times += Mean.Times;
        }
}

void Runs::bind(Function &Of, const std::string &Unit) const {
  for (Unknown &Open : Of.Unknowns) {
    std::vector<Rational> Found;
    auto Take = [&](const auto &In, const auto &Key) {
      auto Function = In.find(Key);
      if (Function == In.end())
        return;
      auto Mean = Function->second.find(Open.Symbol);
      if (Mean == Function->second.end() || Mean->second.Times <= 0)
        return;
      Rational Value(mpz_class(long(Mean->second.Sum)), mpz_class(long(Mean->second.Times)));
      if (std::ranges::find(Found, Value) == Found.end())
        Found.push_back(std::move(Value));
    };
    for (const Counted &Run : Each)
      if (Of.IsLocal)
        Take(Run.ByUnit, std::pair(Unit, Of.Name));
      else
        Take(Run.ByName, Of.Name);
    if (Found.size() == 1) {
      Open.Measured = Found.front();
      continue;
    }
    if (Found.empty()) {
      Open.Why += "; no run that was given came by";
      continue;
    }
    Open.Measured.reset();
    Open.Why += "; it hangs on the run: ";
    for (const Rational &Value : Found)
      Open.Why += (&Value == &Found.front() ? "" : ", ") + Value.get_str();
  }
}

} // namespace ergon
