//===- Measuring.h - shared by measuring commands ---------------*- C++ -*-===//
//
// Reports that the machine is too busy, and stops on request.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "calibration/Sampling.h"
#include "formats/json/Error.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace ergon {

/// Records SIGINT, SIGTERM and SIGHUP during its lifetime; restores their handlers afterwards.
class StopWhenAsked {
public:
  /// Replaces the handlers; ignores SIGXFSZ from then on, so that a full file is a write error.
  StopWhenAsked();
  /// Puts the handlers back.
  ~StopWhenAsked();
  StopWhenAsked(const StopWhenAsked &) = delete;
  StopWhenAsked &operator=(const StopWhenAsked &) = delete;

  /// Whether a signal has come.
  static bool asked();
  /// Ends the process with the received signal.
  static void stop();
  /// Does so if one was received, and reports that measurements are kept.
  static void stopIfAsked();

private:
  void (*Were[3])(int);
};

/// Counts of dropped samples, in words; and as JSON: {"preempted", "core_shared", "clock_moved",
/// "memory_moved"}.
std::string dropped(const SampleTotals &Totals);
nlohmann::ordered_json droppedJson(const SampleTotals &Totals);

/// The error for a machine that is too busy: isTooBusy(). \p Again is what a repeated command does.
Error tooBusy(const SampleTotals &Totals, std::string_view Again);

} // namespace ergon
