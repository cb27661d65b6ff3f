//===- GuardChains.cpp - limits chains of loop guards ---------------------===//

#include "passes/ir/GuardChains.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

namespace ergon {

bool decidesNothing(const Instruction &I) {
  auto *Branch = dyn_cast<llvm::BranchInst>(&I);
  return Branch && Branch->isConditional() && isa<llvm::ConstantInt>(Branch->getCondition()) &&
         Branch->getSuccessor(0) == Branch->getSuccessor(1);
}

/// The next block that scalar evolution visits from \p B, as in its
/// getPredecessorWithUniqueSuccessorForBB.
static BasicBlock *blockBefore(const BasicBlock &B, const llvm::LoopInfo &LI) {
  if (const BasicBlock *Only = B.getSinglePredecessor())
    return const_cast<BasicBlock *>(Only);
  const llvm::Loop *L = LI.getLoopFor(&B);
  return L && L->getHeader() == &B ? L->getLoopPredecessor() : nullptr;
}

/// Ends the chain at \p B, which has one predecessor.
static void cutAt(BasicBlock &B) {
  const llvm::DebugLoc Position = B.getTerminator()->getDebugLoc();
  BasicBlock *Before = B.getSinglePredecessor(), *Behind = &B;
  if (!Before->getSingleSuccessor()) { // the condition there stays
    Behind = B.splitBasicBlock(B.getFirstNonPHIIt());
    Before = &B;
  }
  Before->getTerminator()->eraseFromParent();
  auto *Way =
      llvm::BranchInst::Create(Behind, Behind, llvm::ConstantInt::getFalse(B.getContext()), Before);
  Way->setDebugLoc(Position);
  for (llvm::PHINode &Phi : Behind->phis())
    Phi.addIncoming(Phi.getIncomingValueForBlock(Before), Before);
}

llvm::PreservedAnalyses CutGuardChains::run(llvm::Function &F, llvm::FunctionAnalysisManager &AM) {
  /// The length up to which a chain stays, and the length of a piece. Shorter chains take a few
  /// milliseconds; ordinary code has no longer ones.
  static constexpr unsigned MaxChain = 64, Piece = 8;
  if (F.size() <= MaxChain)
    return llvm::PreservedAnalyses::all();
  auto &LI = AM.getResult<llvm::LoopAnalysis>(F);
  const llvm::ReversePostOrderTraversal<llvm::Function *> Order(&F);
  llvm::DenseMap<const BasicBlock *, unsigned> Conditions;
  unsigned Longest = 0;
  auto Count = [&](const BasicBlock &B) {
    const BasicBlock *Before = blockBefore(B, LI);
    return Before ? Conditions.lookup(Before) + !Before->getUniqueSuccessor() : 0;
  };
  for (const BasicBlock *B : Order)
    Longest = std::max(Longest, Conditions[B] = Count(*B));
  if (Longest <= MaxChain)
    return llvm::PreservedAnalyses::all();
  SmallVector<BasicBlock *> Cuts;
  for (BasicBlock *B : Order) {
    unsigned &Current = Conditions[B] = Count(*B);
    const bool IsAble = B->getSinglePredecessor() && !B->isEHPad() &&
                        !isa<CallBase>(B->getSinglePredecessor()->getTerminator());
    if (Current < Piece || !IsAble)
      continue;
    Cuts.push_back(B);
    Current = 0;
  }
  for (BasicBlock *B : Cuts)
    cutAt(*B);
  return llvm::PreservedAnalyses::none();
}

} // namespace ergon
