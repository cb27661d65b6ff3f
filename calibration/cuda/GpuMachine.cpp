//===- GpuMachine.cpp - a profile from a GPU's probes ---------------------===//

#include "calibration/cuda/GpuMachine.h"
#include "model/machine/CostClass.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
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
    return Class != name(CostClass::Barriers) && Class != name(CostClass::Branches) &&
           !Class.starts_with(WalkPrefix);
  }
}

void addRates(Machine &M, const std::vector<GpuMeasured> &All, const std::string &Source) {
  struct Rate {
    double PerS, Low, High;
  };
  // A class without a probe of its own may be faster than the rate that other probes reached.
  std::set<std::string> Measured;
  for (const GpuMeasured &Element : All)
    if (!Element.Probe->IsHalf)
      Measured.insert(Element.Probe->Measures);
  std::map<std::string, Rate> Best;
  std::set<std::string> Copied; // by a kernel
  const auto IsCopied = [](const GpuMeasured &GM, const std::string &Class) {
    return GM.Probe->Code && GM.Probe->Code->Reads && GM.Probe->Code->Writes &&
           GM.Probe->Measures == Class;
  };
  for (const GpuMeasured &GM : All)
    if (IsCopied(GM, GM.Probe->Measures))
      Copied.insert(GM.Probe->Measures);
  for (const GpuMeasured &GM : All) {
    if (GM.Probe->Zeros || GM.Probe->IsHalf)
      continue;
    for (const auto &[Class, Units] : GM.Units) {
      if (!isPriced(Class) || (Copied.contains(Class) && !IsCopied(GM, Class)) ||
          !(Measured.contains(Class) || classify(Class).Family == ClassFamily::Fma))
        continue;
      const Rate New{Units / GM.Seconds.Median, Units / GM.Seconds.High, Units / GM.Seconds.Low};
      const auto [Had, IsNew] = Best.try_emplace(Class, New);
      if (!IsNew && Had->second.PerS < New.PerS)
        Had->second = New;
    }
  }
  if (!M.Fit.Quality)
    M.Fit.Quality.emplace();
  if (!M.Fit.Quality->JointCovariance)
    M.Fit.Quality->JointCovariance.emplace().Source = Source;
  Covariance &JointCovariance = *M.Fit.Quality->JointCovariance;
  for (const auto &[Class, R] : Best) {
    M.Timing.Throughputs[Class].PerS = {R.PerS, Source};
    JointCovariance.Coefficients.push_back("throughput." + Class);
    for (auto &Row : JointCovariance.Relative)
      Row.push_back(0);
    // Half the width of an interval of 95 % is 1.96 standard deviations of a normal error.
    JointCovariance.Relative.emplace_back(JointCovariance.Coefficients.size(), 0.0).back() =
        std::pow((R.High - R.Low) / 2 / 1.96 / R.PerS, 2);
  }
  if (JointCovariance.Coefficients.empty())
    M.Fit.Quality->JointCovariance.reset();
}

void addLatencies(Machine &M, const std::vector<GpuMeasured> &All, double ClockHz,
                  const std::string &Source) {
  // An address stands between a load and the next, as ptxas spaces them.
  constexpr double Between = 6;
  std::map<std::string, double> Cycles;
  double InL2 = 0; // part of the walk through main memory that L2 has
  for (const GpuMeasured &GM : All)
    if (GM.Probe->Code && GM.Probe->Code->Runs == Pattern::Walk) {
      Cycles[GM.Probe->Level] =
          GM.Seconds.Median * ClockHz / GM.Units.at(GM.Probe->Measures) - Between;
      if (GM.Probe->Level == "dram")
        InL2 = double(M.Topology.Caches.back().Bytes) / double(GM.Probe->InBytes);
    }
  if (InL2 < 1)
    Cycles["dram"] = (Cycles["dram"] - InL2 * Cycles["l2"]) / (1 - InL2);
  const auto Of = [&](const char *Level) { return Quantity{Cycles[Level], Source}; };
  if (Cycles.size() == 4)
    M.Topology.Gpu->Latencies = {
        .Shared = Of("shared"), .L1 = Of("l1"), .L2 = Of("l2"), .Dram = Of("dram")};
}

