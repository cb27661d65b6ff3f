//===- CommandMachineHere.cpp - ergon machine here ------------------------===//

#include "formats/json/TextFile.h"
#include "formats/profile/CacheFormat.h"
#include "formats/profile/ProfileFormat.h"
#include "model/traffic/CacheHierarchy.h"
#include "predict/text/Text.h"
#include "tools/base/Commands.h"
#include "tools/base/HostCaches.h"
#include "tools/view/CacheView.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>

namespace ergon {

using Json = nlohmann::ordered_json;

/// A profile of caches alone.
static Machine profileOf(const HostCaches &Found, const std::string &Name) {
  Machine M;
  M.Name = Name;
  M.Description = (Found.Processor.empty() ? std::string("A machine") : Found.Processor) +
                  ": its caches as the operating system tells of them, and no costs.";
  M.Kind = MachineKind::Cpu;
  M.Topology.Caches = Found.Levels;
  const std::string Today = fmt::format(
      "{:%Y-%m-%d}", std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  M.Sources["hwloc"] = {SourceKind::Measured,
                        Found.Library + (Found.Processor.empty() ? "" : " on " + Found.Processor),
                        Today, "",
                        std::string("what the system tells; a virtual machine may tell of others")};
  return M;
}

static void printText(const HostCaches &Found, const Machine &M) {
  fmt::print("{}{} core{}, by {}\n", Found.Processor.empty() ? "" : Found.Processor + ": ",
             Found.Cores, Found.Cores == 1 ? "" : "s", Found.Library);
  fmt::print("{}", cacheLines(M));
  for (const std::string &Remark : Found.Remarks)
    fmt::print("  {}\n", Remark);
  if (!Found.Unknown.empty())
    fmt::print("  not told: {}; write it into a profile (-o FILE), or give --caches\n",
               joined(Found.Unknown));
  fmt::print("  not told by any system: write policy; taken as write-back and write-allocate\n");
}

static void printJson(const HostCaches &Found) {
  const Json Document = {
      {"schema", "ergon-here/1"}, {"processor", Found.Processor},        {"cores", Found.Cores},
      {"by", Found.Library},      {"caches", writeCaches(Found.Levels)}, {"unknown", Found.Unknown},
      {"remarks", Found.Remarks}};
  fmt::print("{}\n", Document.dump(2, ' ', false, Json::error_handler_t::replace));
}

int runMachineHere(const HereOptions &Options) {
  auto Found = findHostCaches();
  if (!Found)
    return complain(Found.error());
  const std::string Name = !Options.Name.empty() ? Options.Name
                           : !Options.Output.empty()
                               ? std::filesystem::path(Options.Output).stem().string()
                               : "here";
  const Machine M = profileOf(*Found, Name);
  if (auto Wrong = checkCaches(M.Topology.Caches))
    return complain({"what is told makes no sense: " + *Wrong, "",
                     "write the caches down: docs/formats/profile.md", "hwloc"});
  if (!Options.Output.empty()) {
    const std::string Profile = writeProfile(M);
    if (auto Refused = parseProfile(Profile); !Refused)
      return complain(Refused.error());
    if (auto Written = writeTextFile(Options.Output, Profile); !Written)
      return complain(Written.error());
  }
  if (Options.Json)
    printJson(*Found);
  else
    printText(*Found, M);
  return Done;
}

} // namespace ergon
