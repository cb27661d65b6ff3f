//===- Powercap.cpp - RAPL by the powercap tree ---------------------------===//
//
// Linux, Documentation/power/powercap/powercap.rst: a zone is a folder with `name`, `energy_uj`
// and `max_energy_range_uj`, the range of that counter. `/sys/class/powercap` shows all zones side
// by side; a sub-zone's folder is named after its parent's: intel-rapl:0 and intel-rapl:0:1.
//
//===----------------------------------------------------------------------===//

#include "runtime/meters/EnergyFile.h"

#include <map>

namespace ergon::runtime {
namespace {

/// Intel's manual (Software Developer's Manual, volume 3B, "RAPL Interfaces"): the energy status
/// registers are updated about every millisecond.
constexpr std::int64_t UpdatePeriod = Millisecond;

/// The zones' folders by their own names; a folder may show its sub-zones again.
void findZones(const std::string &Folder, int Depth, std::map<std::string, std::string> &Result) {
  for (const std::string &Name : namesIn(Folder)) {
    const bool IsZone = Name.contains(':');
    // A control type is no zone; `device`, `power` and `subsystem` lead elsewhere.
    if (!IsZone && (Depth != 0 || Name == "subsystem" || Name == "device" || Name == "power"))
      continue;
    const std::string Path = Folder + "/" + Name;
    if (IsZone && exists(Path + "/energy_uj") && !Result.emplace(Name, Path).second)
      continue;
    if (Depth < 3)
      findZones(Path, Depth + 1, Result);
  }
}

} // namespace

void findPowercap(FoundMeters &Result) {
  const std::string Root = fromEnvironment("ERGON_POWERCAP_ROOT", "/sys/class/powercap");
  std::map<std::string, std::string> Zones;
  findZones(Root, 0, Zones);
  if (Zones.empty()) {
    Result.unread("powercap", Root + " has no zone with an energy_uj");
    return;
  }
  for (const auto &[Id, Folder] : Zones) {
    std::string Covers = readLine(Folder + "/name");
    if (Covers.empty())
      Covers = Id;
    for (std::string Outer = Id; Outer.find(':') != Outer.rfind(':');) {
      Outer.resize(Outer.rfind(':'));
      if (auto Around = Zones.find(Outer); Around != Zones.end())
        Covers = readLine(Around->second + "/name") + "/" + Covers;
    }
    std::int64_t Range = 0;
    readNumber((Folder + "/max_energy_range_uj").c_str(), Range); // without it, it never goes back
    Result.Meters.push_back(std::make_unique<EnergyFile>("powercap/" + Id, Covers, UpdatePeriod,
                                                         Folder + "/energy_uj",
                                                         std::uint64_t(Range < 0 ? 0 : Range)));
  }
}

} // namespace ergon::runtime
