//===- CommandRun.cpp - ergon run -----------------------------------------===//
//
// Runs a program with the runtime loaded before it, so that it leaves a run record.
//
//===----------------------------------------------------------------------===//

#include "tools/base/Commands.h"
#include "tools/record/RuntimeRun.h"

#include <fmt/format.h>

namespace ergon {

int runRun(const RunOptions &Options) {
  const auto Ran = runWithRuntime(Options.Command, Options.Directory, Options.Runtime);
  if (!Ran)
    return complain(Ran.error());
  fmt::print(stderr, "ergon: {} run record{} in {} {} new\n", Ran->New, Ran->New == 1 ? "" : "s",
             Options.Directory, Ran->New == 1 ? "is" : "are");
  return Ran->Status;
}

} // namespace ergon
