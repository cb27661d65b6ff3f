//===- Switch.cpp - whether the runtime records this process --------------===//

#include "runtime/lib/Switch.h"

namespace ergon::runtime {

std::atomic<int> Switch = -1;

bool turnOn() {
  // Code that the start itself calls, such as a meter's library, finds the runtime switched off.
  if (Switch.exchange(0) < 0)
    Switch = StartRuntime();
  return Switch;
}

} // namespace ergon::runtime
