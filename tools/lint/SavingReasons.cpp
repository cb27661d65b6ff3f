//===- SavingReasons.cpp - why a saving is none, or not known -------------===//

#include "tools/lint/SavingReasons.h"
#include "model/lint/Thresholds.h"
#include "predict/text/Text.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ergon {

/// Classes that change from \p F on and are in one of \p Lists, at both costs.
static std::vector<std::string>
among(const Finding &F, std::initializer_list<const std::vector<std::string> *> Lists) {
  std::vector<std::string> Result;
  for (const auto &[Class, Amount] : F.Saves) {
    const std::string Name(name(Class));
    if (std::ranges::any_of(
            Lists, [&](const auto *List) { return std::ranges::find(*List, Name) != List->end(); }))
      Result.push_back(Name);
  }
  return Result;
}

static std::string withoutCost(const std::string &Machine, const char *What,
                               const std::vector<std::string> &Classes) {
  return Machine + " has no " + What + " of " + joined(Classes);
}

static std::string boundText(const std::string &Bound) {
  if (Bound == "dram")
    return "bound by memory";
  if (Bound == "power_cap")
    return "bound by the power cap";
  return "bound by " + Bound;
}

void explainUnpriced(Finding &F, const std::string &Machine,
                     const std::vector<std::string> &Classes) {
  if (!F.Saves.empty())
    F.NotKnown = withoutCost(Machine, "cost", Classes);
}

void explainSaving(Finding &F, const Cost &Now, const std::optional<Cost> &Then, const Machine &M) {
  if (F.Saves.empty())
    return;
  if (!Then) {
    F.NotKnown = "the traffic of memory is not known apart from what is requested";
    return;
  }
  if (!Then->Missing.empty() || !F.Saved) {
    F.NotKnown = withoutCost(M.Name, "cost", Then->Missing);
    return;
  }
  const auto Unpriced = among(F, {&Now.Unpriced, &Then->Unpriced}),
             Untimed = among(F, {&Now.Unpriced, &Then->Unpriced, &Now.Untimed, &Then->Untimed});
  const bool SavesEnergy = differs(Now.EnergyJ.Value, Then->EnergyJ.Value),
             SavesTime = differs(Now.TimeS.Value, Then->TimeS.Value);
  if (!SavesEnergy && !SavesTime && !Unpriced.empty()) {
    F.Saved.reset();
    F.NotKnown = withoutCost(M.Name, "cost", Unpriced);
    return;
  }
  if (!SavesEnergy) {
    F.Saved->EnergyJ = 0;
    F.NoEnergy = !Now.hasEnergy()    ? M.Name + " has times alone"
                 : !Unpriced.empty() ? withoutCost(M.Name, "energy", Unpriced)
                                     : "what replaces it takes as much";
  }
  if (!SavesTime) {
    F.Saved->TimeS = 0;
    F.NoTime = !Untimed.empty() && Untimed.size() == std::size_t(std::ranges::distance(F.Saves))
                   ? withoutCost(M.Name, "rate", Untimed)
                   : boundText(Now.Bound);
  }
}

} // namespace ergon
