//===- RunScope.cpp - the part of a run that is asked about ---------------===//

#include "model/program/RunScope.h"
#include "model/machine/CostClass.h"

#include <utility>

namespace ergon {

std::string_view name(RunScope Scope) {
  static constexpr std::string_view Names[] = {"all", "kernels", "host"};
  return Names[unsigned(Scope)];
}

CountValues countsIn(CountValues Counts, RunScope Scope) {
  if (Scope == RunScope::All || (Scope == RunScope::Host && Counts.Parts.empty()))
    return Counts;
  std::vector<PartValues> Kept;
  for (PartValues &Part : Counts.Parts) {
    const bool IsHost = &Part == &Counts.Parts.front();
    const bool KeepsCopies = IsHost && Scope == RunScope::Kernels;
    if (!KeepsCopies && IsHost != (Scope == RunScope::Host))
      continue;
    std::erase_if(Part.Values,
                  [&](const auto &Class) { return IsHost && isCopy(Class.first) != KeepsCopies; });
    std::erase_if(Part.Ranges,
                  [&](const auto &Class) { return !Part.Values.contains(Class.first); });
    Kept.push_back(std::move(Part));
  }
  Counts.Values.clear();
  Counts.Ranges.clear();
  for (const PartValues &Part : Kept)
    for (const auto &[Class, Units] : Part.Values) {
      Counts.Values[Class] += Units;
      if (auto Range = Part.Ranges.find(Class); Range != Part.Ranges.end()) {
        Bounds &Sum = Counts.Ranges.try_emplace(Class, Bounds{0, 0}).first->second;
        Sum = {Sum.Low + Range->second.Low, Sum.High + Range->second.High};
      }
    }
  std::erase_if(Counts.KnownAs,
                [&](const auto &Class) { return !Counts.Values.contains(Class.first); });
  if (Scope == RunScope::Host)
    Kept.clear(); // one processor runs all of it
  Counts.Parts = std::move(Kept);
  return Counts;
}

} // namespace ergon
