//===- Instrumentation.cpp - instruments unknowns -------------------------===//

#include "passes/instrument/Instrumentation.h"
#include "formats/json/FileName.h"
#include "passes/access/PointerCalls.h"
#include "passes/instrument/FunctionCounters.h"
#include "passes/ir/AddressSpaces.h"
#include "passes/ir/FortranNames.h"
#include "passes/ir/OpenMP.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/StructuralHash.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace ergon {

/// The threads of a region, in formulas.
static constexpr StringRef Threads = "omp.threads";

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
  Row Wanted{F.getName()};
  for (std::size_t I = 0; I != What.Probes.size(); ++I)
    Wanted.Unknowns.emplace_back(Summary.Unknowns[I].Symbol, &What.Probes[I]);
  for (const auto &[Symbol, Place] : What.Places)
    Wanted.Unknowns.emplace_back(Symbol, &Place);
  Wanted.Calls = What.Calls;
  return addRow(F, AM, Wanted);
}

void Instrumentation::Row::addHalf(StringRef Symbol, const Edge &Way, bool IsOver) {
  auto Found = llvm::find_if(
      Halves, [&](const Half &Each) { return Each.Symbol == Symbol && Each.IsOver == IsOver; });
  if (Found == Halves.end())
    Found = Halves.insert(Found, {Symbol, {}, IsOver});
  if (!llvm::is_contained(Found->Ways, Way))
    Found->Ways.push_back(Way);
}

/// Whether threads share what \p Counter, in a region, is a mean of: the copy that formulas are of
/// has it once, and each thread comes by.
static bool isOfSharedLoop(const Probe &Counter, llvm::Function &Region,
                           llvm::FunctionAnalysisManager &AM) {
  const auto &LI = AM.getResult<llvm::LoopAnalysis>(Region);
  return llvm::any_of(Counter.Denominator, [&](const Edge &Way) {
    const BasicBlock &At = Way.first ? *Way.first : *Way.second;
    return !LI.getLoopFor(&At) &&
           isInSharedLoop(At, AM.getResult<llvm::DominatorTreeAnalysis>(Region),
                          AM.getResult<llvm::PostDominatorTreeAnalysis>(Region));
  });
}

bool Instrumentation::add(llvm::Module &M, llvm::FunctionAnalysisManager &AM,
                          ArrayRef<CountedParallel> What) {
  llvm::MapVector<llvm::Function *, Row> ByFunction;
  auto RowOf = [&](llvm::Function *F, StringRef Name) -> Row & {
    return ByFunction.try_emplace(F, Row{Name}).first->second;
  };
  const std::vector<RegionStart> Starts = regionStarts(M);
  for (const CountedParallel &Each : What) {
    llvm::Function *Owner = M.getFunction(Each.Name);
    // What several functions share counts for one.
    auto RowIn = [&](const llvm::Function &Where) {
      Row &There = RowOf(M.getFunction(Where.getName()), Each.Name);
      return There.Name == Each.Name ? &There : nullptr;
    };
    for (const auto &[Symbol, Place] : Each.Places)
      if (Row *There = isCountable(Place.Ways) ? RowIn(*Place.Where) : nullptr) {
        for (const Edge &Way : Place.Ways)
          There->addHalf(Symbol, Way, /*IsOver=*/true);
        RowOf(Owner, Each.Name)
            .addHalf(Symbol, {nullptr, &Owner->getEntryBlock()}, /*IsOver=*/false);
      }
    for (const PointerCall &Called : Each.Calls)
      if (Row *There = RowIn(*Called.Site->getFunction()))
        There->Calls.push_back(Called);
    for (const auto &[Symbol, Counter] : Each.Unknowns) {
      llvm::Function *F = M.getFunction(Counter.Where->getName());
      Row *Own = RowIn(*F);
      if (!Own)
        continue;
      if (!isOfSharedLoop(Counter.What, *F, AM)) {
        Own->Unknowns.emplace_back(Symbol, &Counter.What);
        continue;
      }
      for (const Edge &Way : Counter.What.Numerator)
        Own->addHalf(Symbol, Way, /*IsOver=*/true);
      for (const RegionStart &Start : Starts)
        if (llvm::Function *Starter = Start.Fork->getFunction(); Start.Region == F)
          RowOf(Starter, Starter->getName())
              .addHalf(Symbol, {nullptr, Start.Fork->getParent()}, /*IsOver=*/false);
    }
  }
  // How often threads began, by how often regions did: both add up in a program. A block may start
  // several.
  for (const RegionStart &Start : Starts) {
    llvm::Function *Starter = Start.Fork->getFunction();
    RowOf(Starter, Starter->getName())
        .Halves.push_back({Threads, {{nullptr, Start.Fork->getParent()}}, /*IsOver=*/false});
    RowOf(Start.Region, Start.Region->getName())
        .addHalf(Threads, {nullptr, &Start.Region->getEntryBlock()}, /*IsOver=*/true);
  }
  bool IsChanged = false;
  for (const auto &[F, Wanted] : ByFunction)
    if (addRow(*F, AM, Wanted)) {
      AM.invalidate(*F, llvm::PreservedAnalyses::none());
      IsChanged = true;
    }
  return IsChanged;
}

