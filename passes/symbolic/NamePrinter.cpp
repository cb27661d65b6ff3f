//===- NamePrinter.cpp - names of a function as text ----------------------===//

#include "passes/symbolic/AnalysisContext.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/raw_ostream.h"

namespace ergon {

/// The cell that \p Load reads, if unchanged since function entry.
static void printCell(raw_ostream &Out, const llvm::LoadInst &Load, AnalysisContext &Context) {
  const std::optional<AccessPath> Path = Context.Memory.entryPath(Load);
  if (!Path)
    return;
  const unsigned Bytes = unsigned(Context.Layout.getTypeStoreSize(Load.getType()));
  Out << "  load ";
  Load.printAsOperand(Out, /*PrintType=*/false);
  Out << ": "
      << (Load.getType()->isPointerTy() ? Context.Names.object(*Path)
                                        : Context.Names.nameOf(*Path, Bytes))
      << "\n";
}

void printNames(llvm::Function &F, llvm::FunctionAnalysisManager &AM, raw_ostream &Out) {
  AnalysisContext Context(F, AM, "algorithm", /*Callees=*/nullptr);
  Out << "names of " << F.getName() << "\n";
  for (const llvm::Argument &Argument : F.args()) {
    const std::optional<bool> IsSigned = Context.Names.isSigned(Argument);
    Out << "  argument " << Argument.getArgNo() << ": " << Context.Names.argument(Argument)
        << (!IsSigned   ? ""
            : *IsSigned ? " (signed)"
                        : " (unsigned)")
        << "\n";
  }
  for (const llvm::Loop *L : Context.LI.getLoopsInPreorder())
    Out.indent(2 * L->getLoopDepth())
        << "loop " << L->getHeader()->getName() << ": " << Context.Names.loop(*L) << "\n";
  for (const Instruction &I : llvm::instructions(F)) {
    if (isa<llvm::AllocaInst>(I)) {
      Out << "  local ";
      I.printAsOperand(Out, /*PrintType=*/false);
      Out << ": " << Context.Names.object(I) << "\n";
    } else if (auto *Load = dyn_cast<llvm::LoadInst>(&I)) {
      printCell(Out, *Load, Context);
    }
  }
}

} // namespace ergon
