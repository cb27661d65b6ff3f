//===- Time.cpp - the clock that readings are told by ---------------------===//

#include "runtime/lib/Time.h"

#include <ctime>

namespace ergon::runtime {

static std::int64_t StartedAt;

std::int64_t now() {
  timespec T;
  clock_gettime(CLOCK_MONOTONIC, &T);
  return std::int64_t(T.tv_sec) * 1'000'000'000 + T.tv_nsec;
}

void beginRun() { StartedAt = now(); }

std::int64_t startOfRun() {
  if (!StartedAt)
    beginRun();
  return StartedAt;
}

} // namespace ergon::runtime
