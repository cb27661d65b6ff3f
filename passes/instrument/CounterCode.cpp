//===- CounterCode.cpp - generates the counting code ----------------------===//

#include "passes/instrument/FunctionCounters.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace ergon {

/// The first own instruction of the block: all insertions before it are at one place.
Instruction *FunctionCounters::startOf(BasicBlock *Block) {
  return Firsts.try_emplace(Block, &*Block->getFirstInsertionPt()).first->second;
}

/// Adds one each time that control takes \p Way.
FunctionCounters::Addition FunctionCounters::additionOn(const Edge &Way, unsigned Counter) {
  auto *From = const_cast<BasicBlock *>(Way.first), *To = const_cast<BasicBlock *>(Way.second);
  llvm::Constant *C = llvm::ConstantInt::get(Number, 1);
  if (!From)
    return {startOf(To), Counter, C};
  // No block runs as often (see sameAs): the edge is critical. A block on it costs jumps, and the
  // code that the optimizer moves there; a counter in a register can instead add 0 or 1 afterwards.
  llvm::Loop *Around = Analyses.LI.getLoopFor(To);
  if (Around && Around->getHeader() != To && endsByItself(*Around)) {
    Instruction *Behind = startOf(To);
    auto *Amount = llvm::PHINode::Create(Number, llvm::pred_size(To), "", To->begin());
    for (BasicBlock *Predecessor : llvm::predecessors(To))
      Amount->addIncoming(Predecessor == From ? C : llvm::ConstantInt::get(Number, 0), Predecessor);
    return {Behind, Counter, Amount};
  }
  BasicBlock *&Block = Split[Way];
  if (!Block) {
    Instruction *Branch = From->getTerminator();
    // Without loop information it leaves all other edges unchanged.
    Block = llvm::SplitCriticalEdge(
        Branch, llvm::find(llvm::successors(Branch), To).getSuccessorIndex(),
        llvm::CriticalEdgeSplittingOptions(&Analyses.DT).setMergeIdenticalEdges());
    Around = Analyses.LI.getLoopFor(From);
    while (Around && !Around->contains(To))
      Around = Around->getParentLoop();
    if (Around)
      Around->addBasicBlockToLoop(Block, Analyses.LI);
  }
  return {Block->getTerminator(), Counter, C};
}

/// The value of \p Sum as a 64-bit number, where it is known.
FunctionCounters::Addition FunctionCounters::additionOf(const Probe &Sum, unsigned Counter) {
  auto *Site = const_cast<Instruction *>(Sum.Point);
  llvm::IRBuilder<> Build(Site);
  if (Sum.Value == Sum.Point || Sum.Start == Sum.Point)
    Build.SetInsertPoint(isa<llvm::PHINode>(Site) ? &*Site->getParent()->getFirstInsertionPt()
                                                  : Site->getNextNode());
  llvm::Value *Amount = const_cast<llvm::Value *>(Sum.Value);
  if (Sum.Start)
    Amount = Build.CreateSDiv(
        Build.CreateSub(Build.CreatePtrToInt(Amount, Number),
                        Build.CreatePtrToInt(const_cast<llvm::Value *>(Sum.Start), Number)),
        llvm::ConstantInt::get(Number, Sum.ElementBytes));
  if (Sum.Low == 0 && Sum.Bits == 64) {
    Amount = Build.CreateSExtOrTrunc(Amount, Number);
  } else {
    Amount = Build.CreateLShr(Build.CreateZExtOrTrunc(Amount, Number), Sum.Low);
    Amount = Build.CreateZExt(Build.CreateTrunc(Amount, Build.getIntNTy(Sum.Bits)), Number);
  }
  return {&*Build.GetInsertPoint(), Counter, Amount};
}

