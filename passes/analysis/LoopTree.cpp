//===- LoopTree.cpp - regions of blocks as the model's loops --------------===//

#include "passes/analysis/LoopTree.h"
#include "passes/access/NeighbourAccesses.h"
#include "passes/incore/MachineLoops.h"
#include "passes/ir/OpenMPScaffold.h"
#include "passes/opcodes/MaskedAccesses.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>

namespace ergon {

/// A variable of unoptimized code is accessed often, so its line stays in cache: one access per
/// block is enough.
void LoopTreeBuilder::addPromoted(const PromotedAccess &Promoted, Block &Target, Tallies &Sum) {
  auto What = Promoted.BytesWritten ? Access::Kind::Store : Access::Kind::Load;
  auto [Position, IsNew] = Sum.Promoted.try_emplace(Promoted.FrameOffset, Target.Accesses.size());
  if (IsNew)
    Target.Accesses.push_back({.What = What,
                               .Where = Space::Stack,
                               .Bytes = unsigned(Promoted.BytesRead + Promoted.BytesWritten),
                               .Base = std::string(FrameObject),
                               .Offset = Expr(Promoted.FrameOffset),
                               .Order = Order++});
  else if (What == Access::Kind::Store)
    Target.Accesses[Position->second].What = What;
}

/// The accesses of \p I itself. \p JoinedBytes: bytes of the merged access, including its
/// neighbours.
void LoopTreeBuilder::addAccesses(const Instruction &I, const Region &R, Block &Target,
                                  std::optional<unsigned> JoinedBytes) {
  auto Found = Targets.accessOf(I, R.Loop);
  if (!Found)
    return;
  for (auto &[Share, Element] : *Found) {
    Element.Order = Order;
    Element.Bytes = JoinedBytes.value_or(Element.Bytes);
    if (Share == Expr(1))
      Target.Accesses.push_back(std::move(Element));
    else
      Sometimes.emplace_back(Share * Target.Runs, std::move(Element));
  }
  if (auto Pointer = Targets.pointerLoadOf(I, R.Loop)) {
    Pointer->Order = Order;
    Target.PointerLoads.push_back(std::move(*Pointer));
  }
  if (auto Pointer = Targets.pointerStoreOf(I, R.Loop)) {
    Pointer->Order = Order;
    Target.PointerStores.push_back(std::move(*Pointer));
  }
  ++Order;
}

void LoopTreeBuilder::addBlock(const BasicBlock &B, const Region &R, Block &Target, Tallies &Sum) {
  llvm::DenseMap<const Instruction *, unsigned> Neighbours;
  if (Context.IsDevice && Context.Snapshot != "source")
    Neighbours = neighboursIn(B);
  ScevToExpr::Question Asks(Context.Translate, *B.getTerminator(), /*OfAddress=*/true);
  for (const Instruction &I : B) {
    if (Numbered)
      Numbered->add(I, Target.Number);
    if (isScaffold(I) || Forwarded.contains(I))
      continue;
    auto Masked = maskedAccess(I);
    (Masked && Masked->IsBound ? Sum.AtMost : Sum.Counted).add(I, Opcodes);
    if (Context.Snapshot == "algorithm" && !Context.IsDevice)
      Mixer.add(I, Target.Instructions);
    if (Context.Snapshot == "algorithm")
      Hints.add(I, Target.Hints);
    auto Joined = Neighbours.find(&I);
    if (Joined != Neighbours.end() && Joined->second == 0)
      continue; // merged into another access
    addAccesses(I, R, Target,
                Joined == Neighbours.end() ? std::nullopt : std::optional(Joined->second));
    auto *Site = dyn_cast<CallBase>(&I);
    if (auto Promoted = Site ? promotedAccess(*Site) : std::nullopt; Promoted && !Context.IsDevice)
      addPromoted(*Promoted, Target, Sum);
    else if (Site)
      addCall(*Site, R, Target);
  }
  // Of one element, which the loop's first iteration is next to: it is no access of its own.
  for (const Instruction *Load : Forwarded.doneIn(B))
    Sum.Counted.add(*Load, Opcodes);
}

/// Moves accesses with a condition into blocks of their own.
void LoopTreeBuilder::addSometimes(Loop &Result) {
  for (auto &[Runs, Element] : Sometimes) {
    auto Position = std::ranges::find(Result.Blocks, Runs, &Block::Runs);
    if (Position == Result.Blocks.end())
      Position = Result.Blocks.insert(Position, Block{.Runs = Runs});
    Position->Accesses.push_back(std::move(Element));
  }
  Sometimes.clear();
}

/// The symbol under which a run counts control on \p Ways, per call of the function; empty where
/// \p Formula says enough.
std::string LoopTreeBuilder::countedPlace(const Expr &Formula, const Edges &Ways) {
  if (!Counted || !Counted->HasPlaces || Formula.constant())
    return "";
  return addPlace({.Numerator = Ways});
}

/// The symbol under which a run counts \p Place, per call of the function.
std::string LoopTreeBuilder::addPlace(Probe Place) {
  Place.Denominator = {{nullptr, &Context.F.getEntryBlock()}};
  std::string Symbol = "#" + std::to_string(Counted->Places.size() + 1);
  Counted->Places.emplace_back(Symbol, std::move(Place));
  return Symbol;
}

/// The edges by which control enters \p L.
static Edges entriesOf(const llvm::Loop &L) {
  Edges Result;
  for (const BasicBlock *From : llvm::predecessors(L.getHeader()))
    if (!L.contains(From) && !llvm::is_contained(Result, Edge(From, L.getHeader())))
      Result.push_back({From, L.getHeader()});
  return Result;
}

Loop LoopTreeBuilder::build(const Region &R) {
  Loop Result;
  Result.Entries = R.Entries;
  Result.Last = R.Last;
  Result.TripsKnown = R.TripsKnown;
  if (R.Loop) {
    Result.Variable = Context.Names.loop(*R.Loop);
    Result.Location = locationOf(positionOf(*R.Loop));
    Result.Counted = countedPlace(R.Last, {{nullptr, R.Loop->getHeader()}});
    Result.Entered = countedPlace(R.Entries, entriesOf(*R.Loop));
    if (Context.Snapshot == "machine")
      Result.Shape = shapeOf(*R.Loop);
  }
  std::vector<Tallies> Sums;
  std::map<Expr, std::size_t, decltype([](const Expr &Left, const Expr &Right) {
             return Expr::compare(Left, Right) < 0;
           })>
      WithRuns; // the blocks so far
  auto Inner = R.Loops.begin();
  auto AddLoops = [&](std::size_t Before) {
    for (; Inner != R.Loops.end() && Inner->After <= Before; ++Inner) {
      unsigned Current = std::exchange(Order, 0);
      auto Kept = std::exchange(Sometimes, {});
      auto KeptCopied = std::exchange(Copied, {});
      const unsigned Outer = NumberedLoop;
      if (Numbered)
        NumberedLoop = Numbered->addLoop(Outer);
      Result.Loops.push_back(build(*Inner));
      NumberedLoop = Outer;
      Result.Loops.back().Order = Current;
      Order = Current + 1;
      Sometimes = std::move(Kept);
      Copied = std::move(KeptCopied);
    }
  };
  std::size_t Passed = 0;
  for (const auto &[B, Runs] : R.Blocks) {
    AddLoops(Passed++);
    auto [Position, IsNew] = WithRuns.try_emplace(Runs, Sums.size());
    if (IsNew) {
      Sums.emplace_back();
      Result.Blocks.push_back(Block{.Runs = Runs, .Counted = countedPlace(Runs, {{nullptr, B}})});
      if (Numbered)
        Result.Blocks.back().Number = Numbered->addBlock(NumberedLoop);
    }
    addBlock(*B, R, Result.Blocks[Position->second], Sums[Position->second]);
  }
  AddLoops(R.Blocks.size());
  // Without other accesses, as in a loop's condition, the frame stays in cache anyway.
  for (Block &Code : Result.Blocks)
    if (std::ranges::all_of(Code.Accesses, [](const Access &A) { return A.Base == FrameObject; }))
      Code.Accesses.clear();
  for (std::size_t I = 0; I != Sums.size(); ++I) {
    Block AtMost{
        .Runs = Result.Blocks[I].Runs, .How = Known::Bound, .Counted = Result.Blocks[I].Counted};
    Sums[I].Counted.addTo(Result.Blocks[I], Context.F);
    Sums[I].AtMost.addTo(AtMost, Context.F);
    if (!AtMost.PerRun.empty())
      Result.Blocks.push_back(std::move(AtMost));
  }
  std::erase_if(Result.Blocks, [](const Block &Code) {
    return Code.PerRun.empty() && Code.Calls.empty() && Code.Number == 0;
  });
  addSometimes(Result);
  std::ranges::move(std::exchange(Copied, {}), std::back_inserter(Result.Blocks));
  return Result;
}

} // namespace ergon
