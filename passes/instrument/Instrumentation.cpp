//===- Instrumentation.cpp - instruments unknowns -------------------------===//

#include "passes/instrument/Instrumentation.h"
#include "formats/json/FileName.h"
#include "passes/access/PointerCalls.h"
#include "passes/instrument/FunctionCounters.h"
#include "passes/ir/AddressSpaces.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/StructuralHash.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace ergon {

/// A byte of the module's that is 1 until the program has a second thread.
static llvm::GlobalVariable &alone(llvm::Module &M) {
  static constexpr char Name[] = "ergon.alone";
  if (llvm::GlobalVariable *Known = M.getNamedGlobal(Name))
    return *Known;
  llvm::Type *Byte = llvm::Type::getInt8Ty(M.getContext());
  return *new llvm::GlobalVariable(M, Byte, false, llvm::GlobalValue::InternalLinkage,
                                   llvm::ConstantInt::get(Byte, 1), Name);
}

const llvm::DenseSet<const llvm::Function *> *Instrumentation::cycleOf(llvm::Function &F) {
  if (!Cycles) {
    Cycles.emplace();
    llvm::CallGraph Calls(*F.getParent());
    addPointerCalls(*F.getParent(), Calls);
    for (auto Component = llvm::scc_begin(&Calls); !Component.isAtEnd(); ++Component)
      if (Component.hasCycle())
        for (auto &Cycle = Cycles->emplace_back(); const llvm::CallGraphNode *Node : *Component)
          Cycle.insert(Node->getFunction());
  }
  auto Found = llvm::find_if(*Cycles, [&](const auto &Cycle) { return Cycle.contains(&F); });
  return Found == Cycles->end() ? nullptr : &*Found;
}

/// The rows as an array of the module's; null for none.
static llvm::Constant *list(llvm::Module &M, const std::vector<llvm::Constant *> &Elements,
                            const char *Name) {
  if (Elements.empty())
    return llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(M.getContext()));
  auto *Type = llvm::ArrayType::get(Elements.front()->getType(), Elements.size());
  return newGlobal(M, llvm::ConstantArray::get(Type, Elements), true, Name);
}

bool Instrumentation::add(llvm::Function &F, llvm::FunctionAnalysisManager &AM,
                          const Function &Summary, const CountRequest &What) {
  std::vector<Wanted> Unknowns;
  for (std::size_t I = 0; I != What.Probes.size(); ++I)
    Unknowns.emplace_back(Summary.Unknowns[I].Symbol, &What.Probes[I]);
  for (const auto &[Symbol, Place] : What.Places)
    Unknowns.emplace_back(Symbol, &Place);
  return addRow(F, AM, F.getName(), Unknowns, What.Calls);
}

bool Instrumentation::add(llvm::Module &M, llvm::FunctionAnalysisManager &AM,
                          const CountedParallel &What) {
  llvm::MapVector<llvm::Function *, std::vector<Wanted>> ByFunction;
  for (const auto &[Symbol, Counter] : What.Unknowns)
    ByFunction[M.getFunction(Counter.Where->getName())].emplace_back(Symbol, &Counter.What);
  bool IsChanged = false;
  for (const auto &[F, Unknowns] : ByFunction)
    // What several functions share counts once.
    if (Regions.insert(F).second && addRow(*F, AM, What.Name, Unknowns, {})) {
      AM.invalidate(*F, llvm::PreservedAnalyses::none());
      IsChanged = true;
    }
  return IsChanged;
}

/// Inserts counters into \p F, which count for the function \p Name.
bool Instrumentation::addRow(llvm::Function &F, llvm::FunctionAnalysisManager &AM, StringRef Name,
                             ArrayRef<Wanted> Unknowns, ArrayRef<PointerCall> Calls) {
  llvm::Module &M = *F.getParent();
  if (isDevice(M) || F.hasFnAttribute(llvm::Attribute::Naked))
    return false;
  FunctionCounters Counters{FunctionAnalyses(F, AM)};
  std::vector<std::pair<StringRef, std::pair<unsigned, unsigned>>> Found;
  for (const auto &[Symbol, Asked] : Unknowns)
    if (auto Ratio = Counters.request(*Asked))
      Found.emplace_back(Symbol, *Ratio);
  if (Found.empty() && Calls.empty())
    return false;
  Code = llvm::stable_hash_combine(Code, llvm::xxh3_64bits(F.getName()),
                                   llvm::StructuralHash(F, /*DetailedHash=*/true));
  Counters.reduce();
  llvm::IRBuilder<> Build(M.getContext());
  auto Text = [&](StringRef What) { return Build.CreateGlobalString(What, "ergon.name", 0, &M); };
  std::vector<llvm::Constant *> Symbols;
  for (const auto &[Symbol, Ratio] : Found) {
    SmallVector<unsigned, 8> Numbers;
    Counters.collect(Ratio.first, Numbers);
    const auto NumOver = unsigned(Numbers.size());
    Counters.collect(Ratio.second, Numbers);
    auto *List = newGlobal(M, llvm::ConstantDataArray::get(M.getContext(), ArrayRef(Numbers)), true,
                           "ergon.numbers");
    Symbols.push_back(llvm::ConstantStruct::getAnon(
        {Text(Symbol), List, Build.getInt32(NumOver), Build.getInt32(Numbers.size() - NumOver)}));
  }
  llvm::GlobalVariable *Counted = newGlobal(
      M,
      llvm::ConstantAggregateZero::get(llvm::ArrayType::get(Build.getInt64Ty(), Counters.size())),
      false, "ergon.counters");
  Counters.insert(*Counted, alone(M));
  std::vector<llvm::Constant *> Sites;
  for (const PointerCall &CallSite : Calls)
    Sites.push_back(countTargets(CallSite));
  Rows.push_back(llvm::ConstantStruct::getAnon(
      {Text(Name), list(M, Symbols, "ergon.unknowns"), Counted, list(M, Sites, "ergon.sites"),
       Build.getInt32(unsigned(Symbols.size())), Build.getInt32(Counters.size()),
       Build.getInt64(Sites.size())}));
  return true;
}