void addIssueRates(Machine &M, double ClockHz, const std::string &Source) {
  const ComputeCapability Capability = M.Topology.Gpu->Capability;
  if (Capability.Major < 7) // its machine code is not read
    return;
  const double Processors = M.Topology.Gpu->Multiprocessors.Value;
  const auto Rates = &M.Timing.Throughputs;
  const auto Put = [&](const std::string &Class, double PerCycle) {
    (*Rates)[Class].PerS = {PerCycle * Processors * ClockHz, Source};
  };
  const auto Pipe = [](IssuePipe Of) { return std::string(name(issue(Of))); };
  const auto Reached = [&](IssuePipe Of, const char *Class, double Lanes) {
    if (auto Found = Rates->find(Class); Found != Rates->end())
      (*Rates)[Pipe(Of)].PerS = {Found->second.PerS.Value / Lanes, Found->second.PerS.Source};
  };
  Reached(IssuePipe::FP32, "fma_f32", 1);
  Reached(IssuePipe::FP64, "fma_f64", 1);
  Reached(IssuePipe::FP16, "fma_f16", 2); // two at once
  Reached(IssuePipe::Imad, "int_mul", 1);
  Reached(IssuePipe::Sfu, "special_f32", 1);
  // NVIDIA, CUDA C++ Programming Guide 13.0, "Arithmetic Instructions", and the tuning guides of
  // the capabilities: four schedulers of one warp a cycle each; half as many load and store units
  // in boards for games.
  const bool IsLarge = Capability.Minor == 0 && Capability.Major < 12;
  Put(Pipe(IssuePipe::Int), 64);
  Put(Pipe(IssuePipe::Move), 128);
  Put(Pipe(IssuePipe::Control), 64);
  Put(Pipe(IssuePipe::Uniform), 64);
  Put(Pipe(IssuePipe::Lsu), IsLarge ? 32 : 16);
  Put("warp_instructions", 4);
  (*Rates)[std::string(LatencyCycles)].PerS = {ClockHz, Source};
}

std::vector<GpuMixed> predictMixed(const Machine &M, const std::vector<GpuMeasured> &All) {
  std::vector<GpuMixed> Result;
  for (const GpuMeasured &Measured : All) {
    if (!Measured.Probe->Measures.empty())
      continue;
    double Longest = 0, Flops = 0;
    bool IsKnown = true; // what it mixes was measured
    for (const auto &[Class, Units] : Measured.Units)
      IsKnown &= !(isFlops(Class) || Class == DramBytes) || M.Timing.Throughputs.contains(Class);
    if (!IsKnown)
      continue;
    for (const auto &[Class, Units] : Measured.Units)
      if (auto Rate = M.Timing.Throughputs.find(Class); Rate != M.Timing.Throughputs.end()) {
        const double Takes = Units / Rate->second.PerS.Value;
        Longest = std::max(Longest, Takes);
        Flops += isFlops(Class) ? Takes : 0;
      }
    Result.push_back({Measured.Probe, Measured.Seconds.Median, std::max(Longest, Flops)});
  }
  return Result;
}

/// Whether the bytes that it moves are known at each level, and there is enough to be seen.
static bool showsPrices(Pattern Runs) {
  switch (Runs) {
  case Pattern::Random:
  case Pattern::Lines:
  case Pattern::Walk:
  case Pattern::Nothing:
  case Pattern::Blocks:
    return false;
  default:
    return true;
  }
}

Samples energySamples(const std::vector<GpuMeasured> &All, double CoreMhz) {
  Samples Result;
  std::vector<const GpuMeasured *> Rows;
  // Traffic that a probe causes only beside its subject, such as loading operands, shows no energy
  // of its own.
  std::set<std::string> Measured, Classes;
  for (const GpuMeasured &GM : All)
    if (GM.Probe->Code)
      Measured.insert({GM.Probe->Measures, GM.Probe->Code->Measures});
  for (const GpuMeasured &M : All) {
    const GpuProbe &GP = *M.Probe;
    if (!M.Watts || GP.Zeros || !GP.Code || !showsPrices(GP.Code->Runs))
      continue;
    Rows.push_back(&M);
    for (const auto &[Class, Units] : M.Units)
      if (isPriced(Class) &&
          (Measured.contains(Class) || classify(Class).Family == ClassFamily::Fma))
        Classes.insert(Class);
  }
  Result.Classes.assign(Classes.begin(), Classes.end());
  for (const GpuMeasured *Row : Rows) {
    Sample New;
    New.Workload = Row->Probe->Name;
    New.Clocks.CoreMhz = CoreMhz;
    New.TimeS = Row->Seconds.Median;
    New.EnergyJ = Row->Watts->Median * New.TimeS;
    for (const std::string &Class : Result.Classes) {
      auto Found = Row->Units.find(Class);
      New.Counts.push_back(Found == Row->Units.end() ? 0 : Found->second);
    }
    Result.Rows.push_back(std::move(New));
  }
  return Result;
}

namespace {
/// The same probe with both, each with its power.
struct RandomAndZeros {
  const GpuProbe *Probe; ///< with random operands
  double RandomW, ZerosW;
};
} // namespace

static std::vector<RandomAndZeros> withZeros(const std::vector<GpuMeasured> &All) {
  std::vector<RandomAndZeros> Result;
  for (const GpuMeasured &Zeros : All)
    for (const GpuMeasured &Random : All)
      if (Zeros.Probe->Zeros && Zeros.Watts && Random.Watts &&
          Zeros.Probe->Name == Random.Probe->Name + "-zero")
        Result.push_back({Random.Probe, Random.Watts->Median, Zeros.Watts->Median});
  return Result;
}

