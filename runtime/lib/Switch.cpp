//===- Switch.cpp - whether the runtime records this process --------------===//

#include "runtime/lib/Switch.h"

namespace ergon::runtime {

std::atomic<int> Switch = -1;

bool turnOn() {
  // What the start itself calls, a library of a meter's for one, meets a runtime that is off.
  if (Switch.exchange(0) < 0)
    Switch = StartRuntime();
  return Switch;
}

} // namespace ergon::runtime
