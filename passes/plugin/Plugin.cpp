//===- Plugin.cpp - what clang loads --------------------------------------===//
//
// Registers the options, the passes and the analyses. ModuleRecorder does the
// work.
//
//===----------------------------------------------------------------------===//

#include "passes/access/AccessTargets.h"
#include "passes/analysis/CountAnalysis.h"
#include "passes/ir/FunctionPrinter.h"
#include "passes/plugin/ModuleRecorder.h"
#include "passes/tripcount/ExecutionCounts.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <memory>

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

RecorderOptions recorderOptions() {
  return {.Directory = setting(Directory, "ERGON_DIR"),
          .IsRecorded = Directory.getNumOccurrences() == 0,
          .Snapshots = setting(Snapshots, "ERGON_SNAPSHOTS"),
          .Instrument = isOn(Instrument, "ERGON_INSTRUMENT"),
          .FailOnError = isOn(RecordErrors, "ERGON_RECORD_ERROR")};
}

/// What all passes of the recorder have.
struct RecorderPass {
  std::shared_ptr<ModuleRecorder> Recorder;
  bool IsO0 = false;
  static bool isRequired() { return true; }
};

struct SourcePass : RecorderPass, llvm::PassInfoMixin<SourcePass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM) {
    Recorder->begin(M);
    return Recorder->addSource(M, AM, IsO0) ? llvm::PreservedAnalyses::none()
                                            : llvm::PreservedAnalyses::all();
  }
};

struct ParallelPass : RecorderPass, llvm::PassInfoMixin<ParallelPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM) {
    return Recorder->addParallel(M, "algorithm", AM) ? llvm::PreservedAnalyses::none()
                                                     : llvm::PreservedAnalyses::all();
  }
};

struct AlgorithmPass : RecorderPass, llvm::PassInfoMixin<AlgorithmPass> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM) {
    return Recorder->addAlgorithm(F, AM) ? llvm::PreservedAnalyses::none()
                                         : llvm::PreservedAnalyses::all();
  }
};

struct FinishPass : RecorderPass, llvm::PassInfoMixin<FinishPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM) {
    return Recorder->finish(M, AM, IsO0) ? llvm::PreservedAnalyses::none()
                                         : llvm::PreservedAnalyses::all();
  }
};

/// Adds the printer that \p Name asks for. Returns false where no printer is called so.
bool addPrinter(StringRef Name, llvm::FunctionPassManager &FPM) {
  if (Name == "print<ergon-counts>")
    FPM.addPass(FunctionPrinter<printCounts>(llvm::outs()));
  else if (Name == "print<ergon-trip-counts>")
    FPM.addPass(FunctionPrinter<printTripCounts>(llvm::outs()));
  else if (Name == "print<ergon-accesses>")
    FPM.addPass(FunctionPrinter<printAccesses>(llvm::outs()));
  else if (Name == "print<ergon-names>")
    FPM.addPass(FunctionPrinter<printNames>(llvm::outs()));
  else
    return false;
  return true;
}

void registerPasses(llvm::PassBuilder &PB) {
  auto Recorder = std::make_shared<ModuleRecorder>(recorderOptions());
  PB.registerPipelineStartEPCallback(
      [Recorder](llvm::ModulePassManager &MPM, llvm::OptimizationLevel Level) {
        MPM.addPass(SourcePass{{Recorder, Level == llvm::OptimizationLevel::O0}});
      });
  PB.registerOptimizerEarlyEPCallback([Recorder](llvm::ModulePassManager &MPM,
                                                 llvm::OptimizationLevel Level,
                                                 llvm::ThinOrFullLTOPhase) {
    if (Level != llvm::OptimizationLevel::O0)
      MPM.addPass(ParallelPass{{Recorder}});
  });
  PB.registerVectorizerStartEPCallback(
      [Recorder](llvm::FunctionPassManager &FPM, llvm::OptimizationLevel Level) {
        if (Level != llvm::OptimizationLevel::O0) // where nothing is optimized
          FPM.addPass(AlgorithmPass{{Recorder}});
      });
  PB.registerOptimizerLastEPCallback([Recorder](llvm::ModulePassManager &MPM,
                                                llvm::OptimizationLevel Level,
                                                llvm::ThinOrFullLTOPhase) {
    MPM.addPass(FinishPass{{Recorder, Level == llvm::OptimizationLevel::O0}});
  });
  PB.registerAnalysisRegistrationCallback(
      [](llvm::FunctionAnalysisManager &FAM) { FAM.registerPass([] { return CountAnalysis(); }); });
  PB.registerPipelineParsingCallback(
      [](StringRef Name, llvm::FunctionPassManager &FPM,
         ArrayRef<llvm::PassBuilder::PipelineElement>) { return addPrinter(Name, FPM); });
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