/// Inserts the counters of \p Wanted into \p F.
bool Instrumentation::addRow(llvm::Function &F, llvm::FunctionAnalysisManager &AM,
                             const Row &Wanted) {
  llvm::Module &M = *F.getParent();
  if (isDevice(M) || F.hasFnAttribute(llvm::Attribute::Naked))
    return false;
  FunctionCounters Counters{FunctionAnalyses(F, AM)};
  struct Ratio {
    StringRef Symbol;
    SmallVector<unsigned, 1> Over, Under;
  };
  std::vector<Ratio> Found;
  for (const auto &[Symbol, Asked] : Wanted.Unknowns)
    if (auto Both = Counters.request(*Asked))
      Found.push_back({Symbol, {Both->first}, {Both->second}});
  for (const Half &Each : Wanted.Halves)
    if (auto Runs = Counters.requestRuns(Each.Ways)) {
      auto Known = llvm::find_if(Found, [&](const Ratio &R) { return R.Symbol == Each.Symbol; });
      if (Known == Found.end())
        Known = Found.insert(Known, {Each.Symbol, {}, {}});
      (Each.IsOver ? Known->Over : Known->Under).push_back(*Runs);
    }
  if (Found.empty() && Wanted.Calls.empty())
    return false;
  Code = llvm::stable_hash_combine(Code, llvm::xxh3_64bits(F.getName()),
                                   llvm::StructuralHash(F, /*DetailedHash=*/true));
  Counters.reduce();
  llvm::IRBuilder<> Build(M.getContext());
  auto Text = [&](StringRef What) { return Build.CreateGlobalString(What, "ergon.name", 0, &M); };
  std::vector<llvm::Constant *> Symbols;
  for (const auto &[Symbol, Over, Under] : Found) {
    SmallVector<unsigned, 8> Numbers;
    for (unsigned Number : Over)
      Counters.collect(Number, Numbers);
    const auto NumOver = unsigned(Numbers.size());
    for (unsigned Number : Under)
      Counters.collect(Number, Numbers);
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
  for (const PointerCall &CallSite : Wanted.Calls)
    Sites.push_back(countTargets(CallSite));
  Rows.push_back(llvm::ConstantStruct::getAnon(
      {Text(Wanted.Name), list(M, Symbols, "ergon.unknowns"), Counted,
       list(M, Sites, "ergon.sites"), Build.getInt32(unsigned(Symbols.size())),
       Build.getInt32(Counters.size()), Build.getInt64(Sites.size())}));
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
       Build.CreateGlobalString(textOfName(sourceFile(M)), "ergon.name", 0, &M),
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
