//===- ModelErrors.cpp - how far predicted times may be off ---------------===//

#include "model/incore/ModelErrors.h"

#include <algorithm>
#include <string_view>

namespace ergon {

TimeError errorOf(const LoopTime &Loop, bool HasPasses) {
  // Data that the core waits for now and then: neither alone is the time.
  static constexpr double MuchOfIt = 0.15;
  const bool IsFar = Loop.memoryS("dram") > MuchOfIt * Loop.Time.S;
  const std::string_view Bound = Loop.Time.Bound;
  if (Bound == "parallel region")
    return {0.5, 2.5};
  if (HasPasses && (IsFar || Bound == "dram"))
    return Bound == "functions" ? TimeError{0.75, 2.2} : TimeError{0.65, 1.7};
  if (Bound == "dram")
    return {0.45, 2.0};
  if (IsFar)
    return {0.6, 2.6};
  if (Bound == "l2" || Bound == "l3")
    return {0.8, 1.65};
  if (Bound == "translation")
    return {0.7, 2.0};
  if (Bound == "latency")
    return {0.7, 1.5};
  if (Bound == "divide")
    return {0.9, 1.3};
  if (Bound == "functions")
    return {0.9, 1.5};
  return {0.75, 1.6}; // the front end and units
}

} // namespace ergon