std::string Instrumentation::checksum() const {
  return Code == 0 ? "" : llvm::utohexstr(Code, /*LowerCase=*/true, /*Width=*/16);
}

/// A function that calls a runtime function with \p Unit, if the runtime is linked or preloaded.
static llvm::Function *callOf(StringRef Name, llvm::GlobalVariable &Unit) {
  llvm::Module &M = *Unit.getParent();
  llvm::IRBuilder<> Build(M.getContext());
  auto Weak = [&](StringRef Symbol, llvm::FunctionType *Type) {
    llvm::FunctionCallee Result = M.getOrInsertFunction(Symbol, Type);
    if (auto *Declared = dyn_cast<llvm::Function>(Result.getCallee());
        Declared && Declared->isDeclaration() && Declared->use_empty())
      Declared->setLinkage(llvm::GlobalValue::ExternalWeakLinkage);
    return Result;
  };
  auto *UnitResult = llvm::FunctionType::get(Build.getVoidTy(), Build.getPtrTy(), false);
  llvm::FunctionCallee Linked = Weak(Name, UnitResult);
  llvm::FunctionCallee Find =
      Weak("dlsym",
           llvm::FunctionType::get(Build.getPtrTy(), {Build.getPtrTy(), Build.getPtrTy()}, false));
  auto *Result = llvm::Function::createWithDefaultAttr(
      llvm::FunctionType::get(Build.getVoidTy(), false), llvm::GlobalValue::InternalLinkage, 0,
      "ergon.start", &M);
  auto NewBlock = [&] { return BasicBlock::Create(M.getContext(), "", Result); };
  BasicBlock *Start = NewBlock(), *Ask = NewBlock(), *Asked = NewBlock(), *Check = NewBlock(),
             *Call = NewBlock(), *End = NewBlock();
  Build.SetInsertPoint(Start);
  Build.CreateCondBr(Build.CreateIsNotNull(Linked.getCallee()), Check, Ask);
  Build.SetInsertPoint(Ask);
  Build.CreateCondBr(Build.CreateIsNotNull(Find.getCallee()), Asked, End);
  Build.SetInsertPoint(Asked);
  llvm::Value *Loaded =
      Build.CreateCall(Find, {llvm::ConstantPointerNull::get(Build.getPtrTy()),
                              Build.CreateGlobalString(Name, "ergon.name", 0, &M)});
  Build.CreateBr(Check);
  Build.SetInsertPoint(Check);
  llvm::PHINode *Known = Build.CreatePHI(Build.getPtrTy(), 2);
  Known->addIncoming(Linked.getCallee(), Start);
  Known->addIncoming(Loaded, Asked);
  Build.CreateCondBr(Build.CreateIsNotNull(Known), Call, End);
  Build.SetInsertPoint(Call);
  Build.CreateCall(UnitResult, Known, &Unit);
  Build.CreateBr(End);
  Build.SetInsertPoint(End);
  Build.CreateRetVoid();
  return Result;
}

bool Instrumentation::finish(llvm::Module &M) {
  const std::vector<llvm::Constant *> Targets = targetRows(M);
  if (Rows.empty() && Targets.empty())
    return false;
  finishTargets(M);
  llvm::IRBuilder<> Build(M.getContext());
  static constexpr unsigned Version = 3;
  auto *Table = llvm::ConstantStruct::getAnon(
      {Build.getInt32(Version), Build.getInt32(unsigned(Rows.size())),
       Build.CreateGlobalString(textOfName(M.getSourceFileName()), "ergon.name", 0, &M),
       list(M, Rows, "ergon.functions"), &alone(M), list(M, Targets, "ergon.targets"),
       Build.getInt64(Targets.size()), Build.CreateGlobalString(checksum(), "ergon.name", 0, &M)});
  llvm::GlobalVariable *Unit = newGlobal(M, Table, true, "ergon.unit");
  static constexpr int Priority = 101; // before the program's own, and after
  llvm::appendToGlobalCtors(M, callOf("ergon_register_counters", *Unit), Priority);
  llvm::appendToGlobalDtors(M, callOf("ergon_retire_counters", *Unit), Priority);
  Rows.clear();
  return true;
}

} // namespace ergon
