//===- StatedPower.cpp - energies of a machine without a meter ------------===//

#include "calibration/StatedPower.h"

#include <algorithm>
#include <cmath>

namespace ergon {

// docs/decisions/0044-estimated-profiles.md: shares of what a board draws that does nothing, flops,
// and streams of main memory; a byte of a cache over one of memory (Horowitz, ISSCC 2014,
// fig. 1.1.9); the error, a factor of √8 to both sides.
static constexpr double IdleShare = 0.288, FlopsShare = 1.005, MemoryShare = 0.717;
static constexpr double CacheOverMemory = 0.05, EnergyError = 0.53;
/// Operations that a busy core ends in a cycle beside a vector's, and flops of a vector's lane in
/// one: two units of multiply-adds.
static constexpr double OperationsPerCycle = 2, FlopsPerLane = 4;

std::expected<std::optional<StatedPower>, Error>
statedPower(std::optional<double> IdleW, std::optional<double> BusyW, std::optional<double> TdpW) {
  if (TdpW) {
    IdleW = IdleShare * *TdpW;
    BusyW = TdpW;
  }
  if (!IdleW && !BusyW)
    return std::nullopt;
  if (!IdleW || !BusyW)
    return std::unexpected(Error{"only one of two powers", "",
                                 "give --idle-w and --busy-w, or --tdp alone",
                                 IdleW ? "--idle-w" : "--busy-w"});
  if (!(*IdleW > 0) || !(*BusyW > *IdleW) || !std::isfinite(*BusyW))
    return std::unexpected(Error{"no machine draws that much idle and busy", "",
                                 "give watts above 0, more busy than idle",
                                 TdpW ? "--tdp" : "--idle-w, --busy-w"});
  return StatedPower{*IdleW, *BusyW};
}

void addEnergies(Machine &M, const StatedPower &Power, unsigned Threads,
                 const std::string &SourceKey) {
  auto RateOf = [&](const char *Class) {
    const auto Found = M.Timing.Throughputs.find(Class);
    return Found == M.Timing.Throughputs.end() ? 0.0 : Found->second.PerS.Value;
  };
  auto Price = [&](const char *Class, double Joules) {
    M.Power.Energies[Class] = {{Joules, SourceKey}, {}};
  };
  const double DynamicW = Power.BusyW - Power.IdleW;
  M.Power.Constant.MiscW = Quantity{Power.IdleW, SourceKey};
  if (!M.Fit.Quality)
    M.Fit.Quality.emplace();
  M.Fit.Quality->EnergyError = Quantity{EnergyError, SourceKey};
  for (const char *Flops : {"flops_f32", "flops_f64"})
    if (const double PerS = RateOf(Flops); PerS > 0)
      Price(Flops, DynamicW / PerS);
  if (const double PerS = RateOf("bytes_dram"); PerS > 0) {
    const double MemoryJ = DynamicW * (MemoryShare - IdleShare) / (FlopsShare - IdleShare) / PerS;
    Price("bytes_dram", MemoryJ);
    for (const char *Cache : {"bytes_l2", "bytes_l3"})
      if (RateOf(Cache) > 0)
        Price(Cache, CacheOverMemory * MemoryJ);
  }
  M.Power.BytesPaid = ByteEnergy::AtEachLevel;
  M.Power.BytesPaidSource = SourceKey;
  const double Hz =
      M.Timing.InCore && M.Timing.InCore->CoreHz ? M.Timing.InCore->CoreHz->Median.Value : 0;
  if (!(Hz > 0))
    return;
  // Counts of the algorithm do not tell scalar from vector code: a vector counts as the root of its
  // lanes.
  const double Lanes = std::max(1.0, RateOf("flops_f64") / (Threads * Hz * FlopsPerLane));
  const double OperationJ = DynamicW / (Threads * Hz * OperationsPerCycle) / std::sqrt(Lanes);
  for (const char *Operation :
       {"int_ops", "int_mul", "loads_memory", "stores_memory", "loads_stack", "stores_stack",
        "branches", "fp_other_f32", "fp_other_f64"})
    Price(Operation, OperationJ);
  for (const char *Rare : {"int_div", "special_f32", "special_f64"})
    if (const double PerS = RateOf(Rare); PerS > 0)
      Price(Rare, DynamicW / PerS);
}

} // namespace ergon
