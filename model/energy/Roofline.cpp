//===- Roofline.cpp - time, energy and power from counts ------------------===//

#include "model/energy/Roofline.h"
#include "model/machine/CostClass.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace ergon {

/// The shortest time in which \p DynamicJ can be spent under a cap: P = E/T = DynamicJ/T + π0 ≤
/// cap, solved for T (2013, section V-B, asks for it).
static double timeUnderCap(double DynamicJ, double Pi0, std::optional<double> PowerCap) {
  if (!PowerCap || DynamicJ == 0)
    return 0;
  if (*PowerCap <= Pi0)
    return std::numeric_limits<double>::infinity();
  return DynamicJ / (*PowerCap - Pi0);
}

double RooflineParameters::timeBalance() const { return TauMem / TauFlop; }
double RooflineParameters::energyBalance() const { return EpsMem / EpsFlop; }
double RooflineParameters::flopPower() const { return EpsFlop / TauFlop; }
double RooflineParameters::fullEnergyPerFlop() const { return EpsFlop + Pi0 * TauFlop; }
double RooflineParameters::constantEfficiency() const { return EpsFlop / fullEnergyPerFlop(); }

double RooflineParameters::effectiveBalance(double I) const {
  // 2013, eq. 6, with η·B_ε written as ε_mem/ε̂_flop, which ε_flop = 0 leaves defined, and
  // 1 - η as ε_0/ε̂_flop, which keeps its digits where η is near 1.
  return (EpsMem + Pi0 * TauFlop * std::max(0.0, timeBalance() - I)) / fullEnergyPerFlop();
}

double RooflineParameters::balancePoint() const {
  // Where the machine is compute-bound at the point, the max of eq. 6 is 0 and
  // I = η·B_ε. Else I = η·B_ε + (1 - η)(B_τ - I), which is linear in I.
  const double Floor = EpsMem / fullEnergyPerFlop();
  if (Floor >= timeBalance())
    return Floor;
  const double Constant = Pi0 * TauFlop / fullEnergyPerFlop();
  return (Floor + Constant * timeBalance()) / (1 + Constant);
}

double RooflineParameters::roofline(double I) const { return std::min(1.0, I / timeBalance()); }

double RooflineParameters::archLine(double I) const { return 1 / (1 + effectiveBalance(I) / I); }

double RooflineParameters::powerline(double I) const {
  // 2013, eq. 7, with π_flop/η_flop written as ε̂_flop/τ_flop.
  const double Balance = timeBalance();
  return fullEnergyPerFlop() / TauFlop *
         (std::min(I, Balance) / Balance + effectiveBalance(I) / std::max(I, Balance));
}

double RooflineParameters::powerBound() const {
  // 2013, eq. 8: π_flop·(1 + B_ε/B_τ), with π_flop·B_ε/B_τ written as ε_mem/τ_mem.
  return flopPower() + EpsMem / TauMem + Pi0;
}

double RooflineParameters::time(double W, double Q) const {
  return std::max({W * TauFlop, Q * TauMem, timeUnderCap(W * EpsFlop + Q * EpsMem, Pi0, PowerCap)});
}

double RooflineParameters::energy(double W, double Q) const {
  return W * EpsFlop + Q * EpsMem + Pi0 * time(W, Q);
}

double RooflineParameters::power(double W, double Q) const {
  const double T = time(W, Q);
  return T > 0 ? energy(W, Q) / T : 0;
}

double RooflineParameters::stretch(double I) const {
  return PowerCap ? std::max(1.0, (powerline(I) - Pi0) / (*PowerCap - Pi0)) : 1;
}

std::optional<std::pair<double, double>> RooflineParameters::cappedIntensities() const {
  if (!PowerCap || powerBound() <= *PowerCap)
    return std::nullopt;
  // Dynamic power is π_mem + π_flop·I/B_τ below B_τ and π_flop + π_mem·B_τ/I above it.
  const double Left = *PowerCap - Pi0, MemPower = EpsMem / TauMem;
  const double From = Left > MemPower ? timeBalance() * (Left - MemPower) / flopPower() : 0;
  const double To = Left > flopPower() ? timeBalance() * MemPower / (Left - flopPower())
                                       : std::numeric_limits<double>::infinity();
  return std::pair(From, To);
}

