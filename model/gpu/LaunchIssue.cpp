//===- LaunchIssue.cpp - what a launch issues, and waits for --------------===//

#include "model/gpu/LaunchIssue.h"
#include "model/machine/CostClass.h"

#include <algorithm>

namespace ergon {

/// Before compute capability 7.0 a multiply-add of 32 bits is three XMAD, and an address of 64 bits
/// is a shift and a sum of two parts: 2.75 in the kernels of gtx1080ti_counters.csv that are no
/// loop.
static constexpr double PartsOfMultiplyAdd = 2.75;

static double valueOf(const std::map<std::string, Rational> &Values, const std::string &Key) {
  auto Found = Values.find(Key);
  return Found == Values.end() ? 0 : Found->second.get_d();
}

static double valueOf(const std::map<std::string, Rational> &Values, CostClass Class) {
  return valueOf(Values, std::string(name(Class)));
}

/// The mean latency of a load, by where the launch's loads are served.
static double latencyOfLoads(const MemoryLatencies &Latencies, const DeviceReport *Traffic) {
  double Requested = 0; // sectors
  if (Traffic)
    for (const DeviceLine &Line : Traffic->Lines)
      if (Line.Access.What != Access::Kind::Store && servedBy(Line.Where) == ServedBy::Sectors)
        Requested += (Line.Asked.Sectors.Low + Line.Asked.Sectors.High) / 2;
  if (Requested <= 0)
    return Latencies.L2.Value;
  auto ShareOf = [](const Gap &Part, double Whole) {
    return Whole > 0 ? std::min(1.0, (Part.Low + Part.High) / 2 / Whole) : 0;
  };
  const Gap &FromL2 = Traffic->Total.L2Reads;
  const double BeyondL1 = ShareOf(FromL2, Requested);
  const double BeyondL2 = ShareOf(Traffic->Total.DramReads, (FromL2.Low + FromL2.High) / 2);
  return Latencies.L1.Value + BeyondL1 * (Latencies.L2.Value - Latencies.L1.Value +
                                          BeyondL2 * (Latencies.Dram.Value - Latencies.L2.Value));
}

BlockNeeds needsOf(const std::optional<DeviceResources> &Assembled) {
  BlockNeeds Result;
  if (Assembled && Assembled->Registers) {
    Result.RegistersPerThread = int(Assembled->Registers);
    Result.SharedBytes = Assembled->SharedBytes;
  }
  return Result;
}

/// Instructions of threads that neither compute numbers nor access memory.
static double othersOf(const std::map<std::string, Rational> &Values) {
  double Result =
      valueOf(Values, issue(IssuePipe::Move)) + valueOf(Values, issue(IssuePipe::Control));
  for (auto [Pipe, Type] : {std::pair{IssuePipe::FP32, "f32"}, {IssuePipe::FP64, "f64"}}) {
    const std::string Name = Type;
    // Steps of divisions and functions are fused, two flops each.
    const double Flops = valueOf(Values, "flops_" + Name) - valueOf(Values, "fma_" + Name) +
                         valueOf(Values, "steps_low_" + Name) / 2;
    Result += std::max(0.0, valueOf(Values, issue(Pipe)) - Flops);
  }
  return Result;
}

void addIssue(const LaunchOnDevice &Launch, const Device &D, CountValues &Result) {
  const std::map<std::string, Rational> &Values = Result.Values;
  auto Put = [&](const std::string &Class, const Rational &Value) {
    Result.Values[Class] = Value;
    Result.KnownAs[Class] = Known::Estimated;
  };
  double Issued = 0; // of threads
  for (unsigned Pipe = 0; Pipe != NumIssuePipes; ++Pipe)
    Issued += valueOf(Values, issue(IssuePipe(Pipe)));
  double Integers = valueOf(Values, issue(IssuePipe::Int));
  const double MultiplyAdds = valueOf(Values, issue(IssuePipe::Imad));
  const bool HasMultiplyAdd = D.Capability.Major >= 7;
  Integers += MultiplyAdds * (HasMultiplyAdd ? 1 : PartsOfMultiplyAdd);
  if (!HasMultiplyAdd)
    Issued += MultiplyAdds * (PartsOfMultiplyAdd - 1) -
              valueOf(Values, issue(IssuePipe::Uniform)); // these came with 7.5
  const LaunchSize &Size = Launch.Size;
  if (Issued <= 0 || Size.blocks() < 1 || Size.threads() < 1)
    return;
  const auto Blocks = double(Size.blocks());
  // The last warp of a block may have idle lanes, and lanes part at branches, as their accesses do.
  const double Whole = double(Size.warps()) / double(Size.threads());
  const double ToWarps =
      std::clamp(Launch.Traffic ? Launch.Traffic->warpsOfThreads() : 0, Whole, 1.0);
  Put("int_instructions", rationalOf(Integers));
  Put("other_instructions", rationalOf(othersOf(Values)));
  Put("warp_instructions", rationalOf(Issued * ToWarps));
  Put("blocks", Rational(Size.blocks()));
  Put("launches", Rational(1));
  if (!D.Latencies)
    return;
  const Residency Resident =
      residentBlocks(D.Limits, {Size.threads(), Size.RegistersPerThread,
                                Size.DynamicSharedBytes + Launch.StaticSharedBytes});
  if (Resident.Blocks < 1)
    return;
  const double AtOnce = double(Resident.Blocks) * D.Multiprocessors.Value;
  // Of a pointer of no known space no address is known: what it leads to is mostly near.
  const double Near = valueOf(Values, of(CostClass::Loads, Space::Generic)),
               Loads = Near + valueOf(Values, of(CostClass::Loads, Space::Global));
  const double NearShare = Loads > 0 ? Near / Loads : 0;
  const double Latency = NearShare * D.Latencies->L1.Value +
                         (1 - NearShare) * latencyOfLoads(*D.Latencies, Launch.Traffic);
  const double Cycles =
      valueOf(Values, CostClass::StallWait) +
      valueOf(Values, CostClass::StallLongScoreboard) * Latency +
      (valueOf(Values, CostClass::StallShortScoreboard) + valueOf(Values, CostClass::Barriers)) *
          D.Latencies->Shared.Value;
  const double OfWarp = Cycles * ToWarps / double(Size.warps()) / Blocks;
  const double Rounds = std::max(1.0, Blocks / AtOnce);
  Put(std::string(LatencyCycles), rationalOf(OfWarp * Rounds));
}

} // namespace ergon
