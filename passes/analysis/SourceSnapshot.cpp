//===- SourceSnapshot.cpp - snapshots analyzed on a copy ------------------===//

#include "passes/analysis/SourceSnapshot.h"
#include "passes/analysis/CountAnalysis.h"
#include "passes/analysis/Remarks.h"
#include "passes/ir/AddressSpaces.h"
#include "passes/ir/AnalysisManagers.h"
#include "passes/ir/CudaCalls.h"
#include "passes/ir/FunctionCopies.h"
#include "passes/ir/GuardChains.h"
#include "passes/ir/OpenMP.h"
#include "passes/ir/PromotedAccesses.h"
#include "passes/symbolic/CalleeValues.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

namespace ergon {

/// Null for a target that this LLVM does not know.
static std::unique_ptr<llvm::TargetMachine> targetOf(const llvm::Module &M) {
  std::string Ignored;
  auto *Known = llvm::TargetRegistry::lookupTarget(M.getTargetTriple(), Ignored);
  return std::unique_ptr<llvm::TargetMachine>(
      Known ? Known->createTargetMachine(M.getTargetTriple(), "", "", {}, std::nullopt) : nullptr);
}

static void canonicalize(llvm::Function &F, llvm::FunctionPassManager &Canonicalize,
                         llvm::FunctionAnalysisManager &FAM) {
  F.removeFnAttr(llvm::Attribute::OptimizeNone);
  Canonicalize.run(F, FAM);
  FAM.clear(F, F.getName());
}

/// The counts of \p F; clears its cached analyses.
static Function analyzed(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, StringRef Snapshot,
                         CalleeValues *Callees, bool WithRemarks, CountRequest *Counted = nullptr) {
  Function Result = analyzeCounts(F, FAM, Snapshot, Callees, Counted);
  if (WithRemarks)
    emitRemarks(F, Result);
  FAM.clear(F, F.getName());
  return Result;
}

/// Whether some function or call must be inlined: the pass scans all code.
static bool inlinesAny(const llvm::Module &M) {
  return llvm::any_of(M, [](const llvm::Function &F) {
    return F.hasFnAttribute(llvm::Attribute::AlwaysInline) ||
           llvm::any_of(llvm::instructions(F), [](const Instruction &I) {
             auto *Site = dyn_cast<CallBase>(&I);
             return Site && Site->getAttributes().hasFnAttr(llvm::Attribute::AlwaysInline);
           });
  });
}

static bool isAnalyzed(const llvm::Function &F) {
  return !F.isDeclaration() && !F.hasAvailableExternallyLinkage();
}

/// Inlines what belongs to the code around, and returns what brings each function into the form
/// that the analysis reads.
static llvm::FunctionPassManager canonicalization(llvm::Module &M,
                                                  llvm::ModuleAnalysisManager &MAM) {
  // Functions of the toolkit's headers are not user code.
  for (llvm::Function &F : M)
    if (isLaunchHelper(F)) {
      F.removeFnAttr(llvm::Attribute::NoInline);
      F.removeFnAttr(llvm::Attribute::OptimizeNone);
      F.addFnAttr(llvm::Attribute::AlwaysInline);
    }
  // Clang inlines these at any -O; they contain a device's thread indices.
  if (inlinesAny(M))
    llvm::AlwaysInlinerPass().run(M, MAM);
  // Promotes variables to registers and canonicalizes loops; removes, merges or moves no operation;
  // accesses to variables leave marks.
  llvm::FunctionPassManager Result;
  Result.addPass(MarkLocalAccesses());
  Result.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  Result.addPass(DropUnusedMarks());
  Result.addPass(llvm::LoopSimplifyPass());
  Result.addPass(CutGuardChains());
  return Result;
}

/// The source snapshot of \p M, which becomes canonical. \p Wanted, if given, has what receives
/// what a run is to count.
static std::vector<Function> snapshotOf(llvm::Module &M, llvm::ModuleAnalysisManager &MAM,
                                        llvm::FunctionAnalysisManager &FAM, bool WithRemarks,
                                        function_ref<CountRequest *(llvm::Function &)> Wanted) {
  llvm::FunctionPassManager Canonicalize = canonicalization(M, MAM);
  for (llvm::Function &F : M)
    if (isAnalyzed(F))
      canonicalize(F, Canonicalize, FAM);
  CalleeValues Callees;
  std::vector<Function> Result;
  Result.reserve(M.size());
  for (llvm::Function &F : M)
    if (isAnalyzed(F))
      Result.push_back(
          analyzed(F, FAM, "source", isDevice(M) ? nullptr : &Callees, WithRemarks, Wanted(F)));
  return Result;
}

std::vector<Function> sourceSnapshotInPlace(llvm::Module &M, llvm::ModuleAnalysisManager &AM,
                                            function_ref<CountRequest &(llvm::Function &)> Wanted) {
  auto &FAM = AM.getResult<llvm::FunctionAnalysisManagerModuleProxy>(M).getManager();
  std::vector<Function> Result =
      snapshotOf(M, AM, FAM, /*WithRemarks=*/false, [&](llvm::Function &F) { return &Wanted(F); });
  dropMarks(M);
  return Result;
}

std::vector<Function> sourceSnapshot(const llvm::Module &M, bool WithRemarks) {
  std::unique_ptr<llvm::Module> Copy = copyFunctions(M);
  const auto Target = targetOf(M);
  AnalysisManagers Managers(Target.get());
  if (usesOpenMP(*Copy))
    unfoldParallelRegions(*Copy, /*AddStandInAccesses=*/false);
  return snapshotOf(*Copy, Managers.MAM, Managers.FAM, WithRemarks,
                    [](llvm::Function &) -> CountRequest * { return nullptr; });
}

std::vector<Function> parallelSnapshot(const llvm::Module &M, StringRef Snapshot,
                                       llvm::StringSet<> &Covered,
                                       std::vector<CountedParallel> *Counted) {
  std::unique_ptr<llvm::Module> Copy = copyParallelCode(M);
  std::optional<CodeOrigins> Origins;
  if (Counted)
    Origins.emplace(M, *Copy);
  llvm::StringSet<> Changed = unfoldParallelRegions(*Copy, /*AddStandInAccesses=*/true);
  const auto Target = targetOf(M);
  AnalysisManagers Managers(Target.get());
  llvm::FunctionPassManager Canonicalize;
  Canonicalize.addPass(llvm::LoopSimplifyPass());
  std::vector<Function> Result;
  for (llvm::Function &F : *Copy)
    if (!F.isDeclaration() && Changed.contains(F.getName())) {
      canonicalize(F, Canonicalize, Managers.FAM);
      CountRequest Wanted{.Cycle = nullptr};
      Result.push_back(analyzed(F, Managers.FAM, Snapshot, /*Callees=*/nullptr,
                                Snapshot == "algorithm" && wantsRemarks(F),
                                Counted ? &Wanted : nullptr));
      CountedParallel Own{F.getName().str()};
      for (std::size_t I = 0; I != Wanted.Probes.size(); ++I)
        if (auto Counter = Origins->of(Wanted.Probes[I]))
          Own.Unknowns.emplace_back(Result.back().Unknowns[I].Symbol, std::move(*Counter));
      for (const auto &[Symbol, Place] : Wanted.Places)
        if (auto Found = Origins->placeOf(Place.Numerator))
          Own.Places.emplace_back(Symbol, std::move(*Found));
      for (const PointerCall &Called : Wanted.Calls)
        if (const CallBase *Site = Origins->callOf(*Called.Site))
          Own.Calls.push_back({Called.Symbol, Site, Called.Arguments});
      if (Counted && !(Own.Unknowns.empty() && Own.Places.empty() && Own.Calls.empty()))
        Counted->push_back(std::move(Own));
    }
  for (const auto &Entry : Changed)
    Covered.insert(Entry.getKey());
  return Result;
}

} // namespace ergon
