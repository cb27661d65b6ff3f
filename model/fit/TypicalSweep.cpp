//===- TypicalSweep.cpp - what programs need in the mean ------------------===//

#include "model/fit/TypicalSweep.h"
#include "model/fit/Statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ergon {

using ClockPair = std::pair<double, double>;

static ClockPair clocksOf(const Setting &S) {
  return {S.CoreMhz.value_or(0), S.MemMhz.value_or(0)};
}

std::optional<TypicalEnergy> typicalEnergy(const Samples &S, const std::vector<bool> &IsUsed) {
  std::map<std::string, std::map<ClockPair, double>> Sweeps; // ln of energies
  std::map<std::string, std::string> FamilyOf;
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row)
    if (IsUsed[Row] && S.Rows[Row].EnergyJ && S.Rows[Row].Clocks.CoreMhz) {
      Sweeps[S.Rows[Row].Workload][clocksOf(S.Rows[Row].Clocks)] = std::log(*S.Rows[Row].EnergyJ);
      FamilyOf[S.Rows[Row].Workload] = familyOf(S.Rows[Row]);
    }
  std::erase_if(Sweeps, [](const auto &Sweep) { return Sweep.second.size() < 2; });
  if (Sweeps.size() < 2)
    return std::nullopt;
  static constexpr double Share = 0.9;
  std::map<ClockPair, std::size_t> Times;
  for (const auto &[Workload, Sweep] : Sweeps)
    for (const auto &[At, LogJ] : Sweep)
      ++Times[At];
  std::vector<ClockPair> Common;
  for (const auto &[At, Count] : Times)
    if (double(Count) >= Share * double(Sweeps.size()))
      Common.push_back(At);
  if (Common.size() < 2)
    return std::nullopt;
  std::ranges::reverse(Common); // a map's order: the highest clocks are last
  TypicalEnergy Result;
  for (const ClockPair &At : Common) {
    std::map<std::string, std::vector<double>> Families;
    std::vector<double> Means;
    for (const auto &[Workload, Sweep] : Sweeps) {
      if (!Sweep.contains(At) || !Sweep.contains(Common.front()))
        continue;
      Families[FamilyOf.at(Workload)].push_back(Sweep.at(At) - Sweep.at(Common.front()));
    }
    for (const auto &[Family, Logs] : Families)
      Means.push_back(mean(Logs));
    TypicalEnergy::At &Next = Result.Settings.emplace_back();
    Next.Clocks.CoreMhz = At.first;
    if (At.second > 0)
      Next.Clocks.MemMhz = At.second;
    Next.LogEnergy = mean(Means);
  }
  return Result;
}

} // namespace ergon