double RooflineParameters::greenup(double W, double Q, double F, double M) const {
  return energy(W, Q) / energy(F * W, Q / M);
}

double RooflineParameters::greenupLimit(double I, double M) const {
  // Energy per flop of the baseline is max(F·ε̂ + ε_mem/(M·I), F·ε + (ε_mem + π0·τ_mem)/(M·I)),
  // both rising with F: it is the baseline's own at the lesser of two F. Without π0 the two
  // are one, 1 + (M - 1)/M·B_ε/I (2013, eq. 10).
  const double Saved = EpsMem / I * (1 - 1 / M), TimeMem = TauMem / I;
  const double InTime = 1 + (Saved + Pi0 * std::max(0.0, TimeMem - TauFlop)) / fullEnergyPerFlop();
  if (EpsFlop == 0)
    return InTime;
  return std::min(InTime, 1 + (Saved + Pi0 * (std::max(TauFlop, TimeMem) - TimeMem / M)) / EpsFlop);
}

std::optional<RooflineParameters> rooflineParameters(const Machine &M, const Setting &Clocks,
                                                     const std::string &FlopsClass) {
  const auto TauFlop = M.timePerUnit(FlopsClass, Clocks),
             TauMem = M.timePerUnit("bytes_dram", Clocks);
  const auto EpsFlop = M.energyPerUnit(FlopsClass, Clocks),
             EpsMem = M.energyPerUnit("bytes_dram", Clocks);
  const auto Pi0 = M.constantPower(Clocks);
  if (!TauFlop || !TauMem || !EpsFlop || !EpsMem || !Pi0 || *EpsFlop + *Pi0 <= 0)
    return std::nullopt;
  RooflineParameters R{*TauFlop, *TauMem, *EpsFlop, *EpsMem, *Pi0, std::nullopt};
  if (M.Power.Cap)
    R.PowerCap = M.Power.Cap->Value;
  return R;
}

/// Where a byte's cost includes its path through inner levels: subtracts the cost of the nearest
/// counted level, which counts the byte too.
static void takeOffInnerLevels(std::span<const std::string> Classes, std::vector<UnitCost> &Units) {
  std::optional<double> Inner;
  for (const char *Class : {"bytes_l1", "bytes_l2", "bytes_l3", "bytes_dram"}) {
    auto Found = std::ranges::find(Classes, Class);
    if (Found == Classes.end() || !Units[Found - Classes.begin()].HasEnergy)
      continue;
    double &Price = Units[Found - Classes.begin()].EpsJ;
    Price -= std::exchange(Inner, Price).value_or(0);
  }
}

SettingCosts::SettingCosts(const Machine &M, const Setting &Clocks,
                           std::span<const std::string> Classes)
    : Pi0W(M.constantPower(Clocks)) {
  Units.reserve(Classes.size());
  for (const std::string &Class : Classes) {
    const std::optional<double> Eps = M.energyPerUnit(Class, Clocks),
                                Tau = M.timePerUnit(Class, Clocks);
    Units.push_back({Eps.value_or(0), Tau.value_or(0), Eps.has_value(), Tau.has_value(),
                     isFlops(Class), Class == name(CostClass::Launches)});
  }
  if (M.Power.BytesPaid == ByteEnergy::WhereServed)
    takeOffInnerLevels(Classes, Units);
  if (M.Power.Cap)
    CapW = M.Power.Cap->Value;
  if (M.Timing.OverlapExponent)
    OverlapExponent = M.Timing.OverlapExponent->Value;
  Saturates = M.Power.Saturates;
  if (!M.Fit.Corrects)
    return;
  Corrects = &*M.Fit.Corrects;
  CoreMhz = Clocks.mhz(Domain::Core);
  for (const Correction::Axis &Axis : Corrects->Axes) {
    auto Found = std::ranges::find(Classes, Axis.Class);
    CorrectsClass.push_back(Found == Classes.end() ? -1 : int(Found - Classes.begin()));
  }
}

double SettingCosts::sum(std::span<const double> Counts) const {
  double SumJ = 0;
  for (std::size_t K = 0; K != Units.size(); ++K)
    SumJ += Counts[K] * Units[K].EpsJ;
  return SumJ;
}

