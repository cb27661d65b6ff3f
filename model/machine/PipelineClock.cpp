//===- PipelineClock.cpp - a core at another clock ------------------------===//

#include "model/machine/PipelineClock.h"
#include "model/machine/CostClass.h"

namespace ergon {

static void multiply(MeasuredQuantity &Of, double By) {
  Of.Of.Value *= By;
  Of.Low *= By;
  Of.High *= By;
}

static void multiply(std::optional<MeasuredQuantity> &Of, double By) {
  if (Of)
    multiply(*Of, By);
}

static bool followsCore(const Machine &M, const std::string &Level) {
  const auto Found = M.Timing.Throughputs.find(levelBytes(Level));
  return Level == "l1" ||
         (Found != M.Timing.Throughputs.end() && Found->second.Clock == Domain::Core);
}

Pipeline pipelineAt(const Machine &M, const Setting &At) {
  Pipeline Result = *M.Timing.InCore;
  const auto There = At.mhz(Domain::Core), Here = M.defaultSetting().mhz(Domain::Core);
  if (!There || !Here || *There == *Here)
    return Result;
  const double Faster = *There / *Here;
  multiply(Result.CoreHz, Faster);
  multiply(Result.IssuePerS, Faster);
  for (PipelineOperation &Each : Result.Operations) {
    multiply(Each.LatencyS, 1 / Faster);
    multiply(Each.PerS, Faster);
  }
  for (PipelineTranslation &Each : Result.Translations)
    multiply(Each.LoadS, 1 / Faster);
  for (PipelineStream &Each : Result.Streams)
    if (followsCore(M, Each.Level))
      multiply(Each.BytesPerS, Faster);
  for (PipelineLatency &Each : Result.Latencies)
    if (followsCore(M, Each.Level))
      multiply(Each.LatencyS, 1 / Faster);
  return Result;
}

} // namespace ergon
