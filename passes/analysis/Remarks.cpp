//===- Remarks.cpp - -Rpass-analysis=ergon --------------------------------===//

#include "passes/analysis/Remarks.h"
#include "formats/json/PlainText.h"
#include "model/program/Program.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"

namespace ergon {

static constexpr const char *PassName = "ergon";

bool wantsRemarks(const llvm::Function &F) {
  return F.getContext().getDiagHandlerPtr()->isAnalysisRemarkEnabled(PassName);
}

/// `2·n³ flop for n ≥ 1`.
static std::string describe(const Expr &Formula, const char *Unit) {
  ConditionalFormula Split = splitConditions(Formula);
  std::string Result = toPretty(Split.Formula) + Unit;
  for (std::size_t I = 0; I != Split.Conditions.size(); ++I)
    Result += (I ? ", " : " for ") + prettyCondition(Split.Conditions[I]);
  return Result;
}

static void emit(const llvm::Function &F, const llvm::DebugLoc &Position, const char *Name,
                 const std::string &What, const Counts &Totals) {
  llvm::DiagnosticLocation Where =
      Position ? llvm::DiagnosticLocation(Position) : llvm::DiagnosticLocation(F.getSubprogram());
  llvm::OptimizationRemarkAnalysis Remark(PassName, Name, Where, &F.getEntryBlock());
  Remark << plainText(What) << ": W = "
         << llvm::DiagnosticInfoOptimizationBase::Argument("W", describe(Totals.work(), " flop"))
         << "; Q = "
         << llvm::DiagnosticInfoOptimizationBase::Argument(
                "Q", describe(Totals.requestedBytes(), " byte requested"));
  F.getContext().diagnose(Remark);
}

static void emitLoops(const llvm::Function &F, const Function &Summary, const Loop &Around) {
  for (const Loop &Inner : Around.Loops) {
    llvm::DebugLoc Position;
    if (llvm::DISubprogram *Program = F.getSubprogram();
        Program && Inner.Location.isValid() && Inner.Location.File == Program->getFilename())
      Position = llvm::DILocation::get(F.getContext(), Inner.Location.Line, Inner.Location.Column,
                                       Program);
    emit(F, Position, "Loop", "loop over " + Inner.Variable + " in " + Summary.Demangled,
         totalsOfLoop(Summary, Inner));
    emitLoops(F, Summary, Inner);
  }
}

void emitRemarks(const llvm::Function &F, const Function &Summary) {
  TotalsBuilder Builder([](const std::string &, const Function &) { return nullptr; });
  Totals Sum = Builder.of(Summary);
  std::string What = (Summary.IsKernel ? "kernel " : "function ") + Summary.Demangled;
  if (!Sum.OpenCalls.empty())
    What += ", calls apart";
  emit(F, llvm::DebugLoc(), "Function", What, Sum.Values);
  emitLoops(F, Summary, Summary.Body);
}

} // namespace ergon