double SettingCosts::logCorrection(double TimeS, std::span<const double> Counts) const {
  if (!Corrects || TimeS == 0)
    return 0;
  double Rates[Correction::MaxAxes], Place[Correction::MaxAxes + 1];
  for (std::size_t K = 0; K != CorrectsClass.size(); ++K)
    Rates[K] = CorrectsClass[K] < 0 ? 0 : Counts[CorrectsClass[K]] / TimeS;
  const std::span<double> Result(Place, Corrects->dimensions());
  Corrects->place({Rates, CorrectsClass.size()}, CoreMhz, Result);
  return Corrects->logFactor(Result);
}

double SettingCosts::underCap(double SumJ, double LogFactor) const {
  if (!CapW)
    return 0;
  const double Pi0 = Pi0W.value_or(0), Watts = *CapW * std::exp(-LogFactor);
  if (!Saturates || Watts <= Pi0)
    return timeUnderCap(SumJ, Pi0, Watts);
  return SumJ / Saturates->sumWatts(Watts - Pi0);
}

PlainCost SettingCosts::in(double TimeS, std::span<const double> Counts) const {
  PlainCost Result;
  Result.TimeS = TimeS;
  if (TimeS == 0)
    return Result;
  double DynamicW = sum(Counts) / TimeS;
  if (Saturates)
    DynamicW = Saturates->watts(DynamicW);
  const double Factor = std::exp(logCorrection(TimeS, Counts));
  double Scale = Factor * TimeS;
  if (const double Watts = (DynamicW + Pi0W.value_or(0)) * Factor; CapW && Watts > *CapW) {
    Scale *= *CapW / Watts;
    Result.Bound = PlainCost::CapBound;
  }
  Result.DynamicJ = DynamicW * Scale;
  Result.EnergyJ = Result.DynamicJ + Pi0W.value_or(0) * Scale;
  return Result;
}

/// (Σ t^p)^(1/p) over the classes' times t, of which \p LongestS is the longest.
static double overlapped(double P, double LongestS, std::span<const UnitCost> Units,
                         std::span<const double> Counts) {
  double Sum = 0;
  for (std::size_t K = 0; K != Units.size(); ++K)
    if (const double TimeS = Counts[K] * Units[K].TauS; TimeS > 0 && !Units[K].IsLaunch)
      Sum += std::pow(TimeS / LongestS, P);
  return LongestS * std::pow(Sum, 1 / P);
}

PlainCost SettingCosts::byThroughput(std::span<const double> Counts) const {
  PlainCost Result;
  double FlopsTimeS = 0, LongestFlopsS = 0, LaunchS = 0;
  int LongestFlops = PlainCost::NoBound, Launch = PlainCost::NoBound;
  for (std::size_t K = 0; K != Units.size(); ++K) {
    const UnitCost &Unit = Units[K];
    const double TimeS = Counts[K] * Unit.TauS;
    if (Unit.IsLaunch) {
      LaunchS = TimeS;
      Launch = int(K);
      continue;
    }
    if (Unit.IsFlops)
      FlopsTimeS += TimeS;
    double &Longest = Unit.IsFlops ? LongestFlopsS : Result.TimeS;
    if (TimeS > Longest) {
      Longest = TimeS;
      (Unit.IsFlops ? LongestFlops : Result.Bound) = int(K);
    }
  }
  if (OverlapExponent) {
    if (LongestFlopsS > Result.TimeS) {
      Result.TimeS = LongestFlopsS;
      Result.Bound = LongestFlops;
    }
    if (Result.TimeS > 0 && std::isfinite(Result.TimeS))
      Result.TimeS = overlapped(*OverlapExponent, Result.TimeS, Units, Counts);
  } else if (FlopsTimeS >= Result.TimeS &&
             FlopsTimeS > 0) { // I ≥ B_τ is compute-bound (2013, II-C)
    Result.TimeS = FlopsTimeS;
    Result.Bound = LongestFlops;
  }
  if (LaunchS > Result.TimeS)
    Result.Bound = Launch;
  Result.TimeS += LaunchS;
  return Result;
}