/// The block that runs in each iteration of \p L, on from which control reaches \p Block if
/// conditions hold that all iterations share. Multiplies \p Holds, a 64-bit number, by 1 where they
/// do, else by 0.
const BasicBlock *FunctionCounters::sharedGuards(const BasicBlock *Block, const llvm::Loop &L,
                                                 llvm::ScalarEvolution &SE,
                                                 const llvm::SCEV *&Holds) const {
  while (!Analyses.DT.dominates(Block, L.getLoopLatch())) {
    const BasicBlock *Above = Analyses.DT.getNode(Block)->getIDom()->getBlock();
    if (Analyses.LI.getLoopFor(Above) != &L)
      return Block;
    if (!PDT.dominates(Block, Above)) {
      auto *Branch = dyn_cast<llvm::BranchInst>(Above->getTerminator());
      if (!Branch || !Branch->isConditional() || !L.isLoopInvariant(Branch->getCondition()))
        return Block;
      auto Leads = [&](unsigned Way) {
        const BasicBlock *Next = Branch->getSuccessor(Way);
        return Analyses.DT.dominates(llvm::BasicBlockEdge(Above, Next), Block) &&
               PDT.dominates(Block, Next);
      };
      if (!Leads(0) && !Leads(1))
        return Block;
      const llvm::SCEV *IsTrue = SE.getZeroExtendExpr(SE.getSCEV(Branch->getCondition()), Number);
      Holds = SE.getMulExpr(Holds, Leads(0) ? IsTrue : SE.getMinusSCEV(SE.getOne(Number), IsTrue));
    }
    Block = Above;
  }
  return Block;
}

/// The cost of a trip count that is still evaluated where a loop is entered, as
/// `isHighCostExpansion` measures it: a bound of a block of a loop is `min(from + 32, n) - from`.
static constexpr unsigned MostInstructions = 16;

/// Hoists an addition out of the loops around, as long as their trip counts are known: adds the
/// total at once.
void FunctionCounters::hoist(Addition &What, llvm::ScalarEvolution &SE,
                             llvm::SCEVExpander &Expander) {
  const llvm::SCEV *Amount = SE.getSCEV(What.Amount);
  Instruction *Before = What.Before;
  while (llvm::Loop *L = Analyses.LI.getLoopFor(Before->getParent())) {
    const BasicBlock *Exiting = L->getExitingBlock(), *Latch = L->getLoopLatch();
    const llvm::SCEV *Again = SE.getBackedgeTakenCount(L);
    if (!Exiting || !Latch || !L->isLoopSimplifyForm() || !endsByItself(*L) ||
        isa<llvm::SCEVCouldNotCompute>(Again) || !SE.isLoopInvariant(Amount, L))
      break;
    const llvm::SCEV *Times = SE.getTruncateOrZeroExtend(Again, Number), *Holds = SE.getOne(Number);
    const BasicBlock *Block = sharedGuards(Before->getParent(), *L, SE, Holds);
    // In the last iteration it runs only if it is before the exit.
    const bool IsBeforeExit = Analyses.DT.dominates(Block, Exiting);
    if (!Analyses.DT.dominates(Block, Latch) ||
        (!IsBeforeExit && !Analyses.DT.dominates(Exiting, Block)))
      break;
    if (IsBeforeExit)
      Times = SE.getAddExpr(Times, SE.getOne(Number));
    const llvm::SCEV *Sum = SE.getMulExpr(Amount, SE.getMulExpr(Holds, Times));
    Instruction *Outside = L->getLoopPreheader()->getTerminator();
    if (!Expander.isSafeToExpandAt(Sum, Outside) ||
        Expander.isHighCostExpansion(Times, L, MostInstructions, &Analyses.TTI, Outside))
      break;
    Amount = Sum;
    Before = Outside;
  }
  if (Before != What.Before)
    What = {Before, What.Counter, Expander.expandCodeFor(Amount, Number, Before->getIterator())};
}

/// Hides the operands of \p Value from the optimizer: otherwise a sum over several loops becomes
/// another induction variable in each. It generates no code, and is no call, which would prevent
/// unrolling.
static llvm::Value *settled(llvm::IRBuilder<> &Build, llvm::Value *Value) {
  llvm::Value *Hidden = Build.CreateIntToPtr(Value, Build.getPtrTy());
  return Build.CreatePtrToInt(Build.CreateStripInvariantGroup(Hidden), Value->getType());
}

