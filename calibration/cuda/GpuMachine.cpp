//===- GpuMachine.cpp - a profile from a GPU's probes ---------------------===//

#include "calibration/cuda/GpuMachine.h"
#include "model/machine/CostClass.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ergon::cuda {

bool isPriced(const std::string &Class) {
  const ClassKey Key = classify(Class);
  switch (Key.Family) {
  case ClassFamily::Loads:
  case ClassFamily::Stores:
    return false;
  case ClassFamily::LoadBytes:
  case ClassFamily::StoreBytes:
    return Key.Member != name(Space::Shared); // `bytes_shared` are the same
  default:
    return Class != name(CostClass::Barriers) && Class != name(CostClass::Branches);
  }
}

void addRates(Machine &M, const std::vector<GpuMeasured> &All, const std::string &Source) {
  struct Rate {
    double PerS, Low, High;
  };
  // A class without a probe of its own may be faster than the rate that other probes reached.
  std::set<std::string> Measured;
  for (const GpuMeasured &Each : All)
    if (!Each.Of->IsHalf)
      Measured.insert(Each.Of->Measures);
  std::map<std::string, Rate> Best;
  for (const GpuMeasured &Each : All) {
    if (Each.Of->OfZeros || Each.Of->IsHalf)
      continue;
    for (const auto &[Class, Units] : Each.Units) {
      if (!isPriced(Class) ||
          !(Measured.contains(Class) || classify(Class).Family == ClassFamily::Fma))
        continue;
      const Rate New{Units / Each.Seconds.Median, Units / Each.Seconds.High,
                     Units / Each.Seconds.Low};
      const auto [Had, IsNew] = Best.try_emplace(Class, New);
      if (!IsNew && Had->second.PerS < New.PerS)
        Had->second = New;
    }
  }
  if (!M.Fit.Quality)
    M.Fit.Quality.emplace();
  if (!M.Fit.Quality->Together)
    M.Fit.Quality->Together.emplace().Source = Source;
  Covariance &Together = *M.Fit.Quality->Together;
  for (const auto &[Class, Of] : Best) {
    M.Timing.Throughputs[Class].PerS = {Of.PerS, Source};
    Together.Coefficients.push_back("throughput." + Class);
    for (auto &Row : Together.Relative)
      Row.push_back(0);
    // Half the width of an interval of 95 % is 1.96 standard deviations of a normal error.
    Together.Relative.emplace_back(Together.Coefficients.size(), 0.0).back() =
        std::pow((Of.High - Of.Low) / 2 / 1.96 / Of.PerS, 2);
  }
  if (Together.Coefficients.empty())
    M.Fit.Quality->Together.reset();
}

std::vector<GpuMixed> predictMixed(const Machine &M, const std::vector<GpuMeasured> &All) {
  std::vector<GpuMixed> Result;
  for (const GpuMeasured &Each : All) {
    if (!Each.Of->Measures.empty())
      continue;
    double Longest = 0, Flops = 0;
    bool IsKnown = true; // what it mixes was measured
    for (const auto &[Class, Units] : Each.Units)
      IsKnown &= !(isFlops(Class) || Class == DramBytes) || M.Timing.Throughputs.contains(Class);
    if (!IsKnown)
      continue;
    for (const auto &[Class, Units] : Each.Units)
      if (auto Rate = M.Timing.Throughputs.find(Class); Rate != M.Timing.Throughputs.end()) {
        const double Takes = Units / Rate->second.PerS.Value;
        Longest = std::max(Longest, Takes);
        Flops += isFlops(Class) ? Takes : 0;
      }
    Result.push_back({Each.Of, Each.Seconds.Median, std::max(Longest, Flops)});
  }
  return Result;
}

Samples energySamples(const std::vector<GpuMeasured> &All, double CoreMhz) {
  Samples Result;
  std::vector<const GpuMeasured *> Rows;
  // Traffic that a probe causes only beside its subject, such as loading operands, shows no energy
  // of its own.
  std::set<std::string> Measured, Classes;
  for (const GpuMeasured &Each : All)
    if (Each.Of->Of)
      Measured.insert({Each.Of->Measures, Each.Of->Of->Measures});
  for (const GpuMeasured &Each : All) {
    const GpuProbe &Of = *Each.Of;
    if (!Each.Watts || Of.OfZeros || !Of.Of || Of.Of->Runs == Pattern::Random ||
        Of.Of->Runs == Pattern::Nothing)
      continue;
    Rows.push_back(&Each);
    for (const auto &[Class, Units] : Each.Units)
      if (isPriced(Class) &&
          (Measured.contains(Class) || classify(Class).Family == ClassFamily::Fma))
        Classes.insert(Class);
  }
  Result.Classes.assign(Classes.begin(), Classes.end());
  for (const GpuMeasured *Each : Rows) {
    Sample New;
    New.Workload = Each->Of->Name;
    New.At.CoreMhz = CoreMhz;
    New.TimeS = Each->Seconds.Median;
    New.EnergyJ = Each->Watts->Median * New.TimeS;
    for (const std::string &Class : Result.Classes) {
      auto Found = Each->Units.find(Class);
      New.Counts.push_back(Found == Each->Units.end() ? 0 : Found->second);
    }
    Result.Rows.push_back(std::move(New));
  }
  return Result;
}

std::vector<ZerosShare> zerosShares(const std::vector<GpuMeasured> &All) {
  std::vector<ZerosShare> Result;
  for (const GpuMeasured &Zeros : All)
    for (const GpuMeasured &Random : All)
      if (Zeros.Of->OfZeros && Zeros.Watts && Random.Watts &&
          Zeros.Of->Name == Random.Of->Name + "-zero")
        Result.push_back({Random.Of->Name, Zeros.Watts->Median / Random.Watts->Median});
  return Result;
}

std::vector<std::string> notBeyondL2(const std::vector<GpuMeasured> &All) {
  std::vector<std::string> Result;
  for (const GpuMeasured &Far : All)
    for (const GpuMeasured &Near : All) {
      if (Far.Of->Of != Near.Of->Of || !Far.Of->Of || Far.Of->OfZeros || Near.Of->OfZeros ||
          Far.Of->Level != "dram" || Near.Of->Level != "l2")
        continue;
      const double FarRate = Far.Units.at("bytes_l2") / Far.Seconds.Median,
                   NearRate = Near.Units.at("bytes_l2") / Near.Seconds.Median;
      if (FarRate > 0.95 * NearRate)
        Result.push_back(Far.Of->Name);
    }
  return Result;
}

void addDevice(Machine &M, const Properties &Is, const std::string &Source) {
  M.Kind = MachineKind::Gpu;
  Device &Of = M.Topology.Gpu.emplace();
  Of.Multiprocessors = {double(Is.Multiprocessors), Source};
  Of.Capability = Is.Capability;
  Of.CapabilitySource = Source;
  if (auto Limits = limitsOf(Is.Capability))
    Of.Limits = *Limits;
  Of.GlobalLoadsInL1 = Is.LoadsInL1;
  Of.GlobalLoadsSource = Source;
  if (Is.L2Bytes)
    M.Topology.Caches.push_back({.Level = "l2",
                                 .Bytes = Is.L2Bytes,
                                 .SectorBytes = {},
                                 .SharedBy = Is.Multiprocessors,
                                 .Source = Source});
}

} // namespace ergon::cuda
