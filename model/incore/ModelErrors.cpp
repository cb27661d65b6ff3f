//===- ModelErrors.cpp - how far predicted times may be off ---------------===//

#include "model/incore/ModelErrors.h"

#include <algorithm>
#include <string_view>

namespace ergon {

TimeError errorOf(const LoopTime &Loop) {
  // Data that the core waits for now and then: neither alone is the time.
  static constexpr double MuchOfIt = 0.15;
  const bool IsFar = Loop.memoryS("dram") > MuchOfIt * Loop.Time.S;
  const std::string_view Bound = Loop.Time.Bound;
  if (Bound == "parallel region")
    return {0.3, 5};
  if (Bound == "dram")
    return {0.45, 2.0};
  if (IsFar)
    return {0.6, 2.6};
  if (Bound == "l2")
    return {0.7, 1.3};
  if (Bound == "l3" || Bound == "translation")
    return {0.7, 1.5};
  if (Bound == "latency")
    return {0.75, 1.35};
  if (Bound == "divide")
    return {0.95, 1.1};
  if (Bound == "functions")
    return {0.75, 1.5};
  return {0.75, 1.8}; // the front end and units
}

} // namespace ergon
