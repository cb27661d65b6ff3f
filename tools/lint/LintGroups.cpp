//===- LintGroups.cpp - one finding for many accesses ---------------------===//

#include "tools/lint/LintGroups.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace ergon {

static void join(Finding &First, Finding &&Next) {
  First.Others.push_back({std::move(Next.Location), std::move(Next.Fingerprint)});
  First.Times += Next.Times;
  First.Saves += Next.Saves;
  if (!First.Saved || !Next.Saved) {
    First.Saved.reset(); // a part of it is not known
    return;
  }
  First.Saved->TimeS += Next.Saved->TimeS;
  First.Saved->EnergyJ += Next.Saved->EnergyJ;
  First.Saved->IsEstimated |= Next.Saved->IsEstimated;
}

void groupFindings(std::vector<Finding> &All) {
  std::map<std::tuple<std::string, std::string, std::string, FindingLevel, bool>, std::size_t>
      Firsts;
  std::vector<Finding> Result;
  for (Finding &F : All) {
    const bool IsAlone = F.Object.empty() || F.Suppressed || F.IsWorse;
    const auto [Position, IsFirst] =
        IsAlone ? std::pair(Firsts.end(), true)
                : Firsts.try_emplace({F.Rule, F.Mangled, F.Object, F.How, F.IsNew}, Result.size());
    if (IsFirst)
      Result.push_back(std::move(F));
    else
      join(Result[Position->second], std::move(F));
  }
  All = std::move(Result);
}

} // namespace ergon
