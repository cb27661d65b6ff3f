//===- MachineCheckPipeline.cpp - whether what a core does can be ---------===//

#include "model/energy/CacheRoofs.h"
#include "model/energy/MachineCheckRules.h"

#include <algorithm>

namespace ergon {

// An operation in a chain takes no less than those that do not wait; a byte that comes from
// farther away is no faster. By how much noise may have it otherwise:
static constexpr double Noise = 1.1;
// The fastest circuits take some 10 ps, and no access to main memory takes a millisecond.
static constexpr double LatencyS[] = {1e-11, 1e-3};

static void checkLatency(double Seconds, const std::string &Where, CheckFindings &Found) {
  if (Seconds < LatencyS[0] || Seconds > LatencyS[1])
    Found.implausible("latency-unit", Where,
                      "is " + checkText(Seconds) + " seconds; machines have " +
                          checkText(LatencyS[0]) + " to " + checkText(LatencyS[1]),
                      "write seconds, not nanoseconds or cycles");
}

/// The same accesses to a level farther from the core.
static bool isFarther(const PipelineStream &Of, const PipelineStream &Than) {
  auto Place = [](const PipelineStream &Each) {
    return std::ranges::find(MemoryLevelNames, Each.Level) - MemoryLevelNames.begin();
  };
  return Of.Access == Than.Access && Of.Bits == Than.Bits && Of.Threads == Than.Threads &&
         Place(Of) > Place(Than);
}

void checkPipeline(const Machine &M, CheckFindings &Found) {
  if (!M.Timing.InCore)
    return;
  const Pipeline &Of = *M.Timing.InCore;
  for (std::size_t K = 0; K != Of.Operations.size(); ++K) {
    const PipelineOperation &Each = Of.Operations[K];
    if (!Each.LatencyS)
      continue;
    const std::string Where = "/pipeline/operations/" + std::to_string(K) + "/latency_s/value";
    checkLatency(Each.LatencyS->Of.Value, Where, Found);
    if (Each.PerS && Each.LatencyS->Of.Value * Each.PerS->Of.Value * Noise < 1)
      Found.implausible("latency-order", Where,
                        "is less than the " + checkText(1 / Each.PerS->Of.Value) +
                            " seconds that one takes by per_s, where none waits",
                        "correct one of the two");
  }
  for (std::size_t K = 0; K != Of.Streams.size(); ++K)
    for (const PipelineStream &Inner : Of.Streams)
      if (isFarther(Of.Streams[K], Inner) &&
          Of.Streams[K].BytesPerS.Of.Value > Noise * Inner.BytesPerS.Of.Value) {
        Found.implausible("level-order",
                          "/pipeline/streams/" + std::to_string(K) + "/bytes_per_s/value",
                          "is faster than the same in " + Inner.Level +
                              ", which its bytes pass on their way to the cores",
                          "correct one of the two");
        break;
      }
  for (std::size_t K = 0; K != Of.Latencies.size(); ++K)
    checkLatency(Of.Latencies[K].LatencyS.Of.Value,
                 "/pipeline/latencies/" + std::to_string(K) + "/latency_s/value", Found);
}

} // namespace ergon
