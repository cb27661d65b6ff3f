//===- LineOrder.cpp - in what order lines are asked for ------------------===//

#include "model/LineOrder.h"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace ergon {

LineOrder lineOrder(const MemoryAccess &One, std::span<const LoopAround> Around,
                    unsigned LineBytes) {
  if (!One.Offset)
    return {.IsKnown = false};
  const double Line = LineBytes;
  double Run = One.Bytes; // what was gone through so far, without a gap
  bool LeavesBytes = false;
  for (const LoopAround &Loop : Around | std::views::reverse) {
    if (!One.Offset->dependsOn(Loop.Variable))
      continue;
    const auto Factors = One.Offset->coefficientsOf(Loop.Variable);
    const auto Factor = Factors && Factors->size() == 2 ? (*Factors)[1].constant() : std::nullopt;
    const bool IsInnermost = Run == One.Bytes;
    if (!Factor && IsInnermost)
      return {.IsKnown = false};
    const double Step =
        Factor ? std::abs(Factor->get_d()) : LineOrder::Endless; // nobody knows how far
    if (Step <= Run + Line) { // the next is in the same line or the next one
      LeavesBytes |= IsInnermost && Step >= Line;
      Run += Step * (Loop.Trips - 1);
      continue;
    }
    if (Loop.Trips <= 1)
      continue;
    // A run that begins anywhere in a line lies in a part of one more.
    const bool IsOnLine = std::fmod(Step, Line) == 0;
    const double Lines = std::max(1.0, (Run + (IsOnLine ? 0 : Line - One.Bytes)) / Line);
    return {.LeavesBytes = IsInnermost || LeavesBytes,
            .RunLines = Lines,
            .GapLines = std::max(0.0, Step / Line - Lines)};
  }
  return {.LeavesBytes = LeavesBytes};
}

} // namespace ergon
