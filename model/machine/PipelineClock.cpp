//===- PipelineClock.cpp - a core at another clock ------------------------===//

#include "model/machine/PipelineClock.h"
#include "model/machine/CostClass.h"

namespace ergon {

static void multiply(MeasuredQuantity &Quantity, double Factor) {
  Quantity.Median.Value *= Factor;
  Quantity.Low *= Factor;
  Quantity.High *= Factor;
}

static void multiply(std::optional<MeasuredQuantity> &Quantity, double Factor) {
  if (Quantity)
    multiply(*Quantity, Factor);
}

static bool followsCore(const Machine &M, const std::string &Level) {
  const auto Found = M.Timing.Throughputs.find(levelBytes(Level));
  return Level == "l1" ||
         (Found != M.Timing.Throughputs.end() && Found->second.Clock == Domain::Core);
}

Pipeline pipelineAt(const Machine &M, const Setting &Clocks) {
  Pipeline Result = *M.Timing.InCore;
  const auto NewMhz = Clocks.mhz(Domain::Core), DefaultMhz = M.defaultSetting().mhz(Domain::Core);
  if (!NewMhz || !DefaultMhz || *NewMhz == *DefaultMhz)
    return Result;
  const double Faster = *NewMhz / *DefaultMhz;
  multiply(Result.CoreHz, Faster);
  multiply(Result.IssuePerS, Faster);
  for (PipelineOperation &Operation : Result.Operations) {
    multiply(Operation.LatencyS, 1 / Faster);
    multiply(Operation.PerS, Faster);
  }
  for (PipelineTranslation &Translation : Result.Translations)
    multiply(Translation.LoadS, 1 / Faster);
  for (PipelineStream &Stream : Result.Streams)
    if (followsCore(M, Stream.Level))
      multiply(Stream.BytesPerS, Faster);
  if (followsCore(M, "dram"))
    for (PipelinePass &Pass : Result.Passes)
      multiply(Pass.BytesPerS, Faster);
  for (PipelineLatency &Latency : Result.Latencies)
    if (followsCore(M, Latency.Level))
      multiply(Latency.LatencyS, 1 / Faster);
  return Result;
}

} // namespace ergon
