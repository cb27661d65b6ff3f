//===- Switch.h - whether the runtime records this process ------*- C++ -*-===//

#pragma once

#include <atomic>

namespace ergon::runtime {

/// 0: off, 1: on, below 0: not decided yet.
inline constinit std::atomic<int> RecordingState = -1;

/// What turns the runtime on, and says whether it is: the start of the process's record
/// (Process.cpp). A constant, as isOn() may be asked before any constructor.
extern bool (*const StartRuntime)();

/// Whether a folder for run records is given. The first call decides it and starts to watch for the
/// end of the process.
inline bool isOn() {
  const int Number = RecordingState.load(std::memory_order_acquire);
  if (Number >= 0)
    return Number;
  // Re-entrant calls during initialization, such as from a power meter's library, see the runtime
  // as off.
  if (RecordingState.exchange(0) < 0)
    RecordingState = StartRuntime();
  return RecordingState;
}

} // namespace ergon::runtime
