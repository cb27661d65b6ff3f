//===- LoopTraits.cpp - what is asked of a loop to know its time ----------===//

#include "model/incore/LoopTraits.h"

#include <algorithm>

namespace ergon {

bool isMean(const AccessNest &Nest) {
  auto Last = Nest.Last.constant();
  return Last && !Last->isInteger();
}

bool hasLoads(const AccessNest &Of) {
  return std::ranges::any_of(Of.Items, [](const AccessItem &Each) {
    auto *One = std::get_if<MemoryAccess>(&Each.What);
    return One && One->What == Access::Kind::Load;
  });
}

unsigned widestAccess(const AccessNest &Of) {
  unsigned Result = 0;
  if (Of.Made && Of.Made->front().Iteration)
    for (const auto &[Kind, Times] : Of.Made->front().Iteration->Counts)
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

double instructionsOf(const InstructionMix &Chain) {
  double Sum = 0;
  for (const auto &[Kind, Times] : Chain.Counts)
    Sum += Kind.Operation == "branch" ? 0 : Times;
  return Sum;
}

bool decidesEnd(const InstructionMix &Chain) {
  return std::ranges::any_of(Chain.Counts,
                             [](const auto &Each) { return Each.first.Operation == "branch"; });
}

} // namespace ergon
