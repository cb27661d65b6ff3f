//===- PipelineView.cpp - in-core rates of a profile as text --------------===//

#include "tools/view/PipelineView.h"
#include "predict/text/Text.h"

#include <fmt/format.h>

namespace ergon {

static void printOperations(const Pipeline &P) {
  fmt::print("\none thread{}: latency, instructions a second\n",
             P.CoreHz ? fmt::format(" at {:.0f} MHz", P.CoreHz->Median.Value * 1e-6) : "");
  for (const PipelineOperation &Operation : P.Operations)
    fmt::print("  {:<6} {} {:>4} bits {:>10} {:>13}\n", Operation.Operation, Operation.Type,
               Operation.Bits,
               Operation.LatencyS ? quantity(Operation.LatencyS->Median.Value, "s") : "-",
               Operation.PerS ? quantity(Operation.PerS->Median.Value, "/s") : "-");
  if (P.IssuePerS)
    fmt::print("  all kinds together{:>30}\n", quantity(P.IssuePerS->Median.Value, "/s"));
}

static void printStreams(const Pipeline &P) {
  fmt::print("\nmemory: bytes a second, loaded and stored\n");
  for (const PipelineStream &Stream : P.Streams)
    fmt::print("  {:<5} {:<13} {:>4} bits {} thread{} {:>13}\n", Stream.Level, Stream.Access,
               Stream.Bits, Stream.Threads, Stream.Threads == 1 ? " " : "s",
               quantity(Stream.BytesPerS.Median.Value, "B/s"));
  for (const PipelinePass &Pass : P.Passes)
    fmt::print("  flushed {:<12} {:>4} bits {:>8} {:>13}\n", Pass.Access, Pass.Bits,
               quantity(Pass.FetchedBytes, "B"), quantity(Pass.BytesPerS.Median.Value, "B/s"));
  for (const PipelineLatency &Latency : P.Latencies)
    fmt::print("  {:<5} latency {:>29}\n", Latency.Level,
               quantity(Latency.LatencyS.Median.Value, "s"));
  for (const PipelineTranslation &Translation : P.Translations)
    fmt::print("  a load from each of {:>5} pages {:>13}\n", Translation.Pages,
               quantity(Translation.LoadS.Median.Value, "s"));
  for (const PipelineRepeated &Repeated : P.Repeated)
    fmt::print("  {:>6} branches again{:>23.0f} % mispredicted\n", Repeated.Branches,
               100 * Repeated.Mispredicted.Median.Value);
}

void printPipeline(const Pipeline &P) {
  printOperations(P);
  printStreams(P);
}

} // namespace ergon
