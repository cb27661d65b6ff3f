//===- MachineCheck.cpp - whether a profile's numbers can be --------------===//

#include "model/MachineCheck.h"
#include "model/CacheRoofs.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace ergon {

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

// Printed rates are rounded, mostly to four digits.
static constexpr double RoundedRate = 1.001;
// The highest clock that a processor was ever forced to is 9.1 GHz; memory clocks may be
// stated as transfers, up to 32 a nanosecond. The slowest idle states have a few MHz.
static constexpr double LowestMhz = 5, HighestMhz[] = {10e3, 40e3}, NoClockMhz = 100e3;
// A rate stated at a clock that far from every setting is in another unit.
static constexpr double ClocksApart = 50;
// Transistors switch from some 200 mV on; logic has had at most 5 V, DRAM now has 1.1 to 2.5 V.
static constexpr double NoVoltageMv[] = {100, 12e3}, Voltages[] = {300, 2600};
// Tables of voltages are measured, or have a step of 10 mV.
static constexpr double VoltageFalls = 0.98;
// The largest computers of 2025 draw some 30 MW, a node of the largest accelerators 14 kW.
static constexpr double NoMachineW = 100e6, NodeW = 20e3;
// The GTX 580's curve tops its cap by 1.55 (2013, section V-B). Above this it is another unit.
static constexpr double OverCap = 3;
// Prices of levels in a fit are that uncertain.
static constexpr double PriceFalls = 0.8;

namespace {
/// What a unit of the classes that begin with a prefix has ever cost or been done at.
struct ClassLimits {
  std::string_view Prefix;
  double LeastJ, MostJ;       ///< plausible
  double LeastPerS, MostPerS; ///< plausible
};
} // namespace

// Joules: the least are circuits alone in the finest process (0.1 pJ an addition, some fJ a bit
// of a narrow matrix unit, 0.1 pJ a byte of a register file), the most whole systems of
// 2005. A flop of the Cray-1 (115 kW, 160 Mflop/s) took 0.7 mJ: more is impossible. Rates: from a
// microcontroller to ten times the largest accelerator.
static constexpr ClassLimits Limits[] = {
    {"flops_matrix_", 1e-15, 1e-8, 1e6, 1e18}, {"flops_f16", 1e-14, 1e-8, 1e6, 1e17},
    {"flops_bf16", 1e-14, 1e-8, 1e6, 1e17},    {"flops_", 1e-13, 20e-9, 1e5, 1e16},
    {"special_", 1e-13, 1e-6, 1e4, 1e16},      {"fp_other_", 1e-14, 20e-9, 1e5, 1e16},
    {"int_", 1e-14, 100e-9, 1e5, 1e17},        {"bytes_dram", 1e-12, 20e-9, 1e6, 1e15},
    {"bytes_", 1e-14, 20e-9, 1e6, 1e17},
};
static constexpr double CrayFlopJ = 1e-3;

