//===- ModuleRecorder.cpp - a module's record, as it is compiled ----------===//

#include "passes/plugin/ModuleRecorder.h"
#include "formats/json/PlainText.h"
#include "passes/analysis/CountAnalysis.h"
#include "passes/analysis/Remarks.h"
#include "passes/analysis/SourceSnapshot.h"
#include "passes/code/KeptCode.h"
#include "passes/device/DeviceAttribution.h"
#include "passes/incore/InstructionMixes.h"
#include "passes/ir/AddressSpaces.h"
#include "passes/ir/FortranNames.h"
#include "passes/ir/FunctionAnalyses.h"
#include "passes/ir/OpenMP.h"
#include "passes/plugin/DebugInfoMark.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

#include <list>

namespace ergon {

bool ModuleRecorder::wants(StringRef Snapshot, bool IsO0) const {
  if (Options.Snapshots.empty())
    return Snapshot == (IsO0 ? "source" : "algorithm");
  SmallVector<StringRef, 3> Names;
  StringRef(Options.Snapshots).split(Names, ',');
  return llvm::is_contained(Names, Snapshot);
}

/// Without a record and without remarks nothing is computed.
bool ModuleRecorder::hasReader(const llvm::Function &F) const {
  return !Options.Directory.empty() || wantsRemarks(F);
}

void ModuleRecorder::begin(const llvm::Module &M) {
  if (!Options.Directory.empty())
    Record.emplace(M, /*ToBuild=*/Options.IsRecorded);
}

bool ModuleRecorder::addSource(llvm::Module &M, llvm::ModuleAnalysisManager &AM, bool IsO0) {
  if (!IsO0 && !M.empty() && !isDevice(M) && hasReader(*M.begin()))
    WhyScalar.begin(M.getContext());
  if (M.empty() || !wants("source", IsO0) || !hasReader(*M.begin()))
    return false;
  if (IsO0 && Options.Instrument && !isDevice(M) && !usesOpenMP(M)) {
    instrumentSource(M, AM);
    return true;
  }
  bool WithRemarks = wantsRemarks(*M.begin()) && !wants("algorithm", IsO0);
  Functions = sourceSnapshot(M, WithRemarks); // the first of all
  return false;
}

/// Unoptimized code gets its counters in the form in which it is analyzed, once all is analyzed.
void ModuleRecorder::instrumentSource(llvm::Module &M, llvm::ModuleAnalysisManager &AM) {
  std::list<std::pair<llvm::Function *, CountRequest>> Wanted;
  Functions = sourceSnapshotInPlace(M, AM, [&](llvm::Function &F) -> CountRequest & {
    return Wanted.emplace_back(&F, CountRequest{Counters.cycleOf(F)}).second;
  });
  auto &FAM = AM.getResult<llvm::FunctionAnalysisManagerModuleProxy>(M).getManager();
  auto Summary = Functions.begin();
  for (auto &[F, What] : Wanted) {
    Counters.add(*F, FAM, *Summary++, What);
    FAM.clear(*F, F->getName());
  }
  Counters.finish(M);
}

bool ModuleRecorder::addParallel(llvm::Module &M, StringRef Snapshot,
                                 llvm::ModuleAnalysisManager &AM) {
  if (!usesOpenMP(M) || !wants(Snapshot, false) || !hasReader(*M.begin()))
    return false;
  auto [Names, New] = Parallel.try_emplace(Snapshot);
  if (!New)
    return false;
  std::vector<CountedParallel> Counted;
  const bool Counts = Options.Instrument && Snapshot == "algorithm" && !isDevice(M);
  if (Counts)
    separateRegions(M);
  for (Function &Analyzed :
       parallelSnapshot(M, Snapshot, Names->second, Counts ? &Counted : nullptr))
    Functions.push_back(std::move(Analyzed));
  auto &FAM = AM.getResult<llvm::FunctionAnalysisManagerModuleProxy>(M).getManager();
  return Counts && Counters.add(M, FAM, Counted);
}

bool ModuleRecorder::addAlgorithm(llvm::Function &F, llvm::FunctionAnalysisManager &AM) {
  // It has changed since others asked what it does, and will after this.
  Callees.forget(F);
  llvm::scope_exit Forget([&] { Callees.forget(F); });
  if (F.isDeclaration() || F.hasAvailableExternallyLinkage() || !wants("algorithm", false) ||
      !hasReader(F))
    return false;
  const bool IsParallel = Parallel["algorithm"].contains(F.getName());
  if ((IsParallel ? !Noted.insert(F.getName()).second
                  : !Done.try_emplace(F.getName(), Functions.size()).second))
    return false;
  Loops.note(AM.getResult<llvm::LoopAnalysis>(F));
  if (IsParallel)
    return false;
  std::optional<CountRequest> Counted;
  if (Options.Instrument)
    Counted = CountRequest{Counters.cycleOf(F)};
  const bool OnDevice = isDevice(*F.getParent());
  Functions.push_back(analyzeCounts(F, AM, "algorithm", OnDevice ? nullptr : &Callees,
                                    Counted ? &*Counted : nullptr,
                                    OnDevice ? &Numbered[F.getName()] : nullptr));
  if (wantsRemarks(F))
    emitRemarks(F, Functions.back());
  return Counted && Counters.add(F, AM, Functions.back(), *Counted);
}

void ModuleRecorder::addMachine(llvm::Function &F, llvm::FunctionAnalysisManager &AM) {
  if (!F.isDeclaration() && !F.hasAvailableExternallyLinkage() && wants("machine", false) &&
      hasReader(F) && !Parallel["machine"].contains(F.getName()))
    Functions.push_back(analyzeCounts(F, AM, "machine", /*Callees=*/nullptr));
}

/// Completes the loops of the algorithm snapshots with what became of them.
void ModuleRecorder::addShapes(llvm::Module &M, llvm::FunctionAnalysisManager &AM) {
  for (const auto &Entry : Done) {
    Function &Summary = Functions[Entry.second];
    llvm::Function *F = M.getFunction(Entry.first());
    if (Summary.Body.Loops.empty() || !Summary.Location.isValid() || !F || F->isDeclaration())
      continue;
    const FunctionAnalyses Analyses(*F, AM);
    llvm::ScalarEvolution SE = Analyses.makeScalarEvolution();
    VersionsByPosition Found;
    Loops.describe(Analyses, SE, Found);
    MachineLoops::apply(Found, Summary);
    WhyScalar.apply(*F, Summary.Body);
  }
  // The loops of a region are in functions of their own, and in the summary of the one around it.
  VersionsByPosition InRegions;
  for (llvm::Function &F : M)
    if (!F.isDeclaration() && Noted.contains(F.getName())) {
      const FunctionAnalyses Analyses(F, AM);
      llvm::ScalarEvolution SE = Analyses.makeScalarEvolution();
      Loops.describe(Analyses, SE, InRegions);
    }
  for (Function &Summary : Functions)
    if (Summary.Snapshot == "algorithm" && Noted.contains(Summary.Name))
      MachineLoops::apply(InRegions, Summary);
}

static void dropEmptyBlocks(Loop &From) {
  std::erase_if(From.Blocks, [](const Block &Code) {
    return Code.PerRun.empty() && Code.Calls.empty() && Code.Accesses.empty();
  });
  for (Loop &Inner : From.Loops)
    dropEmptyBlocks(Inner);
}

/// Completes the blocks of device functions with the machine instructions that they became.
void ModuleRecorder::addMachineCode(const llvm::Module &M) {
  if (Numbered.empty() || Options.Directory.empty())
    return;
  DevicePositions Positions;
  const DeviceCode Code = deviceCode(M, Positions);
  for (const auto &Entry : Numbered) {
    Function &Summary = Functions[Done.at(Entry.first())];
    const std::string Name = Entry.first().str();
    if (auto Found = Code.Functions.find(Name); Found != Code.Functions.end())
      DeviceAttribution(Entry.second, Found->second, *M.getFunction(Name), Positions, Summary.Body)
          .addTo(Summary);
    if (auto Found = Code.Resources.find(Name); Found != Code.Resources.end())
      Summary.Resources = Found->second;
    dropEmptyBlocks(Summary.Body);
  }
}

/// Writes the record. Returns what went wrong, or nothing.
std::string ModuleRecorder::write(const llvm::Module &M) {
  if (!Options.Directory.empty()) {
    keepNeededCode(Functions);
    if (!Record) // a pipeline that began without Ergon
      begin(M);
    return Record->write(M, Functions, Counters.checksum(), Options.Directory);
  }
  return M.empty() || wantsRemarks(*M.begin())
             ? ""
             : "no folder is given: add -mllvm -ergon-dir=DIR or set ERGON_DIR";
}

void ModuleRecorder::report(const llvm::Module &M, const std::string &Problem) const {
  const std::string Message = "Ergon wrote no cost record: " + plainText(Problem);
  // A warning is not a diagnostic of clang's: -Werror would make it an error.
  if (Options.FailOnError)
    M.getContext().diagnose(llvm::DiagnosticInfoGeneric(Message, llvm::DS_Error));
  else
    llvm::errs() << plainText(sourceFile(M)) << ": warning: " << Message << "\n";
}

static void removeModuleFlag(llvm::Module &M, StringRef Key) {
  llvm::NamedMDNode *Flags = M.getModuleFlagsMetadata();
  if (!Flags)
    return;
  SmallVector<llvm::MDNode *> Kept;
  for (llvm::MDNode *Flag : Flags->operands())
    if (llvm::cast<llvm::MDString>(Flag->getOperand(1))->getString() != Key)
      Kept.push_back(Flag);
  Flags->clearOperands();
  for (llvm::MDNode *Flag : Kept)
    Flags->addOperand(Flag);
}

/// Strips debug information that only Ergon asked for. Returns whether there was any.
static bool stripOwnDebugInfo(llvm::Module &M) {
  if (llvm::none_of(M.debug_compile_units(), [](const llvm::DICompileUnit *Unit) {
        return Unit->getFlags() == DebugInfoMark;
      }))
    return false;
  llvm::StripDebugInfo(M);
  for (StringRef Flag : {"Dwarf Version", "Debug Info Version"})
    removeModuleFlag(M, Flag);
  return true;
}

bool ModuleRecorder::finish(llvm::Module &M, llvm::ModuleAnalysisManager &AM, bool IsO0) {
  bool HasCounters = false;
  WhyScalar.end(M.getContext());
  if (!IsO0) {
    auto &FAM = AM.getResult<llvm::FunctionAnalysisManagerModuleProxy>(M).getManager();
    HasCounters = addParallel(M, "algorithm", AM);
    for (llvm::Function &F : M) // a pipeline without a vectorizer (before link-time optimization)
      if (addAlgorithm(F, FAM))
        FAM.invalidate(F, llvm::PreservedAnalyses::none());
    HasCounters |= Options.Instrument && Counters.finish(M);
    addParallel(M, "machine", AM);
    for (llvm::Function &F : M)
      addMachine(F, FAM);
    addShapes(M, FAM);
    addMachineCode(M);
  }
  if (IsO0 && Options.Instrument && !M.empty() && !isDevice(M) && usesOpenMP(M))
    llvm::errs()
        << plainText(sourceFile(M))
        << ": warning: Ergon counts no code with OpenMP at -O0: compile with -O1 or more\n";
  if (const std::string Problem = write(M); !Problem.empty())
    report(M, Problem);
  return stripOwnDebugInfo(M) || HasCounters;
}

} // namespace ergon
