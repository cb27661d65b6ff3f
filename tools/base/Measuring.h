//===- Measuring.h - commands that measure ----------------------*- C++ -*-===//
//
// What they have in common: telling when the machine is too busy, stopping when asked.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_TOOLS_BASE_MEASURING_H
#define ERGON_TOOLS_BASE_MEASURING_H

#include "calibration/Sampling.h"
#include "formats/json/Error.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace ergon {

/// While this lives, SIGINT, SIGTERM and SIGHUP are noted, and do what they did before afterwards.
class StopWhenAsked {
public:
  /// Replaces the handlers; SIGXFSZ is ignored from then on, so that a full file is an error of
  /// writing.
  StopWhenAsked();
  /// Puts the handlers back.
  ~StopWhenAsked();
  StopWhenAsked(const StopWhenAsked &) = delete;
  StopWhenAsked &operator=(const StopWhenAsked &) = delete;

  /// Whether a signal has come.
  static bool asked();
  /// Ends the process by the signal that asked.
  static void stop();
  /// That, where one did: what was measured is kept, which is told.
  static void stopIfAsked();

private:
  void (*Were[3])(int);
};

/// What became of samples, in words; and as JSON: {"preempted", "core_shared", "clock_moved",
/// "memory_moved"}.
std::string dropped(const SampleTotals &Totals);
nlohmann::ordered_json droppedJson(const SampleTotals &Totals);

/// That the machine is too busy: isTooBusy(). \p Again is what the same command does then.
Error tooBusy(const SampleTotals &Totals, std::string_view Again);

} // namespace ergon

#endif
