//===- Plugin.cpp - what clang loads --------------------------------------===//
//
// Options, and where in the pipeline the snapshots are taken. All work is in
// the other files of this folder.
//
//===----------------------------------------------------------------------===//

#include "formats/json/PlainText.h"
#include "passes/analysis/CountAnalysis.h"
#include "passes/analysis/Remarks.h"
#include "passes/analysis/SourceSnapshot.h"
#include "passes/incore/InstructionMixes.h"
#include "passes/incore/MachineLoops.h"
#include "passes/incore/VectorRemarks.h"
#include "passes/instrument/Instrumentation.h"
#include "passes/ir/AddressSpaces.h"
#include "passes/ir/OpenMP.h"
#include "passes/plugin/RecordWriter.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <optional>

namespace cl = llvm::cl;

static cl::opt<std::string> Directory("ergon-dir", cl::value_desc("DIR"),
                                      cl::desc("Ergon: folder for cost records (or ERGON_DIR)"));
static cl::opt<std::string>
    Snapshots("ergon-snapshots", cl::value_desc("source,algorithm,machine"),
              cl::desc("Ergon: what to record (or ERGON_SNAPSHOTS); by default `algorithm`, "
                       "and `source` at -O0"));
static cl::opt<bool>
    Instrument("ergon-instrument",
               cl::desc("Ergon: let the program count what the record has no formula for "
                        "(or ERGON_INSTRUMENT=1); not at -O0"));
static cl::opt<bool> RecordErrors("ergon-record-error",
                                  cl::desc("Ergon: a record that cannot be written fails the "
                                           "compilation (or ERGON_RECORD_ERROR=1)"));

