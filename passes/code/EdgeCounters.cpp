//===- EdgeCounters.cpp - shares that code counts -------------------------===//

#include "passes/code/EdgeCounters.h"

#include "llvm/IR/BasicBlock.h"

namespace ergon {

static bool isSeen(const Edge &Along, const CodeSlice &Slice, const CodeBlocks &Blocks) {
  const auto &[From, To] = Along;
  const BasicBlock *Start = From ? From : To;
  if (!Blocks.contains(Start) || !Slice.decides(*Start))
    return false;
  if (!From)
    return true;
  const auto Next = Slice.ways().next(*From);
  return llvm::is_contained(Next, To) && (Next.size() == 1 || Slice.has(*From->getTerminator()));
}

void EdgeCounters::place(const CodeSlice &Slice, const CodeBlocks &Blocks) {
  auto Seen = [&](const Edge &Along) { return isSeen(Along, Slice, Blocks); };
  for (const CountedShare &Share : Slice.counted()) {
    if (!llvm::all_of(*Share.Numerator, Seen) || !llvm::all_of(*Share.Denominator, Seen))
      continue;
    auto Place = [&](const Edge &Along, unsigned Numerator, unsigned Denominator) {
      Places[Along].push_back({Share.Symbol, Numerator, Denominator});
      if (Along.first)
        Own.insert({Along, unsigned(Blocks.size() + Own.size())});
    };
    for (const Edge &Along : *Share.Denominator) // an edge of both begins a new count
      Place(Along, 0, 1);
    for (const Edge &Along : *Share.Numerator)
      Place(Along, 1, 0);
  }
}

ArrayRef<EdgeCounters::Counted> EdgeCounters::at(const Edge &Along) const {
  auto Found = Places.find(Along);
  return Found == Places.end() ? ArrayRef<Counted>() : ArrayRef<Counted>(Found->second);
}

std::optional<unsigned> EdgeCounters::blockOf(const Edge &Along) const {
  auto Found = Own.find(Along);
  return Found == Own.end() ? std::nullopt : std::optional(Found->second);
}

} // namespace ergon
