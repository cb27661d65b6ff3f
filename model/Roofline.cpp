//===- Roofline.cpp - time, energy and power from counts ------------------===//

#include "model/Roofline.h"

#include <algorithm>
#include <limits>

namespace ergon {

/// The least time in which \p DynamicJ can be spent under a cap: P = E/T =
/// DynamicJ/T + π0 ≤ cap, solved for T (2013, section V-B, asks for it).
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
  // 2013, eq. 6, with η·B_ε written as ε_mem/ε̂_flop: defined for ε_flop = 0 too.
  return EpsMem / fullEnergyPerFlop() +
         (1 - constantEfficiency()) * std::max(0.0, timeBalance() - I);
}

double RooflineParameters::balancePoint() const {
  // Where the machine is compute-bound at the point, the max of eq. 6 is 0 and
  // I = η·B_ε. Else I = η·B_ε + (1 - η)(B_τ - I), which is linear in I.
  const double Floor = EpsMem / fullEnergyPerFlop();
  if (Floor >= timeBalance())
    return Floor;
  const double Constant = 1 - constantEfficiency();
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

double RooflineParameters::greenup(double W, double Q, double F, double M) const {
  return energy(W, Q) / energy(F * W, Q / M);
}

double RooflineParameters::greenupLimit(double I, double M) const {
  return 1 + (M - 1) / M * energyBalance() / I; // 2013, eq. 10
}

std::optional<RooflineParameters> rooflineParameters(const Machine &M, const Setting &At,
                                                     const std::string &FlopsClass) {
  const auto TauFlop = M.timePerUnit(FlopsClass, At), TauMem = M.timePerUnit("bytes_dram", At);
  const auto EpsFlop = M.energyPerUnit(FlopsClass, At), EpsMem = M.energyPerUnit("bytes_dram", At);
  const auto Pi0 = M.constantPower(At);
  if (!TauFlop || !TauMem || !EpsFlop || !EpsMem || !Pi0 || *EpsFlop + *Pi0 <= 0)
    return std::nullopt;
  RooflineParameters R{*TauFlop, *TauMem, *EpsFlop, *EpsMem, *Pi0, std::nullopt};
  if (M.PowerCap)
    R.PowerCap = M.PowerCap->Value;
  return R;
}

namespace {
/// Time of the classes seen so far, and whose it is.
struct Roof {
  double TimeS = 0;
  std::string Name = "none";

  void raise(double Time, std::string By) {
    if (Time > TimeS)
      *this = {Time, std::move(By)};
  }
};
} // namespace

static bool isFlops(std::string_view Class) { return Class.starts_with("flops_"); }

static std::string boundName(const std::string &Class) {
  constexpr std::string_view Prefix = "bytes_";
  return Class.starts_with(Prefix) ? Class.substr(Prefix.size()) : Class;
}

Estimate estimate(const Machine &M, const Setting &At,
                  const std::map<std::string, double> &Counts) {
  Estimate Result;
  Roof Longest, LongestFlops;
  double FlopsTimeS = 0, DynamicJ = 0;
  for (const auto &[Class, Count] : Counts) {
    if (Count == 0)
      continue;
    const std::optional<double> Eps = M.energyPerUnit(Class, At), Tau = M.timePerUnit(Class, At);
    if ((!Eps || !Tau) && (isFlops(Class) || Class == "bytes_dram"))
      Result.Missing.push_back(Class);
    else if (!Eps)
      Result.Unpriced.push_back(Class);
    else if (!Tau)
      Result.Untimed.push_back(Class);
    if (Eps)
      DynamicJ += Result.BreakdownJ[Class] = Count * *Eps;
    if (Tau && isFlops(Class)) {
      FlopsTimeS += Count * *Tau;
      LongestFlops.raise(Count * *Tau, Class);
    } else if (Tau) {
      Longest.raise(Count * *Tau, boundName(Class));
    }
  }
  if (FlopsTimeS >= Longest.TimeS && FlopsTimeS > 0) // I ≥ B_τ is compute-bound (2013, II-C)
    Longest = {FlopsTimeS, LongestFlops.Name};

  const std::optional<double> Pi0 = M.constantPower(At);
  if (!Pi0)
    Result.Missing.emplace_back("constant");
  const std::optional<double> Cap = M.PowerCap ? std::optional(M.PowerCap->Value) : std::nullopt;
  Longest.raise(timeUnderCap(DynamicJ, Pi0.value_or(0), Cap), "power_cap");

  Result.TimeS = Longest.TimeS;
  Result.Bound = Longest.Name;
  Result.BreakdownJ["constant"] = Pi0.value_or(0) * Longest.TimeS;
  Result.EnergyJ = DynamicJ + Result.BreakdownJ["constant"];
  Result.PowerW = Longest.TimeS > 0 ? Result.EnergyJ / Longest.TimeS : 0;
  return Result;
}

} // namespace ergon
