//===- LineOrder.cpp - order of line accesses -----------------------------===//

#include "model/incore/LineOrder.h"
#include "model/program/Stride.h"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace ergon {

LineOrder lineOrder(const MemoryAccess &Access, std::span<const LoopAround> Around,
                    unsigned LineBytes, double BytesBeside) {
  const Expr *Way = Access.Offset ? &*Access.Offset : Access.From ? &Access.From->Further : nullptr;
  if (!Way)
    return {.IsKnown = false};
  if (!Access.Offset) // its start stays the same while these run
    Around = Around.last(std::min<std::size_t>(Access.From->Loops, Around.size()));
  const double Line = LineBytes;
  const double Start = std::max(double(Access.Bytes), BytesBeside);
  double Run = Start; // contiguous bytes covered so far
  bool LeavesBytes = false;
  // A run with an arbitrary start in a line covers part of one more line.
  auto LinesOf = [&](bool IsOnLine) {
    return std::max(1.0, (Run + (IsOnLine ? 0 : Line - Access.Bytes)) / Line);
  };
  for (const LoopAround &Loop : Around | std::views::reverse) {
    if (!Way->dependsOn(Loop.Variable))
      continue;
    const auto Factor = constantStride(*Way, Loop.Variable);
    const bool IsInnermost = Run == Start;
    if (!Factor && IsInnermost)
      return {.IsKnown = false};
    const double Step = Factor ? std::abs(Factor->get_d()) : LineOrder::Endless; // unknown distance
    if (Step <= Run + Line) { // the next is in the same line or the next one
      LeavesBytes |= IsInnermost && Step >= Line && Start < Line;
      Run += Step * (Loop.Trips - 1);
      continue;
    }
    if (Loop.Trips <= 1)
      continue;
    const bool IsOnLine = std::fmod(Step, Line) == 0;
    const double Lines = LinesOf(IsOnLine);
    return {.LeavesBytes = (IsInnermost && Start < Line) || LeavesBytes,
            .RunLines = Lines,
            .GapLines = std::max(0.0, Step / Line - Lines)};
  }
  if (Access.Offset || Access.From->GoesOn)
    return {.LeavesBytes = LeavesBytes};
  if (Run == Start)
    return {.IsKnown = false};
  return {.LeavesBytes = LeavesBytes, .RunLines = LinesOf(false), .GapLines = LineOrder::Endless};
}

} // namespace ergon
