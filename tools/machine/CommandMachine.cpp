//===- CommandMachine.cpp - ergon machine list | show ---------------------===//

#include "formats/profile/DeviceFormat.h"
#include "formats/profile/ProfileFormat.h"
#include "model/energy/Roofline.h"
#include "model/machine/CostClass.h"
#include "predict/store/MachineStore.h"
#include "tools/base/Commands.h"
#include "tools/machine/RoofsView.h"
#include "tools/view/CacheView.h"
#include "tools/view/PipelineView.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using nlohmann::ordered_json;

namespace ergon {

static void print(const ordered_json &Document) { fmt::print("{}\n", Document.dump(2)); }

namespace {
/// What both views show of a machine at one of its settings. Maps are by cost class; a class
/// without the number is not in it.
struct SettingView {
  const Setting *Clocks;
  std::optional<double> ConstantPowerW;
  std::map<std::string, double> EnergyJ, TimeS;
  std::map<std::string, RooflineParameters> Rooflines; ///< of each flops class, with bytes_dram
  std::vector<CacheRoofs> Roofs;                       ///< of each flops class
};
} // namespace

static SettingView collect(const Machine &M, const Setting &Clocks) {
  SettingView View{&Clocks, M.constantPower(Clocks), {}, {}, {}, {}};
  for (const auto &[Class, Cost] : M.Power.Energies)
    if (std::optional<double> Joules = M.energyPerUnit(Class, Clocks))
      View.EnergyJ[Class] = *Joules;
  for (const auto &[Class, Rate] : M.Timing.Throughputs) {
    if (std::optional<double> Seconds = M.timePerUnit(Class, Clocks))
      View.TimeS[Class] = *Seconds;
    if (!isFlops(Class))
      continue;
    if (std::optional<RooflineParameters> R = rooflineParameters(M, Clocks, Class))
      View.Rooflines[Class] = *R;
    View.Roofs.push_back(cacheRoofs(M, Clocks, Class));
  }
  return View;
}

static std::vector<SettingView> collect(const Machine &M) {
  std::vector<SettingView> Views;
  Views.reserve(M.Settings.size());
  for (const Setting &Clocks : M.Settings)
    Views.push_back(collect(M, Clocks));
  return Views;
}

static ordered_json balances(const SettingView &View) {
  ordered_json Result = ordered_json::object();
  for (const auto &[Class, R] : View.Rooflines) {
    ordered_json &Json = Result[Class] = {{"time", R.timeBalance()},
                                          {"energy", R.energyBalance()},
                                          {"effective", R.balancePoint()},
                                          {"eta", R.constantEfficiency()},
                                          {"peak_power_w", R.powerBound()}};
    if (const auto Range = R.cappedIntensities()) {
      Json["capped"] = {{"from", Range->first}, {"stretch", R.stretch(R.timeBalance())}};
      if (std::isfinite(Range->second))
        Json["capped"]["to"] = Range->second;
    }
  }
  return Result;
}

static ordered_json toJson(const SettingView &View) {
  ordered_json Result = *View.Clocks;
  if (!View.Clocks->Source.empty())
    Result["source"] = View.Clocks->Source;
  if (View.ConstantPowerW)
    Result["constant_power_w"] = *View.ConstantPowerW;
  Result["energy_j"] = View.EnergyJ;
  Result["time_s"] = View.TimeS;
  Result["balance"] = balances(View);
  for (const CacheRoofs &Roofs : View.Roofs)
    Result["roofs"][Roofs.FlopsClass] = roofsToJson(Roofs);
  return Result;
}

static ordered_json toJson(const Machine &M, const std::vector<SettingView> &Views) {
  ordered_json Result = {{"schema", "ergon-machine/1"},
                         {"name", M.Name},
                         {"description", M.Description},
                         {"setting", M.defaultSetting()},
                         {"balance", balances(Views[M.Default])}};
  Result["settings"] = ordered_json::array();
  for (const SettingView &View : Views)
    Result["settings"].push_back(toJson(View));
  // The rest is as it stands in the profile.
  for (auto &[Key, Value] : profileDocument(M).items())
    if (Key != "default_setting" && !Result.contains(Key))
      Result[Key] = Value;
  return Result;
}

static std::string orDash(std::optional<double> Value) {
  return Value ? fmt::format("{:g}", *Value) : "-";
}

static std::string settingCells(const Setting &S, bool IsDefault) {
  return fmt::format("{:1}{:>8} {:>7} {:>7} {:>6}", IsDefault ? "*" : "", orDash(S.CoreMhz),
                     orDash(S.MemMhz), orDash(S.CoreMv), orDash(S.MemMv));
}

static void printCoefficients(const Machine &M) {
  fmt::print("\ncoefficients\n");
  auto Line = [](std::string_view Name, const Quantity &Q, double Scale, std::string_view Unit) {
    fmt::print("  {:<18} {:>10.6g} {:<28} [{}]\n", Name, Q.Value * Scale, Unit, Q.Source);
  };
  for (const auto &[Class, E] : M.Power.Energies)
    Line(Class, E.Coefficient, 1e12, E.Rail ? fmt::format("pJ/V² ({})", name(*E.Rail)) : "pJ");
  for (const auto &[Class, T] : M.Timing.Throughputs)
    Line(Class, T.PerS, 1e-9,
         T.Clock ? fmt::format("G/s ({} at {:g} MHz)", name(*T.Clock), T.AtMhz) : "G/s");
  if (M.Power.Constant.MiscW)
    Line("π0", *M.Power.Constant.MiscW, 1, "W");
  if (M.Power.Constant.CoreWPerV)
    Line("π0", *M.Power.Constant.CoreWPerV, 1, "W/V (core)");
  if (M.Power.Constant.MemWPerV)
    Line("π0", *M.Power.Constant.MemWPerV, 1, "W/V (mem)");
  if (M.Power.Constant.CoreWPerMhzV2)
    Line("π0", *M.Power.Constant.CoreWPerMhzV2, 1e3, "W/(GHz·V²) (core)");
  if (M.Power.Constant.MemWPerMhz)
    Line("π0", *M.Power.Constant.MemWPerMhz, 1e3, "W/GHz (mem)");
  if (M.Power.CoreLaw && M.Power.CoreLaw->RisePerMhz.Value > 0) {
    Line("V = 1 up to", M.Power.CoreLaw->FlatToMhz, 1, "MHz (core)");
    Line("V rises by", M.Power.CoreLaw->RisePerMhz, 1e4, "% for each further 100 MHz");
  }
  if (M.Power.VoltageExponent)
    Line("V² is V to the", *M.Power.VoltageExponent, 1, "");
  if (M.Power.Saturates)
    Line("P_ref·(D/P_ref)^a", M.Power.Saturates->Exponent, 1,
         fmt::format("= a, with P_ref = {:.4g} W", M.Power.Saturates->ReferenceW.Value));
  if (M.Power.Cap)
    Line("power cap", *M.Power.Cap, 1, "W");
  if (M.Fit.Corrects)
    fmt::print("  and a correction near {} runs that were fitted to [{}]\n",
               M.Fit.Corrects->Weights.size(), M.Fit.Corrects->Source);
}

static void printDatasheet(const Datasheet &D) {
  if (D.Peaks.empty() && D.Ranges.empty())
    return;
  fmt::print("\ndatasheet (for `ergon machine check`)\n");
  for (const auto &[Class, Peak] : D.Peaks)
    fmt::print("  {:<18} {:>10.6g} {:<28} [{}]\n", Class, Peak.perS() * 1e-9,
               fmt::format("G/s ({:g} a cycle at {:g} MHz)", Peak.PerClock, Peak.Mhz), Peak.Source);
  for (const auto &[Key, Range] : D.Ranges)
    fmt::print("  {:<18} {:>10} {:<28} [{}]\n", Key, "",
               fmt::format("{:g} to {:g}", Range.Min, Range.Max), Range.Source);
}

static void printDevice(const Device &D) {
  fmt::print("\ndevice: {:g} multiprocessors of compute capability {} [{}], each with\n",
             D.Multiprocessors.Value, D.Capability.text(), D.CapabilitySource);
  for (const auto &[Key, Limit] : LimitKeys) {
    auto Stated = D.Stated.find(Key);
    fmt::print("  {:<22} {:>7} [{}]\n", Key, D.Limits.*Limit,
               Stated == D.Stated.end() ? "the capability's" : Stated->second.Source);
  }
  for (const auto &[Key, Count] : {std::pair("shared_banks", &Device::SharedBanks),
                                   std::pair("shared_bank_bytes", &Device::SharedBankBytes)})
    if (D.*Count)
      fmt::print("  {:<22} {:>7g} [{}]\n", Key, (D.*Count)->Value, (D.*Count)->Source);
  if (D.GlobalLoadsInL1)
    fmt::print("  {:<22} {:>7} [{}]\n", "global_loads_in_l1", *D.GlobalLoadsInL1 ? "yes" : "no",
               D.GlobalLoadsSource);
}

static void printCluster(const Cluster &C) {
  fmt::print("\ncluster (`ergon scale`)\n");
  if (C.Processors)
    fmt::print("  {:<18} {:>10g} {:<28} [{}]\n", "processors", C.Processors->Value, "",
               C.Processors->Source);
  for (const auto &[Term, Quantity] : C.Terms)
    fmt::print("  {:<18} {:>10.6g} {:<28} [{}]\n", name(Term), Quantity.Amount.Value,
               fmt::format("{}{}", name(Term).ends_with("_s") ? "s" : "W",
                           Quantity.AtMhz ? fmt::format("·(f/{:g} MHz)^{:g}", *Quantity.AtMhz,
                                                        Quantity.Exponent)
                                          : ""),
               Quantity.Amount.Source);
}

static void printBalances(const Machine &M, const std::vector<SettingView> &Views,
                          const std::string &Heading) {
  fmt::print(
      "\nbalances in flops per byte of main memory: of time, of energy; η; where half of the "
      "energy is communication; power at B_τ, and where the cap binds: from, to, how much "
      "longer a run at B_τ takes\n"
      "{} {:<10} {:>8} {:>8} {:>7} {:>8} {:>8} {:>16}\n",
      Heading, "class", "B_τ", "B_ε", "η", "I=B̂_ε", "W", "capped");
  for (const SettingView &View : Views)
    for (const auto &[Class, R] : View.Rooflines) {
      const auto Range = R.cappedIntensities();
      fmt::print("{} {:<10} {:>8.4g} {:>8.4g} {:>7.4f} {:>8.4g} {:>8.4g} {:>16}\n",
                 settingCells(*View.Clocks, View.Clocks == &M.defaultSetting()), Class,
                 R.timeBalance(), R.energyBalance(), R.constantEfficiency(), R.balancePoint(),
                 R.powerBound(),
                 Range ? fmt::format("{:.3g}..{:.3g} {:.2f}x", Range->first, Range->second,
                                     R.stretch(R.timeBalance()))
                       : "-");
    }
}

static void printSettings(const Machine &M, const std::vector<SettingView> &Views) {
  const std::string Heading =
      fmt::format(" {:>8} {:>7} {:>7} {:>6}", "core_mhz", "mem_mhz", "core_mv", "mem_mv");
  fmt::print("\nsettings (* is the default), constant power and energy of a unit in pJ\n{} {:>7}",
             Heading, "π0 W");
  for (const auto &[Class, Cost] : M.Power.Energies)
    fmt::print(" {:>12}", Class);
  fmt::print("\n");
  for (const SettingView &View : Views) {
    fmt::print("{} {:>7}", settingCells(*View.Clocks, View.Clocks == &M.defaultSetting()),
               View.ConstantPowerW ? fmt::format("{:.4g}", *View.ConstantPowerW) : "-");
    for (const auto &[Class, Cost] : M.Power.Energies) {
      auto Joules = View.EnergyJ.find(Class);
      fmt::print(" {:>12}",
                 Joules == View.EnergyJ.end() ? "-" : fmt::format("{:.4g}", Joules->second * 1e12));
    }
    fmt::print("\n");
  }
  printBalances(M, Views, Heading);
  fmt::print(
      "\nmemory levels as the cores see them (CARM): ridge in flops per byte; top of the power "
      "hill; ξ_max; from which intensity on ξ is at least {:g} % of it\n{} {}\n",
      HighEfficiency * 100, Heading, RoofsHeading);
  std::vector<CacheRoofs> All;
  for (const SettingView &View : Views) {
    printRoofs(View.Roofs, settingCells(*View.Clocks, View.Clocks == &M.defaultSetting()));
    All.insert(All.end(), View.Roofs.begin(), View.Roofs.end());
  }
  if (All.empty())
    fmt::print("not known: the rate of any flops\n");
  printUnknown(All);
  printMeetings(M);
}

static void printSources(const Machine &M) {
  fmt::print("\nsources\n");
  for (const auto &[Key, S] : M.Sources) {
    const double *Relative = std::get_if<double>(&S.Uncertainty);
    fmt::print("  [{}] {}, {}: {}\n", Key, name(S.Kind), S.Date, S.Reference);
    if (!S.Derivation.empty())
      fmt::print("      {}\n", S.Derivation);
    fmt::print("      uncertainty: {}\n", Relative ? fmt::format("{:.3g} %", *Relative * 100)
                                                   : std::get<std::string>(S.Uncertainty));
  }
}

static void printListed(const Machine &M) {
  fmt::print("{:<12} {:>3} {:<9} {}\n", M.Name, M.Settings.size(),
             M.Settings.size() == 1 ? "setting" : "settings",
             M.Description.substr(0, M.Description.find_first_of(":,.(")));
}

int runMachineList(bool Json) {
  int Status = 0;
  std::vector<Machine> Machines;
  for (const std::string &Name : shippedMachines())
    if (std::expected<Machine, Error> M = loadMachine(Name)) {
      M->Name = Name;
      Machines.push_back(std::move(*M));
    } else {
      Status = complain(M.error());
    }
  if (Json) {
    ordered_json Listed = ordered_json::array();
    for (const Machine &M : Machines) {
      ordered_json &Next = Listed.emplace_back();
      Next = {{"name", M.Name}, {"settings", M.Settings.size()}, {"description", M.Description}};
      if (const auto Kind = M.processor())
        Next["kind"] = name(*Kind);
      if (!M.DataFor.empty())
        Next["data_for"] = M.DataFor;
    }
    print({{"schema", "ergon-machines/1"}, {"machines", Listed}});
    return Status;
  }
  struct Group {
    const char *Title;
    bool (*IsIn)(const Machine &);
  };
  static constexpr Group Groups[] = {
      {"CPUs", [](const Machine &M) { return M.processor() == MachineKind::Cpu; }},
      {"GPUs", [](const Machine &M) { return M.processor() == MachineKind::Gpu; }},
      {"others", [](const Machine &M) { return !M.processor(); }}};
  for (const Group &G : Groups) {
    const auto IsIn = [&](const Machine &M) { return M.DataFor.empty() && G.IsIn(M); };
    if (std::ranges::none_of(Machines, IsIn))
      continue;
    fmt::print("{}\n", G.Title);
    for (const Machine &M : Machines)
      if (IsIn(M))
        printListed(M);
  }
  for (bool IsFirst = true; const Machine &M : Machines)
    if (!M.DataFor.empty()) {
      if (std::exchange(IsFirst, false))
        fmt::print("data for one command each, without costs of programs\n");
      fmt::print("{:<12} {:<13} {}\n", M.Name, M.DataFor,
                 M.Description.substr(0, M.Description.find_first_of(":,.(")));
    }
  return Status;
}

int runMachineShow(const std::string &NameOrFile, bool Json) {
  const std::expected<Machine, Error> M = loadMachine(NameOrFile);
  if (!M)
    return complain(M.error());
  const std::vector<SettingView> Views = collect(*M);
  if (Json) {
    print(toJson(*M, Views));
    return 0;
  }
  fmt::print("{}: {}\n", M->Name, M->Description);
  printCoefficients(*M);
  printDatasheet(M->Hardware);
  if (!M->Topology.Caches.empty())
    fmt::print("\ncaches of data (`ergon predict --cache`)\n{}", cacheLines(*M));
  if (M->Topology.Gpu)
    printDevice(*M->Topology.Gpu);
  if (M->Timing.InCore)
    printPipeline(*M->Timing.InCore);
  if (M->Topology.Cluster)
    printCluster(*M->Topology.Cluster);
  printSettings(*M, Views);
  printSources(*M);
  return 0;
}

} // namespace ergon
