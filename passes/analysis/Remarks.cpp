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

static void emit(const llvm::Function &F, const llvm::DebugLoc &At, const char *Name,
                 const std::string &What, const Counts &Totals) {
  llvm::DiagnosticLocation Where =
      At ? llvm::DiagnosticLocation(At) : llvm::DiagnosticLocation(F.getSubprogram());
  llvm::OptimizationRemarkAnalysis Remark(PassName, Name, Where, &F.getEntryBlock());
  Remark << plainText(What) << ": W = "
         << llvm::DiagnosticInfoOptimizationBase::Argument("W", describe(Totals.work(), " flop"))
         << "; Q = "
         << llvm::DiagnosticInfoOptimizationBase::Argument(
                "Q", describe(Totals.requestedBytes(), " byte requested"));
  F.getContext().diagnose(Remark);
}

static void emitLoops(const llvm::Function &F, const Function &Cost, const Loop &Around) {
  for (const Loop &Each : Around.Loops) {
    llvm::DebugLoc At;
    if (llvm::DISubprogram *Program = F.getSubprogram();
        Program && Each.At.isValid() && Each.At.File == Program->getFilename())
      At = llvm::DILocation::get(F.getContext(), Each.At.Line, Each.At.Column, Program);
    emit(F, At, "Loop", "loop over " + Each.Variable + " in " + Cost.Demangled,
         totalsOfLoop(Cost, Each));
    emitLoops(F, Cost, Each);
  }
}

void emitRemarks(const llvm::Function &F, const Function &Cost) {
  TotalsBuilder Builder([](const std::string &, const Function &) { return nullptr; });
  Totals Sum = Builder.of(Cost);
  std::string What = (Cost.IsKernel ? "kernel " : "function ") + Cost.Demangled;
  if (!Sum.OpenCalls.empty())
    What += ", calls apart";
  emit(F, llvm::DebugLoc(), "Function", What, Sum.Values);
  emitLoops(F, Cost, Cost.Body);
}

} // namespace ergon
