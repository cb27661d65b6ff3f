//===- CommandRoofs.cpp - ergon machine roofs -----------------------------===//
//
// The curves of the cache-aware rooflines at one setting: attainable performance of
// each memory level, power hills, the envelope over mixtures of levels, efficiency.
//
//===----------------------------------------------------------------------===//

#include "formats/json/TextFile.h"
#include "model/machine/CostClass.h"
#include "predict/store/MachineStore.h"
#include "predict/text/Text.h"
#include "report/output/Svg.h"
#include "tools/base/Commands.h"
#include "tools/machine/RoofsPlot.h"
#include "tools/machine/RoofsView.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <expected>

using nlohmann::ordered_json;

namespace ergon {

/// The setting with the clocks that were asked for; those that were not are the default's.
/// One that the profile does not list has clocks alone.
static std::expected<Setting, Error> settingFor(const Machine &M, const RoofsOptions &Options) {
  const Setting &Default = M.defaultSetting();
  const auto CoreMhz = Options.CoreMhz ? Options.CoreMhz : Default.CoreMhz;
  const auto MemMhz = Options.MemMhz ? Options.MemMhz : Default.MemMhz;
  if ((Options.CoreMhz && !Default.CoreMhz) || (Options.MemMhz && !Default.MemMhz))
    return std::unexpected(Error{"the rates of " + M.Name + " follow no such clock", "",
                                 "leave --core-mhz and --mem-mhz out", ""});
  for (double Mhz : {CoreMhz.value_or(1), MemMhz.value_or(1)})
    if (!(Mhz > 0 && std::isfinite(Mhz)))
      return std::unexpected(Error{"a clock is not a number above 0", "", "give it in MHz", ""});
  if (const Setting *Listed = M.findSetting(CoreMhz, MemMhz))
    return *Listed;
  return Setting{CoreMhz, MemMhz, {}, {}, ""};
}

namespace {
/// Roofs of one class of flops and the intensities to show them at.
struct Curves {
  CacheRoofs Roofs;
  std::vector<double> Intensities;
};
} // namespace

static std::expected<std::vector<Curves>, Error> collect(const Machine &M, const Setting &Clocks,
                                                         const RoofsOptions &Options) {
  if (std::ranges::any_of(Options.Intensities, [](double Intensity) { return !(Intensity >= 0); }))
    return std::unexpected(
        Error{"an --intensity is not a number of 0 or above", "", "give flops per byte", ""});
  std::vector<Curves> Result;
  for (const auto &[Class, Rate] : M.Timing.Throughputs) {
    if (!isFlops(Class) || (!Options.Flops.empty() && Class != Options.Flops))
      continue;
    Curves C{cacheRoofs(M, Clocks, Class), Options.Intensities};
    if (C.Intensities.empty())
      C.Intensities = intensitiesAround(C.Roofs, 1);
    Result.push_back(std::move(C));
  }
  if (Result.empty())
    return std::unexpected(
        Error{"the profile of " + M.Name + " has no rate of " +
                  (Options.Flops.empty() ? "flops" : Options.Flops),
              "", "see `ergon machine show " + Options.Machine + "` for those it has", ""});
  return Result;
}

static ordered_json toJson(const Curves &C) {
  ordered_json Result = roofsToJson(C.Roofs);
  for (double Intensity : C.Intensities) {
    ordered_json Point = {{"intensity", Intensity}};
    for (const LevelRoof &Level : C.Roofs.Levels) {
      ordered_json &Json =
          Point["levels"][Level.Level] = {{"flops_per_s", Level.attainable(Intensity)}};
      for (const auto &[Domain, Hill] : Level.Hills)
        Json["power"][std::string(name(Domain))] = {{"power_w", Hill.power(Intensity)},
                                                    {"j_per_flop", Hill.energy(1, Intensity)},
                                                    {"flops_per_j", Hill.efficiency(Intensity)}};
    }
    for (std::size_t D = 0; D != PowerDomainNames.size(); ++D)
      if (const auto Hills = C.Roofs.hills(PowerDomain(D)); !Hills.empty())
        Point["total_power_w"][std::string(PowerDomainNames[D])] = totalPower(Hills, Intensity);
    Result["curve"].push_back(std::move(Point));
  }
  return Result;
}

static void printCells(std::string_view Title, const std::vector<std::string> &Columns) {
  fmt::print("\n{}\n{:>10}", Title, "flops/byte");
  for (const std::string &Column : Columns)
    fmt::print(" {:>12}", Column);
  fmt::print("\n");
}

static void printPower(const Curves &C, PowerDomain D) {
  std::vector<std::string> Columns;
  std::vector<PowerHill> Hills = C.Roofs.hills(D);
  for (const LevelRoof &Level : C.Roofs.Levels)
    if (Level.Hills.contains(D))
      Columns.push_back(Level.Level);
  const std::size_t Levels = Columns.size();
  Columns.push_back("most");
  for (std::size_t I = 0; I != Levels; ++I)
    Columns.push_back(Columns[I] + " Gflop/J");
  printCells(fmt::format("{}: power of the {} in W, the most over mixtures of levels, efficiency",
                         C.Roofs.FlopsClass, name(D)),
             Columns);
  for (double Intensity : C.Intensities) {
    fmt::print("{:>10.4g}", Intensity);
    for (const PowerHill &Hill : Hills)
      fmt::print(" {:>12.4g}", Hill.power(Intensity));
    fmt::print(" {:>12.4g}", totalPower(Hills, Intensity));
    for (const PowerHill &Hill : Hills)
      fmt::print(" {:>12.4g}", Hill.efficiency(Intensity) * 1e-9);
    fmt::print("\n");
  }
}

static void printCurves(const Curves &C) {
  std::vector<std::string> Columns;
  for (const LevelRoof &Level : C.Roofs.Levels)
    Columns.push_back(Level.Level);
  printCells(C.Roofs.FlopsClass + ": attainable Gflop/s, F_a = min(B·AI, F_p)", Columns);
  for (double Intensity : C.Intensities) {
    fmt::print("{:>10.4g}", Intensity);
    for (const LevelRoof &Level : C.Roofs.Levels)
      fmt::print(" {:>12.4g}", Level.attainable(Intensity) * 1e-9);
    fmt::print("\n");
  }
  for (std::size_t D = 0; D != PowerDomainNames.size(); ++D)
    if (!C.Roofs.hills(PowerDomain(D)).empty())
      printPower(C, PowerDomain(D));
}

static ordered_json clocksOf(const Setting &Clocks) {
  ordered_json Result = ordered_json::object();
  if (Clocks.CoreMhz)
    Result["core_mhz"] = *Clocks.CoreMhz;
  if (Clocks.MemMhz)
    Result["mem_mhz"] = *Clocks.MemMhz;
  return Result;
}

static std::expected<void, Error> writePlots(const std::string &Path, const std::string &Title,
                                             const std::vector<Curves> &All) {
  std::vector<CacheRoofs> Roofs;
  for (const Curves &C : All)
    Roofs.push_back(C.Roofs);
  return writeTextFile(Path, toSvg(roofsPlots(Title, Roofs)));
}

int runMachineRoofs(const RoofsOptions &Options) {
  const std::expected<Machine, Error> M = loadMachine(Options.Machine);
  if (!M)
    return complain(M.error());
  const std::expected<Setting, Error> S = settingFor(*M, Options);
  if (!S)
    return complain(S.error());
  const auto All = collect(*M, *S, Options);
  if (!All)
    return complain(All.error());
  if (!Options.Svg.empty())
    if (auto Written = writePlots(Options.Svg, M->Name + at(*S), *All); !Written)
      return complain(Written.error());
  const bool IsListed = !S->CoreMhz || M->findSetting(S->CoreMhz, S->MemMhz);
  if (Options.Json) {
    ordered_json Result = {{"schema", "ergon-roofs/1"},       {"machine", M->Name},
                           {"setting", clocksOf(*S)},         {"setting_listed", IsListed},
                           {"flops", ordered_json::object()}, {"meetings", ordered_json::array()}};
    for (const Curves &C : *All)
      Result["flops"][C.Roofs.FlopsClass] = toJson(C);
    for (const RidgeMeeting &Meeting : ridgeMeetings(*M, *S))
      Result["meetings"].push_back(
          {{"inner", Meeting.Inner}, {"outer", Meeting.Outer}, {"core_mhz", Meeting.CoreMhz}});
    fmt::print("{}\n", Result.dump(2));
    return Done;
  }
  fmt::print("{}{}{}\n", M->Name,
             S->CoreMhz ? fmt::format(" at a core clock of {:g} MHz", *S->CoreMhz) : "",
             S->MemMhz ? fmt::format(", memory at {:g} MHz", *S->MemMhz) : "");
  if (!IsListed)
    fmt::print("no setting of the profile: rates follow their clocks, and what takes a voltage "
               "is not known\n");
  fmt::print("\n {}\n", RoofsHeading);
  for (const Curves &Element : *All)
    printRoofs({Element.Roofs}, "");
  for (const Curves &Entry : *All)
    printUnknown({Entry.Roofs});
  printMeetings(*M);
  for (const Curves &Current : *All)
    printCurves(Current);
  return Done;
}

} // namespace ergon