PlainCost SettingCosts::of(std::span<const double> Counts) const {
  PlainCost Result = byThroughput(Counts);
  const double SumJ = sum(Counts);
  const double LogFactor = logCorrection(Result.TimeS, Counts);
  if (const double Capped = underCap(SumJ, LogFactor); Capped > Result.TimeS) {
    Result.TimeS = Capped;
    Result.Bound = PlainCost::CapBound;
  }
  // Takes no time where no counted class has a throughput.
  Result.DynamicJ = SumJ;
  if (Saturates && Result.TimeS > 0 && std::isfinite(Result.TimeS))
    Result.DynamicJ = Saturates->watts(SumJ / Result.TimeS) * Result.TimeS;
  Result.EnergyJ = Result.DynamicJ + Pi0W.value_or(0) * Result.TimeS;
  if (LogFactor != 0) {
    Result.DynamicJ *= std::exp(LogFactor);
    Result.EnergyJ *= std::exp(LogFactor);
  }
  return Result;
}

double SettingCosts::roof(int Which, std::span<const double> Counts) const {
  if (Which == PlainCost::NoBound)
    return 0;
  if (Which >= 0 && !Units[Which].IsFlops)
    return Counts[Which] * Units[Which].TauS;
  if (Which == PlainCost::CapBound)
    return underCap(sum(Counts), 0);
  double FlopsTimeS = 0;
  for (std::size_t K = 0; K != Units.size(); ++K)
    if (Units[K].IsFlops)
      FlopsTimeS += Counts[K] * Units[K].TauS;
  return FlopsTimeS;
}

static std::string boundName(int Bound, std::span<const std::string> Classes) {
  if (Bound == PlainCost::NoBound)
    return "none";
  if (Bound == PlainCost::CapBound)
    return "power_cap";
  const std::string &Class = Classes[Bound];
  return std::string(memoryLevel(Class).value_or(Class));
}

Estimate estimate(const SettingCosts &Costs, std::span<const std::string> Classes,
                  std::span<const double> Counts) {
  const PlainCost Plain = Costs.of(Counts);
  Estimate Result;
  bool IsByIssue = false; // machine instructions have the costs of flops
  for (std::size_t K = 0; K != Classes.size(); ++K)
    IsByIssue |= Counts[K] > 0 && Costs.Units[K].HasTime &&
                 classify(Classes[K]).Family == ClassFamily::Issue;
  for (std::size_t K = 0; K != Classes.size(); ++K) {
    const std::string &Class = Classes[K];
    const ClassFamily Family = classify(Class).Family;
    if (Counts[K] == 0 || Family == ClassFamily::Steps) // in the flops' costs
      continue;
    const UnitCost &Unit = Costs.Units[K];
    // Operations have their costs, or their machine instructions have them.
    if ((isMachineCode(Class) || Unit.IsLaunch || (IsByIssue && Unit.IsFlops)) && !Unit.HasEnergy &&
        !Unit.HasTime)
      continue;
    if ((!Unit.HasEnergy || !Unit.HasTime) && (Unit.IsFlops || Class == DramBytes))
      Result.Missing.push_back(Class);
    else if (!Unit.HasEnergy || (Unit.EpsJ == 0 && !Unit.IsLaunch)) // 0 J is no price of work
      Result.Unpriced.push_back(Class);
    else if (!Unit.HasTime)
      Result.Untimed.push_back(Class);
    if (Unit.HasEnergy)
      Result.BreakdownJ[Class] = Counts[K] * Unit.EpsJ;
  }
  if (!Costs.Pi0W)
    Result.Missing.emplace_back("constant");
  Result.TimeS = Plain.TimeS;
  Result.Bound = boundName(Plain.Bound, Classes);
  double SumJ = 0;
  for (const auto &[Class, Joules] : Result.BreakdownJ)
    SumJ += Joules;
  // Each class gets its share of the total cost.
  if (SumJ != Plain.DynamicJ)
    for (auto &[Class, Joules] : Result.BreakdownJ)
      Joules *= Plain.DynamicJ / SumJ;
  Result.BreakdownJ["constant"] = Plain.EnergyJ - Plain.DynamicJ;
  Result.EnergyJ = Plain.EnergyJ;
  Result.PowerW = Plain.powerW();
  return Result;
}

Estimate estimate(const Machine &M, const Setting &Clocks,
                  const std::map<std::string, double> &Counts) {
  std::vector<std::string> Classes;
  std::vector<double> Values;
  for (const auto &[Class, Count] : Counts) {
    Classes.push_back(Class);
    Values.push_back(Count);
  }
  return estimate(SettingCosts(M, Clocks, Classes), Classes, Values);
}

} // namespace ergon
