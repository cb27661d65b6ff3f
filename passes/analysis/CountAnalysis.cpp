//===- CountAnalysis.cpp - analyses a function's counts -------------------===//

#include "passes/analysis/CountAnalysis.h"
#include "passes/access/ConstantPool.h"
#include "passes/analysis/LoopTree.h"
#include "passes/analysis/ReadParameters.h"
#include "passes/analysis/WrapChecks.h"
#include "passes/code/CodeWriter.h"
#include "passes/ir/AddressSpaces.h"
#include "passes/ir/FortranNames.h"
#include "passes/ir/OpenMPScaffold.h"
#include "passes/symbolic/AnalysisContext.h"
#include "passes/tripcount/ExecutionCounts.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/raw_ostream.h"

#include <set>
#include <string>

namespace ergon {

static std::string typeName(const llvm::Type *T) {
  std::string Result;
  llvm::raw_string_ostream(Result) << *T;
  return Result;
}

/// The names and linkage of \p F.
static Function identityOf(const llvm::Function &F) {
  Function Result;
  Result.Name = F.getName().str();
  Result.Demangled = sourceName(F.getName(), *F.getParent());
  Result.IsKernel = isKernel(F);
  Result.IsLocal = F.hasLocalLinkage();
  Result.IsWeak = F.isWeakForLinker();
  Result.Aliases = aliasesOf(F);
  Result.Annotations = annotationsOf(F);
  if (const llvm::DISubprogram *Program = F.getSubprogram())
    Result.Location = {Program->getFilename().str(), Program->getLine(), 1};
  return Result;
}

/// Whether ratios of \p Counted unknowns give the totals of a run: all formulas are constants, or
/// depend on such unknowns alone. A formula in a parameter or a loop's number, which is not linear,
/// does not hold for the means of all calls.
static bool areRatios(const Region &R, const std::set<std::string> &Counted) {
  auto IsRatio = [&](const Expr &Formula) {
    return llvm::all_of(Formula.terms(), [&](const Term &T) {
      return llvm::all_of(T.Factors, [&](const auto &Factor) {
        return Factor.first->What == Atom::Kind::Symbol && Counted.contains(Factor.first->Name);
      });
    });
  };
  return IsRatio(R.Entries) && IsRatio(R.Last) &&
         llvm::all_of(R.Blocks, [&](const auto &Block) { return IsRatio(Block.second); }) &&
         llvm::all_of(R.Loops, [&](const Region &Inner) { return areRatios(Inner, Counted); });
}

/// The number that a small function returns, in its parameters and cells and what its calls return.
static std::optional<Expr> returnedValue(AnalysisContext &Context) {
  static constexpr unsigned MaxInstructions = 200;
  static constexpr std::size_t MaxSize = 200;
  if (!Context.F.getReturnType()->isIntegerTy() ||
      Context.F.getInstructionCount() > MaxInstructions)
    return std::nullopt;
  std::optional<Expr> Result;
  const ScevToExpr::WithReturned Returned(Context.Translate);
  for (const BasicBlock &B : Context.F)
    if (auto *Return = dyn_cast<llvm::ReturnInst>(B.getTerminator())) {
      auto Here = Context.Translate.translate(Return->getReturnValue(), nullptr);
      if (!Here || Here->size() > MaxSize || (Result && *Result != *Here))
        return std::nullopt;
      Result = std::move(Here);
    }
  return Result;
}

/// Whether \p F copies or sets a number of bytes that is no constant.
static bool hasCopies(const llvm::Function &F) {
  return llvm::any_of(llvm::instructions(F), [](const Instruction &I) {
    auto *Site = dyn_cast<llvm::AnyMemIntrinsic>(&I);
    return Site && !isa<llvm::Constant>(Site->getLength());
  });
}

/// The unknowns that a run counts.
static std::set<std::string> countedUnknowns(const SourceNames &Names) {
  std::set<std::string> Result;
  for (const auto &[What, Counter] : llvm::zip(Names.unknowns(), Names.probes()))
    if (!Counter.empty())
      Result.insert(What.Symbol);
  return Result;
}

Function analyzeCounts(llvm::Function &F, llvm::FunctionAnalysisManager &AM, StringRef Snapshot,
                       CalleeValues *Callees, CountRequest *Counted, DeviceBlocks *Numbered) {
  AnalysisContext Context(F, AM, Snapshot, Callees);
  SourceNames &Names = Context.Names;
  const Region Runs = ExecutionCounts(Context).compute(/*ByBlock=*/Counted && Counted->Cycle);
  if (Snapshot != "source" && llvm::any_of(Context.LI.getLoopsInPreorder(),
                                           [](const llvm::Loop *L) { return isThreadLoop(*L); }))
    Names.assume({}, "the optimizer has moved nothing out of the loops that threads share: what it "
                     "has is counted for one thread, and each runs it");

  Function Result = identityOf(F);
  Result.Snapshot = Snapshot.str();
  if (Counted)
    Counted->HasPlaces = hasCopies(F) || !areRatios(Runs, countedUnknowns(Names));
  Result.OnlyReads = F.onlyReadsMemory();
  Result.Reads = readParameters(F);
  if (Callees && !Result.IsLocal)
    Result.Value = returnedValue(Context);
  LoopTreeBuilder Builder(Context, Counted, Numbered);
  Result.Body = Builder.build(Runs);
  if (Numbered)
    Numbered->addUnexecuted(F);
  Result.Returns = Builder.targets().returned();
  Result.Objects = Builder.targets().sizedObjects();
  addConstantLoads(F, Result.Body);
  for (const llvm::Argument &Argument : F.args())
    Result.Parameters.push_back({.Name = Names.argument(Argument),
                                 .Type = typeName(Argument.getType()),
                                 .IsSigned = Names.isSigned(Argument),
                                 .Scalar = Names.scalarType(Argument)});
  Result.Cells = Names.cells();
  Result.Declared = Names.declared();
  Result.Unknowns = Names.unknowns();
  Result.WrapChecks = wrapChecks(Context, Runs);
  for (const llvm::Function *Reader : Context.Memory.assumedReaders())
    Names.assume({},
                 sourceName(Reader->getName(), *F.getParent()) +
                     " does not change what it is not given: numbers that parameters lead to",
                 Reader->getName().str());
  for (const llvm::Argument *Scalar : Context.Memory.assumedScalars())
    Names.assume({}, "the number that " + Names.argument(*Scalar) +
                         " leads to lies in no array that the function writes");
  Result.Assumptions = Names.assumptions();
  if (!Context.IsDevice && Snapshot != "machine")
    Result.Code = codeOf(F, Names);
  if (Counted)
    Counted->Probes = Names.probes();
  return Result;
}

llvm::AnalysisKey CountAnalysis::Key;

Function CountAnalysis::run(llvm::Function &F, llvm::FunctionAnalysisManager &AM) {
  CalleeValues Callees;
  return analyzeCounts(F, AM, "algorithm", &Callees);
}

} // namespace ergon
