//===- MachineCheckCosts.cpp - plausibility of operation costs ------------===//

#include "model/energy/CacheRoofs.h"
#include "model/energy/MachineCheckRules.h"
#include "model/machine/CostClass.h"

#include <algorithm>
#include <optional>
#include <variant>

namespace ergon {

//===----------------------------------------------------------------------===//
// Limits: docs/checking-machines.md says where they are from
//===----------------------------------------------------------------------===//

namespace {
/// Plausible energy and rate of the classes with a prefix.
struct ClassLimits {
  ClassFamily Family;
  std::string_view Member; ///< prefix of the member
  double LeastJ, MostJ, LeastPerS, MostPerS;
};
} // namespace

// The first match applies. Joules: from circuits in the finest process to whole systems of 2005.
// Rates: from a microcontroller to ten times the largest accelerator.
static constexpr ClassLimits LimitsOfClasses[] = {
    {ClassFamily::FlopsMatrix, "", 1e-15, 1e-8, 1e6, 1e18},
    {ClassFamily::Flops, "f16", 1e-14, 1e-8, 1e6, 1e17},
    {ClassFamily::Flops, "bf16", 1e-14, 1e-8, 1e6, 1e17},
    {ClassFamily::Flops, "", 1e-13, 20e-9, 1e5, 1e16},
    {ClassFamily::Special, "", 1e-13, 1e-6, 1e4, 1e16},
    {ClassFamily::FpOther, "", 1e-14, 20e-9, 1e5, 1e16},
    {ClassFamily::Integers, "", 1e-14, 20e-9, 1e5, 1e17},
    {ClassFamily::LevelBytes, "dram", 1e-12, 20e-9, 1e6, 1e15},
    {ClassFamily::LevelBytes, "", 1e-13, 20e-9, 1e6, 1e17},
};
// A flop of the Cray-1 (115 kW, 160 Mflop/s) took 0.7 mJ.
static constexpr double CrayFlopJ = 1e-3;
// Flops per byte of main memory, in time and in energy (2013, Table I). The machines of the papers
// have 0.9 to 24 and 1.2 to 14; scalar code alone has a twentieth of the first.
static constexpr double TimeBalance[] = {0.01, 500}, EnergyBalance[] = {0.01, 1000};
static constexpr std::string_view BalancedClasses[] = {"flops_f32", "flops_f64"};
// Uncertainty of a fit's costs of levels.
static constexpr double PriceFalls = 0.8;
// The largest computers of 2025 draw about 30 MW, a node of the largest accelerators 14 kW; a bare
// processor a tenth of a watt, and at least a milliwatt when idle.
static constexpr double NoMachineW = 100e6, NodeW = 20e3, LeastCapW = 0.1, LeastConstantW = 1e-3;
// The GTX 580's curve exceeds its cap by 1.55 (2013, section V-B). A larger factor means another
// unit.
static constexpr double OverCap = 3;
// The i7-950 draws 122 W constantly and 40 W more at full rate (2013, Table IV); a board with a
// small processor, or scalar code on a large one, may have a hundred times that ratio.
static constexpr double ConstantOverRest = 1000;

static const ClassLimits *limitsOf(std::string_view Class) {
  const ClassKey Key = classify(Class);
  auto Found = std::ranges::find_if(LimitsOfClasses, [&](const ClassLimits &L) {
    return Key.Family == L.Family && Key.Member.starts_with(L.Member);
  });
  return Found == std::end(LimitsOfClasses) ? nullptr : Found;
}

static bool isOutside(double Value, const double (&Range)[2]) {
  return Value < Range[0] || Value > Range[1];
}

/// As a token of a JSON pointer.
static std::string token(std::string_view Key) {
  std::string Result;
  for (char C : Key)
    Result += C == '~' ? "~0" : C == '/' ? "~1" : std::string(1, C);
  return Result;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

namespace {
struct CostChecker {
  const Machine &M;
  CheckFindings &Found;

  void checkRates();
  void checkLevels();
  void checkEnergies();
  void checkByteEnergies();
  void checkBalances();
  void checkPower();
  void checkConstantPower();
  void checkUncertainties();
};
} // namespace

void CostChecker::checkRates() {
  for (const auto &[Class, Rate] : M.Timing.Throughputs)
    if (const ClassLimits *L = limitsOf(Class);
        L && (Rate.PerS.Value < L->LeastPerS || Rate.PerS.Value > L->MostPerS))
      Found.implausible("rate-unit", rateAt(Class),
                        "is " + checkText(Rate.PerS.Value) + " a second; machines have " +
                            checkText(L->LeastPerS) + " to " + checkText(L->MostPerS),
                        "write units per second, not per nanosecond");
}

/// A byte from farther away passes the nearer levels. Slow cores may limit their caches more than
/// main memory (CARM, section 5), so only the default setting is checked.
void CostChecker::checkLevels() {
  std::string Inner;
  double InnerTau = 0;
  for (std::string_view Level : MemoryLevelNames) {
    const std::string Class = levelBytes(Level);
    const std::optional<double> Tau =
        Level == "shared" ? std::nullopt : M.timePerUnit(Class, M.defaultSetting());
    if (!Tau)
      continue;
    if (!Inner.empty() && *Tau * RoundedRate < InnerTau)
      Found.implausible("level-order", rateAt(Class),
                        "is faster than " + Inner +
                            ", which its bytes pass on their way to the cores",
                        "correct one of the two");
    Inner = Class;
    InnerTau = *Tau;
  }
}

void CostChecker::checkEnergies() {
  for (const auto &[Class, Cost] : M.Power.Energies) {
    const ClassLimits *L = limitsOf(Class);
    const std::optional<double> Joules = M.energyPerUnit(Class, M.defaultSetting());
    if (!L || !Joules || *Joules == 0) // a fit may leave a class without a cost
      continue;
    if (*Joules > CrayFlopJ)
      Found.impossible("energy-unit", energyAt(Class, Cost),
                       "is " + checkText(*Joules) + " J a unit, more than a flop of 1976 took",
                       "write joules: 25 pJ are 25e-12");
    else if (*Joules < L->LeastJ || *Joules > L->MostJ)
      Found.implausible("energy-unit", energyAt(Class, Cost),
                        "is " + checkText(*Joules) + " J a unit; machines have " +
                            checkText(L->LeastJ) + " to " + checkText(L->MostJ),
                        "write joules: 25 pJ are 25e-12");
  }
}

/// Where a byte's cost includes its path, it increases with the level.
void CostChecker::checkByteEnergies() {
  if (M.Power.BytesPaid != ByteEnergy::WhereServed)
    return;
  std::string Inner;
  double InnerJ = 0;
  for (std::string_view Level : MemoryLevelNames) {
    auto Cost = M.Power.Energies.find(levelBytes(Level));
    if (Level == "shared" || Cost == M.Power.Energies.end())
      continue;
    const double Joules = M.energyPerUnit(Cost->first, M.defaultSetting()).value_or(0);
    if (Joules < PriceFalls * InnerJ)
      Found.implausible("energy-order", energyAt(Cost->first, Cost->second),
                        "is less than that of " + Inner + ", whose price it says to have in it",
                        "correct it, or /byte_energy");
    Inner = Cost->first;
    InnerJ = Joules;
  }
}

/// Flops against bytes of main memory: finds a rate or cost with a wrong unit even if it is
/// plausible for some machine.
void CostChecker::checkBalances() {
  const Setting &Clocks = M.defaultSetting();
  auto Ratio = [](std::optional<double> Value, std::optional<double> To) {
    return Value && To && *Value > 0 && *To > 0 ? std::optional(*Value / *To) : std::nullopt;
  };
  auto Check = [&](std::optional<double> Balance, const double (&Range)[2], std::string Where,
                   const char *Measure) {
    if (Balance && isOutside(*Balance, Range))
      Found.implausible("balance", std::move(Where),
                        "is " + checkText(*Balance) + " flops a byte of main memory in " + Measure +
                            "; machines have " + checkText(Range[0]) + " to " + checkText(Range[1]),
                        "correct it, or that of bytes_dram");
  };
  for (std::string_view Name : BalancedClasses) {
    const std::string Class(Name);
    Check(Ratio(M.timePerUnit("bytes_dram", Clocks), M.timePerUnit(Class, Clocks)), TimeBalance,
          rateAt(Class), "time");
    if (auto Cost = M.Power.Energies.find(Class); Cost != M.Power.Energies.end())
      Check(Ratio(M.energyPerUnit("bytes_dram", Clocks), M.energyPerUnit(Class, Clocks)),
            EnergyBalance, energyAt(Class, Cost->second), "energy");
  }
}

/// Watts of a class alone at its full rate, including π0; 0 where unknown.
static double powerAlone(const Machine &M, const Setting &Clocks, const std::string &Class) {
  const auto Joules = M.energyPerUnit(Class, Clocks), Tau = M.timePerUnit(Class, Clocks);
  if (!Joules || !Tau)
    return 0;
  const double Watts = *Joules / *Tau;
  return M.constantPower(Clocks).value_or(0) +
         (M.Power.Saturates ? M.Power.Saturates->watts(Watts) : Watts);
}

/// The maximum power of the machine at any setting, by the profile's numbers.
void CostChecker::checkPower() {
  double Most = 0;
  std::string Where = "/constant_power";
  auto Raise = [&](double Watts, const std::string &Cause) {
    if (Watts > Most) {
      Most = Watts;
      Where = Cause;
    }
  };
  for (const Setting &Clocks : M.Settings) {
    Raise(M.constantPower(Clocks).value_or(0), "/constant_power");
    for (const auto &[Class, Cost] : M.Power.Energies)
      Raise(powerAlone(M, Clocks, Class), "/energy/" + Class);
    for (const auto &[Class, Rate] : M.Timing.Throughputs)
      if (isFlops(Class))
        for (const LevelRoof &Level : cacheRoofs(M, Clocks, Class).Levels)
          for (const auto &[D, Hill] : Level.Hills)
            Raise(Hill.topPower(),
                  D == PowerDomain::Machine ? "/energy/" + Class : "/domain_power");
  }
  const std::string What = "makes " + checkText(Most) + " W at full rate";
  if (Most > NoMachineW)
    Found.impossible("power", Where, What + ", more than any computer",
                     "write joules, watts and units per second");
  else if (M.Power.Cap && Most > OverCap * M.Power.Cap->Value)
    Found.implausible("power-over-cap", Where,
                      What + ", " + checkText(Most / M.Power.Cap->Value) + " times /power_cap_w",
                      "correct it, or the cap");
  else if (Most > NodeW)
    Found.implausible("power", Where, What + "; the largest nodes have " + checkText(NodeW),
                      "write joules, watts and units per second");
  if (M.Power.Cap && (M.Power.Cap->Value > NodeW || M.Power.Cap->Value < LeastCapW))
    Found.implausible("power", "/power_cap_w/value",
                      "is " + checkText(M.Power.Cap->Value) + " W; processors and nodes have " +
                          checkText(LeastCapW) + " to " + checkText(NodeW),
                      "write watts");
}

void CostChecker::checkConstantPower() {
  const Setting &Clocks = M.defaultSetting();
  const double Pi0 = M.constantPower(Clocks).value_or(0);
  double Rest = 0; // dynamic power of a class
  for (const auto &[Class, Cost] : M.Power.Energies)
    Rest = std::max(Rest, powerAlone(M, Clocks, Class) - Pi0);
  if (Pi0 > 0 && Pi0 < LeastConstantW)
    Found.implausible("constant-power", "/constant_power",
                      "makes " + checkText(Pi0) + " W, less than any machine draws",
                      "write watts, or 0 where the model has none");
  else if (Rest > 0 && Pi0 > ConstantOverRest * Rest)
    Found.implausible("constant-power", "/constant_power",
                      "makes " + checkText(Pi0) + " W, " + checkText(Pi0 / Rest) +
                          " times what any class draws at full rate",
                      "write watts");
}

void CostChecker::checkUncertainties() {
  for (const auto &[Key, Source] : M.Sources)
    if (const double *Relative = std::get_if<double>(&Source.Uncertainty);
        Relative && *Relative > 1)
      Found.implausible("uncertainty", "/sources/" + token(Key) + "/uncertainty",
                        "is " + checkText(*Relative) + " times the value",
                        "write it relative to the value: 5 % are 0.05");
  if (!M.Fit.Quality)
    return;
  const std::pair<const char *, const std::optional<Quantity> &> Errors[] = {
      {"energy_error", M.Fit.Quality->EnergyError},
      {"energy_choice_error", M.Fit.Quality->EnergyChoiceError},
      {"time_error", M.Fit.Quality->TimeError},
      {"time_error_below", M.Fit.Quality->TimeErrorBelow},
      {"time_choice_error", M.Fit.Quality->TimeChoiceError}};
  for (const auto &[Key, Error] : Errors)
    if (Error && Error->Value > 1)
      Found.implausible("uncertainty", "/fit/" + std::string(Key) + "/value",
                        "is " + checkText(Error->Value) + " times what was measured",
                        "write it relative to that: 5 % are 0.05");
}

void checkCosts(const Machine &M, CheckFindings &Found) {
  CostChecker Check{M, Found};
  Check.checkRates();
  Check.checkLevels();
  Check.checkEnergies();
  Check.checkByteEnergies();
  // A wrong unit also makes balances and power wrong: reports only the cause.
  if (std::ranges::none_of(Found.All,
                           [](const CheckFinding &F) { return F.Rule.ends_with("-unit"); })) {
    Check.checkBalances();
    Check.checkPower();
    Check.checkConstantPower();
  }
  Check.checkUncertainties();
}

} // namespace ergon
