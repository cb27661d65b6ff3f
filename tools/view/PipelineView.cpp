//===- PipelineView.cpp - what one core does how fast, as text ------------===//

#include "tools/view/PipelineView.h"
#include "predict/text/Text.h"

#include <fmt/format.h>

namespace ergon {

static void printOperations(const Pipeline &Of) {
  fmt::print("\none thread{}: latency, instructions a second\n",
             Of.CoreHz ? fmt::format(" at {:.0f} MHz", Of.CoreHz->Of.Value * 1e-6) : "");
  for (const PipelineOperation &Each : Of.Operations)
    fmt::print("  {:<6} {} {:>4} bits {:>10} {:>13}\n", Each.Operation, Each.Type, Each.Bits,
               Each.LatencyS ? quantity(Each.LatencyS->Of.Value, "s") : "-",
               Each.PerS ? quantity(Each.PerS->Of.Value, "/s") : "-");
  if (Of.IssuePerS)
    fmt::print("  all kinds together{:>30}\n", quantity(Of.IssuePerS->Of.Value, "/s"));
}

static void printStreams(const Pipeline &Of) {
  fmt::print("\nmemory: bytes a second, loaded and stored\n");
  for (const PipelineStream &Each : Of.Streams)
    fmt::print("  {:<5} {:<13} {:>4} bits {} thread{} {:>13}\n", Each.Level, Each.Access, Each.Bits,
               Each.Threads, Each.Threads == 1 ? " " : "s",
               quantity(Each.BytesPerS.Of.Value, "B/s"));
  for (const PipelineLatency &Each : Of.Latencies)
    fmt::print("  {:<5} latency {:>29}\n", Each.Level, quantity(Each.LatencyS.Of.Value, "s"));
  for (const PipelineTranslation &Each : Of.Translations)
    fmt::print("  a load from each of {:>5} pages {:>13}\n", Each.Pages,
               quantity(Each.LoadS.Of.Value, "s"));
  for (const PipelineRepeated &Each : Of.Repeated)
    fmt::print("  {:>6} branches again{:>23.0f} % mispredicted\n", Each.Branches,
               100 * Each.Mispredicted.Of.Value);
}

void printPipeline(const Pipeline &Of) {
  printOperations(Of);
  printStreams(Of);
}

} // namespace ergon
