//===- LintBaseline.cpp - findings against a baseline ---------------------===//

#include "tools/lint/LintBaseline.h"
#include "formats/prediction/LintFormat.h"
#include "predict/store/ParsedFile.h"
#include "predict/text/Text.h"
#include "tools/base/Commands.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace ergon {

/// `2 mJ, and was 1 mJ`; empty where it is not worse by \p Least.
static std::string increase(const Saving &Was, const Saving &Now, const Thresholds &Least) {
  std::string Result;
  if (Now.EnergyJ > Was.EnergyJ && Least.exceededByEnergy(Was.EnergyJ, Now.EnergyJ))
    Result = quantity(Now.EnergyJ, "J") + ", and was " + quantity(Was.EnergyJ, "J");
  if (Now.TimeS > Was.TimeS && Least.exceededByTime(Was.TimeS, Now.TimeS))
    Result += (Result.empty() ? "" : "; ") + quantity(Now.TimeS, "s") + ", and was " +
              quantity(Was.TimeS, "s");
  return Result;
}

/// Why costs of \p Known say nothing of \p Report; empty where they do.
static std::string mismatch(const Baseline &Known, const LintReport &Report) {
  if (Known.Machine.empty())
    return "it has no costs";
  if (Known.Machine != Report.Machine)
    return "its costs are of " + Known.Machine;
  if (Known.Sets != Report.Sets)
    return Known.Sets.empty() ? "its costs are without --set"
                              : "its costs are with " + joined(Known.Sets);
  return "";
}

/// The known finding for each of \p Report, or null. One that has no other findings is that of
/// equal code in a function that was renamed, or with another comment.
static std::vector<const Baseline::Known *> match(const Baseline &Known, const LintReport &Report) {
  std::vector<const Baseline::Known *> Result(Report.Findings.size());
  std::set<std::string_view> Present;
  for (std::size_t I = 0; I != Result.size(); ++I)
    if (const auto Found = Known.Findings.find(Report.Findings[I].Fingerprint);
        Found != Known.Findings.end() && Report.Findings[I].Rule != "budget") {
      Result[I] = &Found->second;
      Present.insert(Found->first);
    }
  std::multimap<std::string_view, const Baseline::Known *> Gone;
  for (const auto &[Fingerprint, K] : Known.Findings)
    if (!K.Content.empty() && !Present.contains(Fingerprint))
      Gone.emplace(K.Content, &K);
  for (std::size_t I = 0; I != Result.size(); ++I)
    if (const auto Found = Gone.find(Report.Findings[I].Content);
        !Result[I] && Found != Gone.end()) {
      Result[I] = Found->second;
      Gone.erase(Found);
    }
  return Result;
}

std::optional<Error> compareWithBaseline(const std::string &Path, const Thresholds &Least,
                                         LintReport &Report) {
  if (std::error_code Failed; !std::filesystem::exists(Path, Failed) && !Failed) {
    printNotice(Path + ": there is no such baseline, so every finding is new; "
                       "--write-baseline FILE writes one");
    return std::nullopt;
  }
  const auto Known = parseFile(Path, parseBaseline);
  if (!Known)
    return Known.error();
  const std::string Differs = mismatch(*Known, Report);
  const auto Matches = match(*Known, Report);
  bool LeavesOut = false;
  for (std::size_t I = 0; I != Report.Findings.size(); ++I) {
    Finding &F = Report.Findings[I];
    if (!Matches[I])
      continue;
    const auto &Was = Matches[I]->Excess;
    const auto Now = excessOf(F);
    const bool IsComparable = Was && Now && Differs.empty();
    if (F.Rule == "regression" && !IsComparable) {
      F.Causes.emplace_back("the baseline does not say how large it was" +
                            (Differs.empty() ? "" : ": " + Differs));
      F.IsWorse = true;
    } else if (IsComparable) {
      const std::string More = increase(*Was, *Now, Least);
      F.IsWorse = !More.empty();
      if (F.IsWorse)
        F.Causes.push_back("worse than in the baseline: " + More);
    } else {
      LeavesOut |= Now.has_value();
    }
    F.IsNew = F.IsWorse;
  }
  if (LeavesOut)
    printNotice(Path + ": " + (Differs.empty() ? "some findings have no costs there" : Differs) +
                ", so it is not known whether known findings got worse");
  return std::nullopt;
}

} // namespace ergon
