//===- Switch.h - whether the runtime records this process ------*- C++ -*-===//

#ifndef ERGON_RUNTIME_LIB_SWITCH_H
#define ERGON_RUNTIME_LIB_SWITCH_H

#include <atomic>

namespace ergon::runtime {

/// 0: off, 1: on, below 0: not decided yet.
extern std::atomic<int> Switch;
/// Starts the runtime the first time; returns whether this process leaves a run record.
bool turnOn();

/// Whether a folder for run records is given. The first call decides it and starts to watch for the
/// end of the process.
inline bool isOn() {
  const int Number = Switch.load(std::memory_order_acquire);
  return Number < 0 ? turnOn() : Number;
}

/// What turns the runtime on, and says whether it is: the start of the process's record
/// (Process.cpp). A constant, as isOn() may be asked before any constructor.
extern bool (*const StartRuntime)();

} // namespace ergon::runtime

#endif