/// An induction variable that is incremented or decremented by one, and whether it is incremented.
/// Null where there is none.
static std::pair<llvm::PHINode *, bool> inductionOf(const llvm::Loop &L,
                                                    llvm::ScalarEvolution &SE) {
  for (llvm::PHINode &Phi : L.getHeader()->phis()) {
    if (!Phi.getType()->isIntegerTy() || Phi.getType()->getIntegerBitWidth() > 64)
      continue;
    auto *Number = dyn_cast<llvm::SCEVAddRecExpr>(SE.getSCEV(&Phi));
    if (!Number || Number->getLoop() != &L || !Number->isAffine())
      continue;
    // One that wraps around is useless.
    if (Phi.getType()->getIntegerBitWidth() < 64 && !Number->hasNoSelfWrap())
      continue;
    auto *Step = dyn_cast<llvm::SCEVConstant>(Number->getStepRecurrence(SE));
    if (Step && (Step->getAPInt().isOne() || Step->getAPInt().isAllOnes()))
      return {&Phi, Step->getAPInt().isOne()};
  }
  return {nullptr, false};
}

/// Adds the total of \p What, one per iteration of \p L, at the loop's end, if an induction
/// variable gives it: then nothing is counted inside.
bool FunctionCounters::countAtEnd(const Addition &What, const llvm::Loop &L,
                                  llvm::ScalarEvolution &SE, SmallVectorImpl<Addition> &Result) {
  const BasicBlock *Block = What.Before->getParent();
  const auto [Induction, Rises] = inductionOf(L, SE);
  if (!Induction || What.Amount != llvm::ConstantInt::get(Number, 1) ||
      !Analyses.DT.dominates(Block, L.getLoopLatch()))
    return false;
  SmallVector<BasicBlock *, 4> Exits;
  L.getUniqueExitBlocks(Exits);
  // In the last iteration it is counted only if it is before the exit.
  auto IsCounted = [&](const BasicBlock *From) { return Analyses.DT.dominates(Block, From); };
  for (const BasicBlock *Exit : Exits)
    for (const BasicBlock *From : llvm::predecessors(Exit))
      if (!IsCounted(From) && !Analyses.DT.dominates(From, Block))
        return false;
  llvm::Value *Start = Induction->getIncomingValueForBlock(L.getLoopPreheader());
  llvm::Value *Next = Induction->getIncomingValueForBlock(L.getLoopLatch());
  // If the counter is in a register, subtracts the start before the loop, so that no register has
  // to hold it.
  llvm::Loop *Around = L.getParentLoop();
  llvm::Constant *Zero = llvm::Constant::getNullValue(Start->getType());
  const bool IsApart = Start != Zero && Start->getType() == Number && Around &&
                       endsByItself(*Around) && Around->isLoopSimplifyForm();
  for (BasicBlock *Exit : Exits) {
    Instruction *Behind = startOf(Exit);
    auto *Last =
        llvm::PHINode::Create(Induction->getType(), llvm::pred_size(Exit), "", Exit->begin());
    auto *OneMore = llvm::PHINode::Create(Number, llvm::pred_size(Exit), "", Exit->begin());
    for (BasicBlock *From : llvm::predecessors(Exit)) {
      // At its latch a loop has the next value.
      const bool IsNext = From == L.getLoopLatch();
      Last->addIncoming(IsNext ? Next : Induction, From);
      OneMore->addIncoming(llvm::ConstantInt::getSigned(Number, IsCounted(From) - IsNext), From);
    }
    llvm::IRBuilder<> Build(Behind);
    auto Minus = [&](llvm::Value *A, llvm::Value *B) {
      return Build.CreateZExt(Rises ? Build.CreateSub(A, B) : Build.CreateSub(B, A), Number);
    };
    Result.push_back(
        {Behind, What.Counter,
         Build.CreateAdd(Minus(settled(Build, Last), IsApart ? Zero : Start), OneMore)});
  }
  if (IsApart) {
    Instruction *Before = L.getLoopPreheader()->getTerminator();
    llvm::IRBuilder<> Build(Before);
    Result.push_back({Before, What.Counter, Rises ? Build.CreateNeg(Start) : Start});
  }
  return true;
}