std::vector<ZerosShare> zerosShares(const std::vector<GpuMeasured> &All) {
  std::vector<ZerosShare> Result;
  for (const RandomAndZeros &Both : withZeros(All))
    Result.push_back({Both.Probe->Name, Both.ZerosW / Both.RandomW});
  return Result;
}

void takeMiddle(Machine &M, const std::vector<GpuMeasured> &All) {
  if (!M.Power.Constant.MiscW)
    return;
  const double ConstantW = M.Power.Constant.MiscW->Value;
  std::map<std::string, std::vector<double>> Shares; // by class: of zeros
  for (const RandomAndZeros &Both : withZeros(All))
    if (!Both.Probe->Level.empty() && Both.RandomW > ConstantW)
      Shares[Both.Probe->Measures].push_back(
          std::clamp((Both.ZerosW - ConstantW) / (Both.RandomW - ConstantW), 0.0, 1.0));
  // What is stored passes the same wires as what is loaded.
  const std::string Loads = "load_bytes_global";
  if (auto Found = Shares.find(Loads); Found != Shares.end())
    Shares["store_bytes_global"] = Found->second;
  for (const auto &[Class, Of] : Shares)
    if (auto Price = M.Power.Energies.find(Class); Price != M.Power.Energies.end())
      Price->second.Coefficient.Value *=
          (1 + std::accumulate(Of.begin(), Of.end(), 0.0) / double(Of.size())) / 2;
}

std::vector<std::string> notBeyondL2(const std::vector<GpuMeasured> &All) {
  std::vector<std::string> Result;
  for (const GpuMeasured &Far : All)
    for (const GpuMeasured &Near : All) {
      if (Far.Probe->Code != Near.Probe->Code || !Far.Probe->Code || Far.Probe->Zeros ||
          Near.Probe->Zeros || Far.Probe->Level != "dram" || Near.Probe->Level != "l2")
        continue;
      const double FarRate = Far.Units.at("bytes_l2") / Far.Seconds.Median,
                   NearRate = Near.Units.at("bytes_l2") / Near.Seconds.Median;
      if (FarRate > 0.95 * NearRate)
        Result.push_back(Far.Probe->Name);
    }
  return Result;
}

/// L1 and shared memory together, of a multiprocessor, in bytes; 0 where they are not one memory:
/// NVIDIA, CUDA C++ Programming Guide 13.0, compute capabilities, "shared memory".
static std::uint64_t unifiedBytes(ComputeCapability Capability) {
  constexpr std::pair<ComputeCapability, std::uint64_t> Table[] = {
      {{7, 0}, 128},  {{7, 2}, 128},  {{7, 5}, 96},  {{8, 0}, 192},  {{8, 6}, 128},
      {{8, 7}, 192},  {{8, 9}, 128},  {{9, 0}, 256}, {{10, 0}, 256}, {{10, 3}, 256},
      {{11, 0}, 256}, {{12, 0}, 128}, {{12, 1}, 128}};
  for (const auto &[Which, KiB] : Table)
    if (Which == Capability)
      return KiB << 10;
  return 0;
}

void addDevice(Machine &M, const Properties &P, const std::string &Source) {
  M.Kind = MachineKind::Gpu;
  Device &D = M.Topology.Gpu.emplace();
  D.Multiprocessors = {double(P.Multiprocessors), Source};
  D.Capability = P.Capability;
  D.CapabilitySource = Source;
  if (auto Limits = limitsOf(P.Capability))
    D.Limits = *Limits;
  D.GlobalLoadsInL1 = P.LoadsInL1;
  D.GlobalLoadsSource = Source;
  if (const std::uint64_t Bytes = unifiedBytes(P.Capability); Bytes && P.LoadsInL1) {
    M.Sources["guide"] = {SourceKind::Datasheet,
                          "NVIDIA, CUDA C++ Programming Guide 13.0, compute capabilities: L1 and "
                          "shared memory together",
                          "2025-08-04", "", std::string("L1 is what a kernel leaves of it")};
    M.Topology.Caches.push_back({.Level = "l1",
                                 .Bytes = Bytes,
                                 .LineBytes = 128,
                                 .SectorBytes = 32,
                                 .SharedBy = 1,
                                 .WithShared = true,
                                 .Source = "guide"});
  }
  if (P.L2Bytes)
    M.Topology.Caches.push_back({.Level = "l2",
                                 .Bytes = P.L2Bytes,
                                 .LineBytes = 128,
                                 .SectorBytes = 32,
                                 .SharedBy = P.Multiprocessors,
                                 .Source = Source});
}

} // namespace ergon::cuda
