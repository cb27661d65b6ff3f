//===- CommandMachineCheck.cpp - ergon machine check ----------------------===//

#include "model/energy/MachineCheck.h"
#include "predict/store/MachineStore.h"
#include "tools/base/Commands.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

using nlohmann::ordered_json;

namespace ergon {

static void printJson(const std::string &File, const std::vector<CheckFinding> &Findings) {
  ordered_json Result = {
      {"schema", "ergon-check/1"}, {"file", File}, {"findings", ordered_json::array()}};
  for (const CheckFinding &Finding : Findings)
    Result["findings"].push_back({{"rule", Finding.Rule},
                                  {"severity", Finding.Impossible ? "impossible" : "implausible"},
                                  {"where", Finding.Where},
                                  {"what", Finding.What},
                                  {"mend", Finding.Fix}});
  fmt::print("{}\n", Result.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

int runMachineCheck(const std::string &File, bool Json) {
  const std::expected<Machine, Error> M = loadMachineFile(File);
  if (!M)
    return complain(M.error());
  const std::vector<CheckFinding> Findings = checkMachine(*M);
  if (Json)
    printJson(File, Findings);
  for (const CheckFinding &Finding : Findings)
    if (!Json)
      fmt::print(stderr, "ergon: {}{} [{}]\n", Finding.Impossible ? "" : "warning: ",
                 Error{Finding.What, Finding.Where, Finding.Fix, File}.line(), Finding.Rule);
  if (Findings.empty()) {
    if (!Json)
      fmt::print("{}: ok\n", File);
    return Done;
  }
  const bool Impossible =
      std::ranges::any_of(Findings, [](const CheckFinding &CF) { return CF.Impossible; });
  return Impossible ? BadInput : ExitStatus::Findings;
}

} // namespace ergon