static const ClassLimits *limitsOf(std::string_view Class) {
  auto Found = std::ranges::find_if(
      Limits, [&](const ClassLimits &L) { return Class.starts_with(L.Prefix); });
  return Found == std::end(Limits) ? nullptr : Found;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static std::string text(double Value) {
  char Digits[32];
  const auto End =
      std::to_chars(Digits, Digits + sizeof(Digits), Value, std::chars_format::general, 6);
  return {Digits, End.ptr};
}

/// As a token of a JSON pointer.
static std::string token(std::string_view Key) {
  std::string Result;
  for (char C : Key)
    Result += C == '~' ? "~0" : C == '/' ? "~1" : std::string(1, C);
  return Result;
}

static std::string rateAt(const std::string &Class) {
  return "/throughput/" + Class + "/per_s/value";
}

static std::string energyAt(const std::string &Class, const EnergyCost &Cost) {
  return "/energy/" + Class + (Cost.Rail ? "/j_per_v2/value" : "/j/value");
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

namespace {
struct Checker {
  const Machine &M;
  std::vector<CheckFinding> Found{};

  void impossible(std::string Rule, std::string Where, std::string What, std::string Mend) {
    Found.push_back({std::move(Rule), true, std::move(Where), std::move(What), std::move(Mend)});
  }
  void implausible(std::string Rule, std::string Where, std::string What, std::string Mend) {
    Found.push_back({std::move(Rule), false, std::move(Where), std::move(What), std::move(Mend)});
  }

  void checkClock(double Mhz, Domain D, const std::string &Where);
  void checkClocks();
  void checkVoltages();
  void checkVoltageOrder(Domain D);
  void checkRanges();
  void checkPeaks();
  void checkRates();
  void checkLevels();
  void checkEnergies();
  void checkByteEnergies();
  void checkPower();
  void checkUncertainties();
};

/// One of the four numbers of a setting.
struct SettingMember {
  std::string_view Key;
  std::optional<double> Setting::*Value;
};
} // namespace

static constexpr SettingMember Clocks[] = {{"core_mhz", &Setting::CoreMhz},
                                           {"mem_mhz", &Setting::MemMhz}};
static constexpr SettingMember Supplies[] = {{"core_mv", &Setting::CoreMv},
                                             {"mem_mv", &Setting::MemMv}};

static std::string settingAt(std::size_t Index, std::string_view Key) {
  return "/settings/" + std::to_string(Index) + "/" + std::string(Key);
}

void Checker::checkClock(double Mhz, Domain D, const std::string &Where) {
  if (Mhz >= NoClockMhz)
    return impossible("clock-unit", Where, "is " + text(Mhz) + " MHz, which no clock is",
                      "write megahertz");
  if (Mhz > HighestMhz[std::size_t(D)] || Mhz < LowestMhz)
    implausible("clock-unit", Where, "is " + text(Mhz) + " MHz, which no processor runs at",
                "write megahertz");
}

void Checker::checkClocks() {
  for (std::size_t I = 0; I != M.Settings.size(); ++I)
    for (Domain D : {Domain::Core, Domain::Mem})
      if (const std::optional<double> Mhz = M.Settings[I].mhz(D))
        checkClock(*Mhz, D, settingAt(I, Clocks[std::size_t(D)].Key));
  for (const auto &[Class, Rate] : M.Throughputs) {
    if (!Rate.Clock)
      continue;
    const std::string Where = "/throughput/" + Class + "/at_mhz";
    checkClock(Rate.AtMhz, *Rate.Clock, Where);
    if (std::ranges::none_of(M.Settings, [&](const Setting &S) {
          const double Ratio = S.mhz(*Rate.Clock).value_or(0) / Rate.AtMhz;
          return Ratio > 1 / ClocksApart && Ratio < ClocksApart;
        }))
      implausible("clock-unit", Where, "is far from the clocks of all settings",
                  "write both in megahertz");
  }
}

void Checker::checkVoltages() {
  for (std::size_t I = 0; I != M.Settings.size(); ++I)
    for (const SettingMember &Supply : Supplies) {
      const std::optional<double> Mv = M.Settings[I].*Supply.Value;
      if (!Mv)
        continue;
      const std::string Where = settingAt(I, Supply.Key);
      if (*Mv < NoVoltageMv[0] || *Mv > NoVoltageMv[1])
        impossible("voltage-unit", Where, "is " + text(*Mv) + " mV, which no chip runs at",
                   "write millivolts");
      else if (*Mv < Voltages[0] || *Mv > Voltages[1])
        implausible("voltage-unit", Where,
                    "is " + text(*Mv) + " mV; processors and their memory have 300 to 2600",
                    "correct it, or leave the voltage out");
    }
}

/// A faster clock needs as much voltage or more.
void Checker::checkVoltageOrder(Domain D) {
  auto Breaks = [&](const Setting &Fast, const Setting &Slow) {
    return Fast.mhz(D) && Slow.mhz(D) && *Slow.mhz(D) < *Fast.mhz(D) && Fast.volts(D) &&
           Slow.volts(D) && *Fast.volts(D) < VoltageFalls * *Slow.volts(D);
  };
  const std::string_view Key = Supplies[std::size_t(D)].Key;
  for (std::size_t I = 0; I != M.Settings.size(); ++I) {
    auto Slow = std::ranges::find_if(
        M.Settings, [&](const Setting &Other) { return Breaks(M.Settings[I], Other); });
    if (Slow != M.Settings.end())
      implausible("voltage-order", settingAt(I, Key),
                  "is below that of the slower " +
                      settingAt(std::size_t(Slow - M.Settings.begin()), Key),
                  "correct one of the two");
  }
}

void Checker::checkRanges() {
  for (const auto &Members : {Clocks, Supplies})
    for (const SettingMember &Each : {Members[0], Members[1]}) {
      auto Range = M.Hardware.Ranges.find(std::string(Each.Key));
      if (Range == M.Hardware.Ranges.end())
        continue;
      const auto &[Min, Max, Source] = Range->second;
      for (std::size_t I = 0; I != M.Settings.size(); ++I)
        if (const std::optional<double> Value = M.Settings[I].*Each.Value;
            Value && (*Value < Min || *Value > Max))
          impossible("outside-range", settingAt(I, Each.Key),
                     "is " + text(*Value) + ", outside " + text(Min) + " to " + text(Max) +
                         " of /datasheet/range/" + std::string(Each.Key),
                     "correct one of the two");
    }
}

void Checker::checkPeaks() {
  for (const auto &[Class, Peak] : M.Hardware.Peaks) {
    auto Rate = M.Throughputs.find(Class);
    if (Rate == M.Throughputs.end())
      continue;
    // Both at the clock that the datasheet's holds at.
    const double PerS =
        Rate->second.PerS.Value * (Rate->second.Clock ? Peak.Mhz / Rate->second.AtMhz : 1);
    if (PerS > RoundedRate * Peak.perS())
      impossible("above-peak", rateAt(Class),
                 "makes " + text(PerS) + " a second, above the " + text(Peak.perS()) +
                     " of /datasheet/peak/" + Class,
                 "correct one of the two");
  }
}

void Checker::checkRates() {
  for (const auto &[Class, Rate] : M.Throughputs)
    if (const ClassLimits *L = limitsOf(Class);
        L && (Rate.PerS.Value < L->LeastPerS || Rate.PerS.Value > L->MostPerS))
      implausible("rate-unit", rateAt(Class),
                  "is " + text(Rate.PerS.Value) + " a second; machines have " + text(L->LeastPerS) +
                      " to " + text(L->MostPerS),
                  "write units per second, not per nanosecond");
}

/// A byte from farther away passes the levels before it. Slow cores may hold up their caches
/// more than main memory (CARM, section 5), hence only the default setting.
void Checker::checkLevels() {
  const Setting &At = M.defaultSetting();
  std::string Inner;
  double InnerTau = 0;
  for (std::string_view Level : MemoryLevelNames) {
    const std::string Class = "bytes_" + std::string(Level);
    const std::optional<double> Tau = Level == "shared" ? std::nullopt : M.timePerUnit(Class, At);
    if (!Tau)
      continue;
    if (!Inner.empty() && *Tau * RoundedRate < InnerTau)
      implausible("level-order", rateAt(Class),
                  "is faster than " + Inner + ", which its bytes pass on their way to the cores",
                  "correct one of the two");
    Inner = Class;
    InnerTau = *Tau;
  }
}

void Checker::checkEnergies() {
  for (const auto &[Class, Cost] : M.Energies) {
    const ClassLimits *L = limitsOf(Class);
    const std::optional<double> Joules = M.energyPerUnit(Class, M.defaultSetting());
    if (!L || !Joules || *Joules == 0) // a fit may leave a class without a price
      continue;
    if (*Joules > CrayFlopJ)
      impossible("energy-unit", energyAt(Class, Cost),
                 "is " + text(*Joules) + " J a unit, more than a flop of 1976 took",
                 "write joules: 25 pJ are 25e-12");
    else if (*Joules < L->LeastJ || *Joules > L->MostJ)
      implausible("energy-unit", energyAt(Class, Cost),
                  "is " + text(*Joules) + " J a unit; machines have " + text(L->LeastJ) + " to " +
                      text(L->MostJ),
                  "write joules: 25 pJ are 25e-12");
  }
}

/// Where a byte's price has its way in it, it rises with the way.
void Checker::checkByteEnergies() {
  if (M.BytesPaid != ByteEnergy::WhereServed)
    return;
  std::string Inner;
  double InnerJ = 0;
  for (std::string_view Level : MemoryLevelNames) {
    auto Cost = M.Energies.find("bytes_" + std::string(Level));
    if (Level == "shared" || Cost == M.Energies.end())
      continue;
    const double Joules = M.energyPerUnit(Cost->first, M.defaultSetting()).value_or(0);
    if (Joules < PriceFalls * InnerJ)
      implausible("energy-order", energyAt(Cost->first, Cost->second),
                  "is less than that of " + Inner + ", whose price it says to have in it",
                  "correct it, or /byte_energy");
    Inner = Cost->first;
    InnerJ = Joules;
  }
}

/// The most that the machine draws, at any setting, as the profile's numbers have it.
void Checker::checkPower() {
  if (std::ranges::any_of(Found,
                          [](const CheckFinding &Each) { return Each.Rule.ends_with("-unit"); }))
    return; // what is wrong there makes the power wrong
  double Most = 0;
  std::string Where = "/constant_power";
  auto Raise = [&](double Watts, const std::string &By) {
    if (Watts > Most) {
      Most = Watts;
      Where = By;
    }
  };
  for (const Setting &At : M.Settings) {
    const double Pi0 = M.constantPower(At).value_or(0);
    Raise(Pi0, "/constant_power");
    for (const auto &[Class, Cost] : M.Energies) {
      const auto Joules = M.energyPerUnit(Class, At), Tau = M.timePerUnit(Class, At);
      if (Joules && Tau)
        Raise(Pi0 + *Joules / *Tau, "/energy/" + Class);
    }
    for (const auto &[Class, Rate] : M.Throughputs)
      if (Class.starts_with("flops_"))
        for (const LevelRoof &Level : cacheRoofs(M, At, Class).Levels)
          for (const auto &[D, Hill] : Level.Hills)
            Raise(Hill.topPower(),
                  D == PowerDomain::Machine ? "/energy/" + Class : "/domain_power");
  }
  if (Most > NoMachineW)
    impossible("power", Where, "makes " + text(Most) + " W at full rate, more than any computer",
               "write joules, watts and units per second");
  else if (M.PowerCap && Most > OverCap * M.PowerCap->Value)
    implausible("power-over-cap", Where,
                "makes " + text(Most) + " W at full rate, " + text(Most / M.PowerCap->Value) +
                    " times /power_cap_w",
                "correct it, or the cap");
  else if (Most > NodeW)
    implausible("power", Where,
                "makes " + text(Most) + " W at full rate; the largest nodes have " + text(NodeW),
                "write joules, watts and units per second");
}

void Checker::checkUncertainties() {
  for (const auto &[Key, Each] : M.Sources)
    if (const double *Relative = std::get_if<double>(&Each.Uncertainty); Relative && *Relative > 1)
      implausible("uncertainty", "/sources/" + token(Key) + "/uncertainty",
                  "is " + text(*Relative) + " times the value",
                  "write it relative to the value: 5 % are 0.05");
  if (!M.Fit)
    return;
  const std::pair<const char *, const std::optional<Quantity> &> Errors[] = {
      {"energy_error", M.Fit->EnergyError},
      {"energy_choice_error", M.Fit->EnergyChoiceError},
      {"time_error", M.Fit->TimeError},
      {"time_choice_error", M.Fit->TimeChoiceError}};
  for (const auto &[Key, Error] : Errors)
    if (Error && Error->Value > 1)
      implausible("uncertainty", "/fit/" + std::string(Key) + "/value",
                  "is " + text(Error->Value) + " times what was measured",
                  "write it relative to that: 5 % are 0.05");
}

std::vector<CheckFinding> checkMachine(const Machine &M) {
  Checker Check{M};
  Check.checkClocks();
  Check.checkVoltages();
  for (Domain D : {Domain::Core, Domain::Mem})
    Check.checkVoltageOrder(D);
  Check.checkRanges();
  Check.checkPeaks();
  Check.checkRates();
  Check.checkLevels();
  Check.checkEnergies();
  Check.checkByteEnergies();
  Check.checkPower();
  Check.checkUncertainties();
  return std::move(Check.Found);
}

} // namespace ergon
