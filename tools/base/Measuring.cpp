//===- Measuring.cpp - commands that measure ------------------------------===//

#include "tools/base/Measuring.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdio>

namespace ergon {

/// The signal that asks to stop, or 0.
static volatile std::sig_atomic_t Asked = 0;
static constexpr int Signals[3] = {SIGINT, SIGTERM, SIGHUP};

StopWhenAsked::StopWhenAsked() {
  for (int K = 0; K != 3; ++K)
    Were[K] = std::signal(Signals[K], [](int Number) { Asked = Number; });
  if (Were[2] == SIG_IGN) // by nohup
    std::signal(SIGHUP, SIG_IGN);
  // Reports a file size limit as a write error.
  std::signal(SIGXFSZ, SIG_IGN);
}

StopWhenAsked::~StopWhenAsked() {
  for (int K = 0; K != 3; ++K)
    std::signal(Signals[K], Were[K]);
}

bool StopWhenAsked::asked() { return Asked != 0; }

void StopWhenAsked::stop() {
  std::signal(Asked, SIG_DFL);
  std::raise(Asked);
}

void StopWhenAsked::stopIfAsked() {
  if (!asked())
    return;
  fmt::print(stderr, "ergon: interrupted; the same command goes on from here\n");
  stop();
}

std::string dropped(const SampleTotals &Totals) {
  return fmt::format(
      "{} of {} samples, {} with something else on the processor, {} with another "
      "thread on its core, {} with a clock that moved, {} with memory that was faster or "
      "slower than it mostly is",
      Totals.dropped(), Totals.Attempts, Totals.Preempted, Totals.CoreShared, Totals.ClockMoved,
      Totals.MemoryMoved);
}

nlohmann::ordered_json droppedJson(const SampleTotals &Totals) {
  return {{"preempted", Totals.Preempted},
          {"core_shared", Totals.CoreShared},
          {"clock_moved", Totals.ClockMoved},
          {"memory_moved", Totals.MemoryMoved}};
}

Error tooBusy(const SampleTotals &Totals, std::string_view Again) {
  return {fmt::format("the machine is too busy to measure: of {} samples {} were disturbed by more "
                      "than 10 %, by something else on the processor, another thread on its core "
                      "or a clock that moved",
                      Totals.Attempts, Totals.Useless),
          "", fmt::format("stop what else runs; the same command {}", Again), ""};
}

} // namespace ergon
