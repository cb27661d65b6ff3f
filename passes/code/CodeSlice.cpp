//===- CodeSlice.cpp - the code that decides what a function does ---------===//

#include "passes/code/CodeSlice.h"
#include "passes/code/CodeTypes.h"
#include "passes/ir/DirectCallee.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace ergon {

/// What the interpreter knows to write nothing that a program reads back.
static bool isOutput(StringRef Name) {
  return llvm::is_contained({"printf", "puts", "putchar", "fprintf", "fputs", "fputc", "fflush",
                             "fwrite", "perror", "srand", "fclose", "cudaFree",
                             "cudaDeviceSynchronize", "cudaEventRecord", "rand"},
                            Name);
}

static bool isRoot(const Instruction &I) {
  if (isa<llvm::StoreInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(I))
    return true;
  auto *Site = dyn_cast<CallBase>(&I);
  if (!Site)
    return isa<llvm::ReturnInst>(I) && !I.getFunction()->getName().equals_insensitive("main");
  if (auto *Intrinsic = dyn_cast<llvm::IntrinsicInst>(Site);
      Intrinsic ? !writesInCode(*Intrinsic) : isOutput(directCallee(*Site)))
    return false;
  return Site->mayWriteToMemory();
}

CodeSlice::CodeSlice(const llvm::Function &F, const SourceNames &Names) : F(F), Ways(F) {
  for (const auto &[What, Counter] : llvm::zip(Names.unknowns(), Names.probes()))
    if (Counter.Value && Counter.Point && Counter.Denominator.empty())
      Noted.push_back({What.Symbol, Counter.Value, Counter.Point, Counter.Low, Counter.Bits,
                       Counter.Start, Counter.ElementBytes});
    else if (!Counter.Value && !Counter.Denominator.empty())
      Counted.push_back({What.Symbol, &Counter.Numerator, &Counter.Denominator});
  for (const auto &[Load, Symbol] : Names.globalLoads())
    Noted.push_back({Symbol, Load, Load, 0, Load->getType()->getIntegerBitWidth()});
  for (const Instruction &I : llvm::instructions(F))
    if (isRoot(I))
      need(&I);
  for (const NotedValue &Note : Noted) {
    need(Note.Value);
    if (Note.Start)
      need(Note.Start);
    needBlock(*Note.Before->getParent());
  }
  for (const CountedShare &Share : Counted)
    for (const Edges *Ends : {Share.Numerator, Share.Denominator})
      for (const auto &[From, To] : *Ends) {
        needBlock(From ? *From : *To);
        if (From && Ways.next(*From).size() > 1)
          need(From->getTerminator());
      }
  while (!Open.empty())
    follow(*Open.pop_back_val());
}

bool CodeSlice::decides(const BasicBlock &Block) const {
  return llvm::all_of(Ways.deciders(Block),
                      [&](const BasicBlock *Decider) { return has(*Decider->getTerminator()); });
}

llvm::SmallSetVector<const llvm::Function *, 8> CodeSlice::skipped() const {
  llvm::SmallSetVector<const llvm::Function *, 8> Result;
  for (const Instruction &I : llvm::instructions(F))
    if (auto *Site = dyn_cast<CallBase>(&I); Site && !has(I))
      if (const llvm::Function *Callee = Site->getCalledFunction();
          Callee && !Callee->isIntrinsic())
        Result.insert(Callee);
  return Result;
}

void CodeSlice::need(const llvm::Value *What) {
  if (auto *I = dyn_cast<Instruction>(What); I && Needed.insert(I).second)
    Open.push_back(I);
}

void CodeSlice::needBlock(const BasicBlock &Block) {
  if (Decided.insert(&Block).second)
    for (const BasicBlock *Decider : Ways.deciders(Block))
      need(Decider->getTerminator());
}

void CodeSlice::follow(const Instruction &I) {
  needBlock(*I.getParent());
  if (auto *Phi = dyn_cast<llvm::PHINode>(&I))
    for (const BasicBlock *From : Phi->blocks())
      needBlock(*From);
  for (const llvm::Use &Operand : I.operands())
    need(Operand);
}

} // namespace ergon
