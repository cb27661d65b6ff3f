//===- FunctionCounters.cpp - selects the counters of a function ----------===//

#include "passes/instrument/FunctionCounters.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace ergon {

FunctionCounters::FunctionCounters(const FunctionAnalyses &Analyses)
    : Analyses(Analyses), PDT(Analyses.F), Number(llvm::Type::getInt64Ty(Analyses.F.getContext())) {
  const llvm::ReversePostOrderTraversal<const llvm::Function *> Order(&Analyses.F);
  IsReducible = !llvm::containsIrreducibleCFG<const BasicBlock *>(Order, Analyses.LI);
}

/// Whether control may come round \p L from \p From to its header without \p Block.
static bool comesRound(const llvm::Loop &L, const BasicBlock &From, const BasicBlock &Block) {
  llvm::SmallPtrSet<const BasicBlock *, 16> Seen{&From};
  SmallVector<const BasicBlock *, 16> Open{&From};
  while (!Open.empty())
    for (const BasicBlock *To : llvm::successors(Open.pop_back_val())) {
      if (To == &Block)
        continue;
      if (To == L.getHeader())
        return true;
      if (L.contains(To) && Seen.insert(To).second)
        Open.push_back(To);
    }
  return false;
}

/// Whether \p Block runs as often as \p Up, which dominates it.
bool FunctionCounters::runsAsOften(const BasicBlock &Up, const BasicBlock &Block) const {
  const llvm::Loop *Around = Analyses.LI.getLoopFor(&Block);
  return Analyses.LI.getLoopFor(&Up) == Around && PDT.dominates(&Block, &Up) && IsReducible &&
         (!Around || !comesRound(*Around, Up, Block));
}

/// The first block that runs as often as control takes \p Way, if any.
Edge FunctionCounters::sameAs(Edge Way) const {
  const auto [From, To] = Way;
  const BasicBlock *Block = !From                                ? To
                            : From->getUniqueSuccessor() == To   ? From
                            : To->getUniquePredecessor() == From ? To
                                                                 : nullptr;
  if (!Block)
    return Way;
  for (const llvm::DomTreeNode *Up = Analyses.DT.getNode(Block)->getIDom(); Up; Up = Up->getIDom())
    if (!Up->getBlock()->isEHPad() && runsAsOften(*Up->getBlock(), *Block))
      Block = Up->getBlock();
  return {nullptr, Block};
}

/// Replaces all outgoing edges of a block by the block itself.
static void joinWays(Edges &Ways) {
  for (std::size_t I = 0; I != Ways.size(); ++I)
    if (const BasicBlock *From = Ways[I].first;
        From && llvm::all_of(llvm::successors(From), [&](const BasicBlock *To) {
          return llvm::is_contained(Ways, Edge(From, To));
        })) {
      llvm::erase_if(Ways, [&](const Edge &Way) { return Way.first == From; });
      Ways.insert(Ways.begin(), Edge(nullptr, From));
      I = 0;
    }
}

/// The number of the counter that counts \p Wanted.
unsigned FunctionCounters::numberOf(Counter Wanted) {
  joinWays(Wanted.Ways);
  for (Edge &Way : Wanted.Ways)
    Way = sameAs(Way);
  llvm::sort(Wanted.Ways);
  auto Position = llvm::find(Counters, Wanted);
  if (Position == Counters.end())
    Position = Counters.insert(Position, std::move(Wanted));
  return unsigned(Position - Counters.begin());
}

bool isCountable(const Edges &Ways) {
  return llvm::all_of(Ways, [](const Edge &Way) {
    const auto &[From, To] = Way;
    if (!From)
      return To->getFirstInsertionPt() != To->end();
    return !isa<llvm::IndirectBrInst, llvm::CallBrInst>(From->getTerminator()) && !To->isEHPad();
  });
}

std::optional<unsigned> FunctionCounters::requestRuns(const Edges &Ways) {
  return isCountable(Ways) ? std::optional(numberOf({Ways, {}})) : std::nullopt;
}

std::optional<std::pair<unsigned, unsigned>> FunctionCounters::request(const Probe &Wanted) {
  if (Wanted.empty())
    return std::nullopt;
  if (!Wanted.Value) {
    const auto Over = requestRuns(Wanted.Numerator), Under = requestRuns(Wanted.Denominator);
    return Over && Under ? std::optional(std::pair(*Over, *Under)) : std::nullopt;
  }
  auto IsSeen = [&](const llvm::Value *What) {
    auto *Source = llvm::dyn_cast_or_null<Instruction>(What);
    return !Source || (Source == Wanted.Point ? !Source->isTerminator()
                                              : Analyses.DT.dominates(Source, Wanted.Point));
  };
  Edges Block{{nullptr, Wanted.Point->getParent()}};
  const llvm::Type &T = *Wanted.Value->getType();
  const bool IsNumber = Wanted.Start ? T.isPointerTy() && Wanted.Start->getType() == &T
                                     : T.isIntegerTy() && T.getIntegerBitWidth() <= 64;
  if (!IsSeen(Wanted.Value) || !IsSeen(Wanted.Start) || !IsNumber || !isCountable(Block))
    return std::nullopt;
  const unsigned Sum = numberOf({{}, Wanted});
  return std::pair(Sum, numberOf({Wanted.Denominator.empty() ? Block : Wanted.Denominator, {}}));
}

void FunctionCounters::collect(unsigned Number, SmallVectorImpl<unsigned> &Result) const {
  if (Counters[Number].Parts.empty())
    Result.push_back(Number);
  for (unsigned Part : Counters[Number].Parts)
    collect(Part, Result);
}

bool mayNotGoOn(const BasicBlock &Block) {
  return llvm::any_of(Block, [](const Instruction &I) { return I.mayThrow() || !I.willReturn(); });
}

/// Control that enters a block takes one of its outgoing edges: where counters in memory are needed
/// for the block and one edge, counts the other edge instead of the block.
void FunctionCounters::reduce() {
  for (unsigned I = 0; I != Counters.size(); ++I) {
    const Edges &Ways = Counters[I].Ways;
    if (Ways.size() != 1 || Ways.front().first)
      continue;
    const BasicBlock *Block = Ways.front().second;
    llvm::Loop *Around = Analyses.LI.getLoopFor(Block);
    auto *Branch = dyn_cast<llvm::BranchInst>(Block->getTerminator());
    if (!Branch || !Branch->isConditional() || (Around && endsByItself(*Around)) ||
        mayNotGoOn(*Block))
      continue;
    SmallVector<Edge, 2> Out;
    for (const BasicBlock *To : llvm::successors(Block))
      Out.push_back(sameAs({Block, To}));
    SmallVector<unsigned, 8> Known;
    for (unsigned Other = 0; Other != Counters.size(); ++Other)
      if (Counters[Other].Ways.size() == 1 && llvm::is_contained(Out, Counters[Other].Ways.front()))
        collect(Other, Known);
    if (Out[0] == Out[1] || !isCountable(Out) || Known.empty() || llvm::is_contained(Known, I))
      continue;
    SmallVector<unsigned, 2> Parts{numberOf({{Out[0]}, {}}), numberOf({{Out[1]}, {}})};
    Counters[I].Parts = std::move(Parts);
  }
}

/// True where control leaves \p L only by its exits.
bool FunctionCounters::endsByItself(llvm::Loop &L) {
  auto [Found, New] = Ending.try_emplace(&L, true);
  if (New)
    Found->second =
        llvm::none_of(L.blocks(), [](const BasicBlock *Block) { return mayNotGoOn(*Block); });
  return Found->second;
}

} // namespace ergon