/// Adds atomically, or, with a single thread, by the faster plain code.
void FunctionCounters::addToMemory(Instruction *Before, ArrayRef<Addition> What,
                                   llvm::GlobalVariable &Array, llvm::GlobalVariable &Alone) {
  auto Add = [&](Instruction *Where, bool IsAlone) {
    llvm::IRBuilder<> Build(Where);
    for (const Addition &A : What) {
      llvm::Value *Cell = Build.CreateConstInBoundsGEP1_64(Number, &Array, A.Counter);
      if (IsAlone) {
        // Atomic, so that no pass vectorizes unrelated counters.
        auto *Old = Build.CreateAlignedLoad(Number, Cell, llvm::Align(8));
        auto *New = Build.CreateAlignedStore(Build.CreateAdd(Old, A.Amount), Cell, llvm::Align(8));
        Old->setAtomic(llvm::AtomicOrdering::Unordered);
        New->setAtomic(llvm::AtomicOrdering::Unordered);
      } else
        Build.CreateAtomicRMW(llvm::AtomicRMWInst::Add, Cell, A.Amount, llvm::MaybeAlign(8),
                              llvm::AtomicOrdering::Monotonic);
    }
  };
  llvm::IRBuilder<> Build(Before);
  llvm::Value *IsAlone = Build.CreateIsNotNull(Build.CreateLoad(Build.getInt8Ty(), &Alone));
  Instruction *Then = nullptr, *Else = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(
      IsAlone, Before, &Then, &Else,
      llvm::MDBuilder(Analyses.F.getContext()).createLikelyBranchWeights());
  Add(Then, true);
  Add(Else, false);
}

/// Where an addition before \p Before is made: at the end of its block where control gets there, so
/// that those of one block are together.
static Instruction *placeInMemory(Instruction *Before) {
  BasicBlock *Block = Before->getParent();
  if (mayNotGoOn(*Block))
    return Before;
  Instruction *TailCall = Block->getTerminatingMustTailCall();
  return TailCall ? TailCall : Block->getTerminator();
}

void FunctionCounters::insert(llvm::GlobalVariable &Array, llvm::GlobalVariable &Alone) {
  SmallVector<Addition> All;
  for (unsigned I = 0; I != Counters.size(); ++I) {
    if (!Counters[I].Parts.empty())
      continue;
    if (Counters[I].Sum.Value)
      All.push_back(additionOf(Counters[I].Sum, I));
    for (const Edge &Way : Counters[I].Ways)
      All.push_back(additionOn(Way, I));
  }
  for (llvm::Loop *L : Analyses.LI)
    llvm::simplifyLoop(L, &Analyses.DT, &Analyses.LI, nullptr, &Analyses.AC, nullptr,
                       /*PreserveLCSSA=*/false);
  PDT.recalculate(Analyses.F);
  llvm::ScalarEvolution SE = Analyses.makeScalarEvolution();
  llvm::SCEVExpander Expander(SE, "ergon", /*PreserveLCSSA=*/false);
  for (Addition &A : All)
    hoist(A, SE, Expander);
  // While a loop runs a variable counts; where it ends, what it has is added to that of the loop
  // around, or to memory.
  llvm::MapVector<Instruction *, SmallVector<Addition, 4>> InMemory;
  llvm::MapVector<std::pair<llvm::Loop *, unsigned>, llvm::AllocaInst *> Variables;
  while (!All.empty()) {
    const Addition A = All.pop_back_val();
    llvm::Loop *Around = Analyses.LI.getLoopFor(A.Before->getParent());
    if (!Around || !endsByItself(*Around) || !Around->isLoopSimplifyForm()) {
      InMemory[placeInMemory(A.Before)].push_back(A);
      continue;
    }
    if (countAtEnd(A, *Around, SE, All))
      continue;
    llvm::AllocaInst *&Count = Variables[{Around, A.Counter}];
    if (!Count) {
      Count = new llvm::AllocaInst(Number, 0, "ergon.count", Analyses.F.getEntryBlock().begin());
      new llvm::StoreInst(llvm::ConstantInt::get(Number, 0), Count,
                          Around->getLoopPreheader()->getTerminator()->getIterator());
      SmallVector<BasicBlock *, 4> Exits;
      Around->getUniqueExitBlocks(Exits);
      for (BasicBlock *Exit : Exits) {
        Instruction *Behind = startOf(Exit);
        llvm::IRBuilder<> Build(Behind);
        All.push_back({Behind, A.Counter, settled(Build, Build.CreateLoad(Number, Count))});
      }
    }
    llvm::IRBuilder<> Build(A.Before);
    Build.CreateStore(Build.CreateAdd(Build.CreateLoad(Number, Count), A.Amount), Count);
  }
  for (auto &[Before, What] : InMemory)
    addToMemory(Before, What, Array, Alone);
  Analyses.DT.recalculate(Analyses.F);
  llvm::PromoteMemToReg(llvm::to_vector(llvm::make_second_range(Variables)), Analyses.DT);
}

} // namespace ergon
