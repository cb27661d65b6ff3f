//===- AccessPrinter.cpp - targets of accesses as text --------------------===//

#include "passes/access/AccessTargets.h"
#include "passes/symbolic/AnalysisContext.h"
#include "passes/tripcount/ExecutionCounts.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/raw_ostream.h"

namespace ergon {

static void printTarget(raw_ostream &Out, const Expr &Share, const Access &Found) {
  Out << "    " << name(Found.What) << " " << Found.Bytes << " " << name(Found.Where) << " "
      << (Found.Base.empty() ? "?" : Found.Base) << " "
      << (Found.Offset ? toText(*Found.Offset) : "?");
  if (Found.Row)
    Out << ", row " << toText(*Found.Row);
  if (Share != Expr(1))
    Out << ", where " << toText(Share) << " is 1";
  Out << "\n";
}

void printAccesses(llvm::Function &F, llvm::FunctionAnalysisManager &AM, raw_ostream &Out) {
  AnalysisContext Context(F, AM, "algorithm", /*Callees=*/nullptr);
  ExecutionCounts(Context).compute(/*ByBlock=*/false); // values after loops depend on their ends
  AccessTargets Targets(Context);
  Out << "accesses of " << F.getName() << "\n";
  for (const BasicBlock &Block : F) {
    const llvm::Loop *Scope = Context.LI.getLoopFor(&Block);
    Out << "  block ";
    Block.printAsOperand(Out, /*PrintType=*/false);
    Out << (Scope ? " in loop " + Context.Names.loop(*Scope) : "") << "\n";
    const ScevToExpr::Question Asks(Context.Translate, *Block.getTerminator(), /*OfAddress=*/true);
    for (const Instruction &I : Block)
      if (auto Found = Targets.accessOf(I, Scope))
        for (const auto &[Share, Turn] : *Found)
          printTarget(Out, Share, Turn);
  }
}

} // namespace ergon
