//===- MachineCheckPipeline.cpp - plausibility of in-core rates -----------===//

#include "model/energy/CacheRoofs.h"
#include "model/energy/MachineCheckRules.h"

#include <algorithm>

namespace ergon {

// A dependent operation takes at least as long as an independent one; a byte from farther away is
// no faster. The tolerance for noise:
static constexpr double Noise = 1.1;
// The fastest circuits take about 10 ps, and no access to main memory takes a millisecond.
static constexpr double LatencyS[] = {1e-11, 1e-3};

static void checkLatency(double Seconds, const std::string &Where, CheckFindings &Found) {
  if (Seconds < LatencyS[0] || Seconds > LatencyS[1])
    Found.implausible("latency-unit", Where,
                      "is " + checkText(Seconds) + " seconds; machines have " +
                          checkText(LatencyS[0]) + " to " + checkText(LatencyS[1]),
                      "write seconds, not nanoseconds or cycles");
}

/// The same accesses to a level farther from the core.
static bool isFarther(const PipelineStream &Stream, const PipelineStream &PS) {
  auto Place = [](const PipelineStream &S) {
    return std::ranges::find(MemoryLevelNames, S.Level) - MemoryLevelNames.begin();
  };
  return Stream.Access == PS.Access && Stream.Bits == PS.Bits && Stream.Threads == PS.Threads &&
         Place(Stream) > Place(PS);
}

void checkPipeline(const Machine &M, CheckFindings &Found) {
  if (!M.Timing.InCore)
    return;
  const Pipeline &P = *M.Timing.InCore;
  for (std::size_t K = 0; K != P.Operations.size(); ++K) {
    const PipelineOperation &Operation = P.Operations[K];
    if (!Operation.LatencyS)
      continue;
    const std::string Where = "/pipeline/operations/" + std::to_string(K) + "/latency_s/value";
    checkLatency(Operation.LatencyS->Median.Value, Where, Found);
    if (Operation.PerS &&
        Operation.LatencyS->Median.Value * Operation.PerS->Median.Value * Noise < 1)
      Found.implausible("latency-order", Where,
                        "is less than the " + checkText(1 / Operation.PerS->Median.Value) +
                            " seconds that one takes by per_s, where none waits",
                        "correct one of the two");
  }
  for (std::size_t K = 0; K != P.Streams.size(); ++K)
    for (const PipelineStream &Inner : P.Streams)
      if (isFarther(P.Streams[K], Inner) &&
          P.Streams[K].BytesPerS.Median.Value > Noise * Inner.BytesPerS.Median.Value) {
        Found.implausible("level-order",
                          "/pipeline/streams/" + std::to_string(K) + "/bytes_per_s/value",
                          "is faster than the same in " + Inner.Level +
                              ", which its bytes pass on their way to the cores",
                          "correct one of the two");
        break;
      }
  for (std::size_t K = 0; K != P.Latencies.size(); ++K)
    checkLatency(P.Latencies[K].LatencyS.Median.Value,
                 "/pipeline/latencies/" + std::to_string(K) + "/latency_s/value", Found);
}

} // namespace ergon
