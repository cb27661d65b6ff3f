//===- LoopTraits.cpp - properties of a loop for its time -----------------===//

#include "model/incore/LoopTraits.h"

#include <algorithm>

namespace ergon {

bool isMean(const AccessNest &Nest) {
  auto Last = Nest.Last.constant();
  return Last && !Last->isInteger();
}

bool hasLoads(const AccessNest &Nest) {
  return std::ranges::any_of(Nest.Items, [](const AccessItem &Item) {
    auto *MA = std::get_if<MemoryAccess>(&Item.What);
    return MA && MA->What == Access::Kind::Load;
  });
}

unsigned widestAccess(const AccessNest &Nest) {
  unsigned Result = 0;
  if (Nest.Made && Nest.Made->front().Iteration)
    for (const auto &[Kind, Times] : Nest.Made->front().Iteration->Counts)
      if (Kind.Operation == "load" || Kind.Operation == "store")
        Result = std::max(Result, Kind.Bits);
  return Result;
}

InstructionMix accessesOf(const InstructionMix &Mix) {
  InstructionMix Result;
  for (const auto &[Kind, Times] : Mix.Counts)
    if (Kind.Operation == "load" || Kind.Operation == "store")
      Result.Counts[Kind] = Times;
  return Result;
}

double workSlotsOf(const InstructionMix &Mix) {
  double Result = Mix.Slots;
  for (const auto &[Kind, Times] : accessesOf(Mix).Counts)
    Result -= Times;
  return std::max(0.0, Result);
}

double instructionsOf(const InstructionMix &Chain) {
  double Sum = 0;
  for (const auto &[Kind, Times] : Chain.Counts)
    Sum += Kind.Operation == "branch" ? 0 : Times;
  return Sum;
}

bool decidesEnd(const InstructionMix &Chain) {
  return std::ranges::any_of(Chain.Counts,
                             [](const auto &Item) { return Item.first.Operation == "branch"; });
}

} // namespace ergon
