//===- DeviceAssembly.cpp - machine code of a device module ---------------===//

#include "passes/device/DeviceAssembly.h"
#include "passes/device/Ptxas.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <memory>

namespace ergon {

DevicePositions::Key DevicePositions::keyOf(const Instruction &I) {
  const llvm::DILocation *Where = I.getDebugLoc().get();
  if (!Where || Where->getLine() == 0)
    return Key{};
  return {Where->getLine(), Where->getColumn(), Where->getScope(), Where->getInlinedAt()};
}

unsigned DevicePositions::number(const Instruction &I) {
  return Numbers.try_emplace({keyOf(I), I.getParent()}, unsigned(Numbers.size() + 1)).first->second;
}

unsigned DevicePositions::lookup(const Instruction &I) const {
  return Numbers.lookup({keyOf(I), I.getParent()});
}

/// Gives the instructions of \p Copy the numbers of those of \p F for lines.
static void numberLines(const llvm::Function &F, llvm::Function &Copy, llvm::DIBuilder &Builder,
                        llvm::DIFile &File, DevicePositions &Positions) {
  llvm::LLVMContext &Context = Copy.getContext();
  llvm::DISubroutineType *Type = Builder.createSubroutineType(
      Builder.getOrCreateTypeArray(llvm::ArrayRef<llvm::Metadata *>()));
  llvm::DISubprogram *Scope =
      Builder.createFunction(&File, F.getName(), F.getName(), &File, 0, Type, 0,
                             llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
  Copy.setSubprogram(Scope);
  for (auto [Original, Copied] : llvm::zip(llvm::instructions(F), llvm::instructions(Copy)))
    Copied.setDebugLoc(llvm::DILocation::get(Context, Positions.number(Original), 0, Scope));
}

static std::unique_ptr<llvm::Module> numberedCopy(const llvm::Module &M,
                                                  DevicePositions &Positions) {
  llvm::ValueToValueMapTy Copies;
  std::unique_ptr<llvm::Module> Result = llvm::CloneModule(M, Copies);
  llvm::StripDebugInfo(*Result);
  llvm::DIBuilder Builder(*Result);
  llvm::DIFile *File = Builder.createFile("code", "");
  Builder.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C), File, "", true, "",
                            0, "", llvm::DICompileUnit::DebugDirectivesOnly);
  for (const llvm::Function &F : M)
    if (!F.isDeclaration())
      numberLines(F, *llvm::cast<llvm::Function>(Copies[&F]), Builder, *File, Positions);
  Builder.finalize();
  if (!Result->getModuleFlag("Debug Info Version"))
    Result->addModuleFlag(llvm::Module::Warning, "Debug Info Version",
                          llvm::DEBUG_METADATA_VERSION);
  return Result;
}

/// Whether products and sums are fused.
static bool isContracting(const llvm::Module &M) {
  for (const llvm::Function &F : M)
    for (const Instruction &I : llvm::instructions(F))
      if (isa<llvm::FPMathOperator>(I) && I.hasAllowContract())
        return true;
  return false;
}

namespace {
/// While it lives, nothing is said of what is compiled for Ergon alone.
class Silence {
public:
  explicit Silence(llvm::LLVMContext &Context)
      : Context(Context), Said(Context.getDiagnosticHandler()) {
    Context.setDiagnosticHandler(std::make_unique<Deaf>());
  }
  ~Silence() { Context.setDiagnosticHandler(std::move(Said)); }
  Silence(const Silence &) = delete;
  Silence &operator=(const Silence &) = delete;

private:
  struct Deaf : llvm::DiagnosticHandler {
    bool handleDiagnostics(const llvm::DiagnosticInfo &) override { return true; }
  };
  llvm::LLVMContext &Context;
  std::unique_ptr<llvm::DiagnosticHandler> Said;
};
} // namespace

/// The assembly of \p M for \p Processor; empty where LLVM has no such back end.
static std::string assemblyOf(llvm::Module &M, StringRef Processor, StringRef Features) {
  std::string Problem;
  const llvm::Target *Backend = llvm::TargetRegistry::lookupTarget(M.getTargetTriple(), Problem);
  if (!Backend)
    return "";
  llvm::TargetOptions Options;
  if (isContracting(M))
    Options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  const std::unique_ptr<llvm::TargetMachine> Machine(
      Backend->createTargetMachine(M.getTargetTriple(), Processor, Features, Options, std::nullopt,
                                   std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  if (!Machine)
    return "";
  llvm::SmallString<0> Text;
  llvm::raw_svector_ostream To(Text);
  llvm::legacy::PassManager Passes;
  if (Machine->addPassesToEmitFile(Passes, To, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return "";
  Passes.run(M);
  return Text.str().str();
}

DeviceCode deviceCode(const llvm::Module &M, DevicePositions &Positions) {
  DeviceCode Result;
  auto Defined = llvm::find_if(M, [](const llvm::Function &F) { return !F.isDeclaration(); });
  if (Defined == M.end())
    return Result;
  auto Attribute = [&](StringRef Key) {
    return Defined->getFnAttribute(Key).getValueAsString().str();
  };
  const std::string Processor = Attribute("target-cpu");
  int Capability = 0; // 86 of sm_86
  if (StringRef Digits = StringRef(Processor);
      !Digits.consume_front("sm_") || Digits.consumeInteger(10, Capability))
    return Result;
  if (M.getContext().getLLVMRemarkStreamer()) // the build writes remarks, these among them
    return Result;
  const Silence OfCopy(M.getContext());
  const std::unique_ptr<llvm::Module> Copy = numberedCopy(M, Positions);
  const std::string Text = assemblyOf(*Copy, Processor, Attribute("target-features"));
  if (Text.empty())
    return Result;
  const Assembled Done = assemble(Text, Processor);
  static constexpr int FirstDecoded = 70; // instructions were of another form before
  if (Capability >= FirstDecoded)
    Result.Functions = functionsOfCubin(Done.Cubin, Capability / 10);
  Result.Resources = Done.Resources;
  return Result;
}

} // namespace ergon