namespace ergon {
namespace {

/// The option's value, or the environment's (which linkers and other languages'
/// drivers pass on where they refuse -mllvm).
std::string setting(const cl::opt<std::string> &Option, const char *Variable) {
  if (Option.getNumOccurrences())
    return Option;
  return llvm::sys::Process::GetEnv(Variable).value_or("");
}

/// A switch, given as an option or in the environment.
bool isOn(const cl::opt<bool> &Option, const char *Variable) {
  return Option || llvm::sys::Process::GetEnv(Variable).value_or("0") == "1";
}

/// What is gathered while one module goes through the pipeline.
class Session {
public:
  /// The module's first pass.
  void begin(const llvm::Module &M);
  void addSource(const llvm::Module &M, bool IsO0);
  void addParallel(const llvm::Module &M, llvm::StringRef Snapshot);
  /// True where the function was instrumented.
  bool addAlgorithm(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
  void addMachine(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
  void addShapes(llvm::Module &M, llvm::FunctionAnalysisManager &AM);
  /// True where the module has counters now.
  bool finish(llvm::Module &M, llvm::ModuleAnalysisManager &AM, bool IsO0);

private:
  std::optional<RecordInWork> Record;
  std::vector<Function> Functions;
  llvm::StringMap<std::size_t> Done; // where the algorithm snapshots of functions are
  MachineLoops Loops;
  VectorRemarks WhyScalar;
  Instrumentation Counters;
  llvm::StringMap<llvm::StringSet<>> Parallel; // by snapshot: functions with regions, and these

  static bool wants(llvm::StringRef Snapshot, bool IsO0);
  static bool anythingToDo(const llvm::Function &F);
};

bool Session::wants(llvm::StringRef Snapshot, bool IsO0) {
  std::string Asked = setting(Snapshots, "ERGON_SNAPSHOTS");
  if (Asked.empty())
    return Snapshot == (IsO0 ? "source" : "algorithm");
  llvm::SmallVector<llvm::StringRef, 3> Names;
  llvm::StringRef(Asked).split(Names, ',');
  return llvm::is_contained(Names, Snapshot);
}

/// Nothing is computed that nobody will see.
bool Session::anythingToDo(const llvm::Function &F) {
  return !setting(Directory, "ERGON_DIR").empty() || wantsRemarks(F);
}

void Session::begin(const llvm::Module &M) {
  if (!setting(Directory, "ERGON_DIR").empty())
    Record.emplace(M, /*ToBuild=*/Directory.getNumOccurrences() == 0);
}

void Session::addSource(const llvm::Module &M, bool IsO0) {
  if (!IsO0 && !M.empty() && !isDevice(M) && anythingToDo(*M.begin()))
    WhyScalar.begin(M.getContext());
  if (M.empty() || !wants("source", IsO0) || !anythingToDo(*M.begin()))
    return;
  bool WithRemarks = wantsRemarks(*M.begin()) && !wants("algorithm", IsO0);
  Functions = sourceSnapshot(M, WithRemarks); // the first of all
}

/// Regions of OpenMP are two functions; both must be as the scalar optimizations left
/// them, so this is for the last moment before any function is vectorized.
void Session::addParallel(const llvm::Module &M, llvm::StringRef Snapshot) {
  if (!usesOpenMP(M) || !wants(Snapshot, false) || !anythingToDo(*M.begin()))
    return;
  if (auto [Names, New] = Parallel.try_emplace(Snapshot); New)
    for (Function &Analyzed : parallelSnapshot(M, Snapshot, Names->second))
      Functions.push_back(std::move(Analyzed));
}

bool Session::addAlgorithm(llvm::Function &F, llvm::FunctionAnalysisManager &AM) {
  if (F.isDeclaration() || F.hasAvailableExternallyLinkage() || !wants("algorithm", false) ||
      !anythingToDo(F) || Parallel["algorithm"].contains(F.getName()) ||
      !Done.try_emplace(F.getName(), Functions.size()).second)
    return false;
  Loops.note(AM.getResult<llvm::LoopAnalysis>(F));
  std::optional<ToCount> Counted;
  if (isOn(Instrument, "ERGON_INSTRUMENT"))
    Counted = ToCount{Counters.cycleOf(F)};
  Functions.push_back(analyzeCounts(F, AM, "algorithm", Counted ? &*Counted : nullptr));
  if (wantsRemarks(F))
    emitRemarks(F, Functions.back());
  return Counted && Counters.add(F, AM, Functions.back(), *Counted);
}

void Session::addMachine(llvm::Function &F, llvm::FunctionAnalysisManager &AM) {
  if (!F.isDeclaration() && !F.hasAvailableExternallyLinkage() && wants("machine", false) &&
      anythingToDo(F) && !Parallel["machine"].contains(F.getName()))
    Functions.push_back(analyzeCounts(F, AM, "machine"));
}

/// With a scalar evolution of its own, as that of CountAnalysis has.
static void applyLoops(const MachineLoops &Loops, llvm::Function &F,
                       llvm::FunctionAnalysisManager &AM, Function &Summary) {
  auto &LI = AM.getResult<llvm::LoopAnalysis>(F);
  auto &TLI = AM.getResult<llvm::TargetLibraryAnalysis>(F);
  llvm::ScalarEvolution SE(F, TLI, AM.getResult<llvm::AssumptionAnalysis>(F),
                           AM.getResult<llvm::DominatorTreeAnalysis>(F), LI);
  Loops.apply(LI, SE,
              InstructionMixer(AM.getResult<llvm::TargetIRAnalysis>(F), TLI, F.getDataLayout()),
              Summary);
}

/// Into the loops of the algorithm snapshot: what became of them.
void Session::addShapes(llvm::Module &M, llvm::FunctionAnalysisManager &AM) {
  for (const auto &Entry : Done)
    if (Function &Summary = Functions[Entry.second];
        !Summary.Body.Loops.empty() && Summary.At.isValid())
      if (llvm::Function *F = M.getFunction(Entry.first()); F && !F->isDeclaration()) {
        applyLoops(Loops, *F, AM, Summary);
        WhyScalar.apply(*F, Summary);
      }
}

bool Session::finish(llvm::Module &M, llvm::ModuleAnalysisManager &AM, bool IsO0) {
  bool Counts = false;
  WhyScalar.end(M.getContext());
  if (!IsO0) {
    auto &FAM = AM.getResult<llvm::FunctionAnalysisManagerModuleProxy>(M).getManager();
    addParallel(M, "algorithm");
    for (llvm::Function &F : M) // a pipeline without a vectorizer (before link-time optimization)
      if (addAlgorithm(F, FAM))
        FAM.invalidate(F, llvm::PreservedAnalyses::none());
    Counts = isOn(Instrument, "ERGON_INSTRUMENT") && Counters.finish(M);
    addParallel(M, "machine");
    for (llvm::Function &F : M)
      addMachine(F, FAM);
    addShapes(M, FAM);
  }
  if (IsO0 && isOn(Instrument, "ERGON_INSTRUMENT") && !M.empty() && !isDevice(M))
    llvm::errs() << plainText(M.getSourceFileName())
                 << ": warning: Ergon counts nothing at -O0: compile with -O1 or more\n";
  std::string Where = setting(Directory, "ERGON_DIR");
  std::string Problem;
  if (!Where.empty()) {
    if (!Record) // a pipeline that began without Ergon
      begin(M);
    Problem = Record->write(M, Functions, Where);
  } else if (!M.empty() && !wantsRemarks(*M.begin()))
    Problem = "no folder is given: add -mllvm -ergon-dir=DIR or set ERGON_DIR";
  if (Problem.empty())
    return Counts;
  bool Fatal = isOn(RecordErrors, "ERGON_RECORD_ERROR");
  Problem = "Ergon wrote no cost record: " + plainText(Problem);
  // A warning is not a diagnostic of clang's: -Werror would make it an error.
  if (Fatal)
    M.getContext().diagnose(llvm::DiagnosticInfoGeneric(Problem, llvm::DS_Error));
  else
    llvm::errs() << plainText(M.getSourceFileName()) << ": warning: " << Problem << "\n";
  return Counts;
}

struct SourcePass : llvm::PassInfoMixin<SourcePass> {
  std::shared_ptr<Session> Recorder;
  bool IsO0;
  SourcePass(std::shared_ptr<Session> Recorder, bool IsO0)
      : Recorder(std::move(Recorder)), IsO0(IsO0) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &) {
    Recorder->begin(M);
    Recorder->addSource(M, IsO0);
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

struct ParallelPass : llvm::PassInfoMixin<ParallelPass> {
  std::shared_ptr<Session> Recorder;
  explicit ParallelPass(std::shared_ptr<Session> Recorder) : Recorder(std::move(Recorder)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &) {
    Recorder->addParallel(M, "algorithm");
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

struct AlgorithmPass : llvm::PassInfoMixin<AlgorithmPass> {
  std::shared_ptr<Session> Recorder;
  explicit AlgorithmPass(std::shared_ptr<Session> Recorder) : Recorder(std::move(Recorder)) {}
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM) {
    return Recorder->addAlgorithm(F, AM) ? llvm::PreservedAnalyses::none()
                                         : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

struct FinishPass : llvm::PassInfoMixin<FinishPass> {
  std::shared_ptr<Session> Recorder;
  bool IsO0;
  FinishPass(std::shared_ptr<Session> Recorder, bool IsO0)
      : Recorder(std::move(Recorder)), IsO0(IsO0) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM) {
    return Recorder->finish(M, AM, IsO0) ? llvm::PreservedAnalyses::none()
                                         : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

void registerPasses(llvm::PassBuilder &PB) {
  auto Recorder = std::make_shared<Session>();
  PB.registerPipelineStartEPCallback(
      [Recorder](llvm::ModulePassManager &MPM, llvm::OptimizationLevel Level) {
        MPM.addPass(SourcePass(Recorder, Level == llvm::OptimizationLevel::O0));
      });
  PB.registerOptimizerEarlyEPCallback([Recorder](llvm::ModulePassManager &MPM,
                                                 llvm::OptimizationLevel Level,
                                                 llvm::ThinOrFullLTOPhase) {
    if (Level != llvm::OptimizationLevel::O0)
      MPM.addPass(ParallelPass(Recorder));
  });
  PB.registerVectorizerStartEPCallback(
      [Recorder](llvm::FunctionPassManager &FPM, llvm::OptimizationLevel Level) {
        if (Level != llvm::OptimizationLevel::O0) // where nothing is optimized
          FPM.addPass(AlgorithmPass(Recorder));
      });
  PB.registerOptimizerLastEPCallback([Recorder](llvm::ModulePassManager &MPM,
                                                llvm::OptimizationLevel Level,
                                                llvm::ThinOrFullLTOPhase) {
    MPM.addPass(FinishPass(Recorder, Level == llvm::OptimizationLevel::O0));
  });
  PB.registerAnalysisRegistrationCallback(
      [](llvm::FunctionAnalysisManager &FAM) { FAM.registerPass([] { return CountAnalysis(); }); });
  PB.registerPipelineParsingCallback([](llvm::StringRef Name, llvm::FunctionPassManager &FPM,
                                        llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    if (Name != "print<ergon-counts>")
      return false;
    FPM.addPass(CountPrinterPass(llvm::outs()));
    return true;
  });
}

} // namespace
} // namespace ergon

/// The LLVM of the program that loads this, as its C interface says. A plugin of another API
/// version is refused before that is asked; later versions may share a number.
static bool isForThisProgram() {
  using Version = void (*)(unsigned *, unsigned *, unsigned *);
  auto Global = llvm::sys::DynamicLibrary::getPermanentLibrary(nullptr);
  auto Ask = reinterpret_cast<Version>(Global.getAddressOfSymbol("LLVMGetVersion"));
  if (!Ask) // it does not export LLVM
    return true;
  unsigned Major = 0, Minor = 0, Patch = 0;
  Ask(&Major, &Minor, &Patch);
  if (Major == LLVM_VERSION_MAJOR && Minor == LLVM_VERSION_MINOR)
    return true;
  llvm::errs() << "error: Ergon's plugin is for LLVM " LLVM_VERSION_STRING ", and this is LLVM "
               << Major << "." << Minor << "." << Patch << ": compile with clang-"
               << LLVM_VERSION_MAJOR << "\n";
  return false;
}

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  if (!isForThisProgram()) // nothing of its LLVM may be used with this one's
    std::_Exit(1);
  ergon::tellOfStart();
  return {LLVM_PLUGIN_API_VERSION, "Ergon", LLVM_VERSION_STRING, ergon::registerPasses};
}
