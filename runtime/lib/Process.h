//===- Process.h - the life of the process ----------------------*- C++ -*-===//

#ifndef ERGON_RUNTIME_LIB_PROCESS_H
#define ERGON_RUNTIME_LIB_PROCESS_H

#include "runtime/lib/Time.h"

#include <atomic>

namespace ergon::runtime {

/// 0, 1, or below 0 as long as nobody has asked.
extern std::atomic<int> Switch;
bool turnOn();

/// Whether a folder for run records is given. Asked first by whoever comes first; from then
/// on the ends of the process are watched.
inline bool isOn() {
  const int Is = Switch.load(std::memory_order_acquire);
  return Is < 0 ? turnOn() : Is;
}

} // namespace ergon::runtime

#endif
