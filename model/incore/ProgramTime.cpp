//===- ProgramTime.cpp - time of a run on a CPU ---------------------------===//

#include "model/incore/ProgramTime.h"
#include "model/incore/ProgramTimer.h"

namespace ergon {

std::expected<ProgramTime, Error> timeOf(const AccessProgram &Program, const TrafficReport &Moved,
                                         const Pipeline &P, unsigned Threads,
                                         const std::vector<PageWalks> &Walks) {
  return ProgramTimer(Program, Moved, P, Threads, Walks).run();
}

} // namespace ergon
