//===- ProgramTime.cpp - time of a run on a CPU ---------------------------===//

#include "model/incore/ProgramTime.h"
#include "model/incore/ProgramTimer.h"

#include <algorithm>

namespace ergon {

std::expected<ProgramTime, Error> timeOf(const AccessProgram &Program, const TrafficReport &Moved,
                                         const Pipeline &P, unsigned Threads,
                                         const std::vector<PageWalks> &Walks, unsigned Team) {
  ProgramTimer Result(Program, Moved, P, Threads, Walks, Team);
  if (auto Failed = Result.walk())
    return std::unexpected(std::move(*Failed));
  if (Team > 1) {
    ProgramTimer Shared(Program, Moved, P, std::max(Threads, Team), Walks, Team);
    if (auto Failed = Shared.walk())
      return std::unexpected(std::move(*Failed));
    Result.takeRegions(Shared);
  }
  return Result.finish();
}

void ProgramTime::correct(double Factor, double Width) {
  TimeS *= Factor;
  LowS = TimeS / Width;
  HighS = TimeS * Width;
  for (LoopTime &Loop : Loops) {
    for (double *S : {&Loop.CoreS, &Loop.AccessS, &Loop.Time.S})
      *S *= Factor;
    for (auto &[Level, S] : Loop.MemoryS)
      S *= Factor;
  }
}

} // namespace ergon
