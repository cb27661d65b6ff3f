//===- Instrumentation.cpp - counts what only a run can tell --------------===//

#include "passes/Instrumentation.h"
#include "passes/AddressSpaces.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

#include <optional>

namespace ergon {

using llvm::BasicBlock;
using llvm::Instruction;

namespace {
/// One number: how often control goes along some ways, or the sum of a value.
struct Counter {
  Edges Ways;
  Probe Sum; ///< only where it has a value
  bool operator==(const Counter &Other) const {
    return Ways == Other.Ways && Sum.Of == Other.Sum.Of && Sum.At == Other.Sum.At &&
           Sum.Low == Other.Sum.Low && Sum.Bits == Other.Sum.Bits;
  }
};

/// The counters of one function.
class FunctionCounters {
public:
  FunctionCounters(llvm::Function &F, llvm::FunctionAnalysisManager &AM)
      : F(F), LI(AM.getResult<llvm::LoopAnalysis>(F)),
        DT(AM.getResult<llvm::DominatorTreeAnalysis>(F)),
        Number(llvm::Type::getInt64Ty(F.getContext())) {}

  /// The numbers of the counters whose ratio is the unknown's value; nothing where it cannot
  /// be counted.
  std::optional<std::pair<unsigned, unsigned>> request(const Probe &Of);
  unsigned size() const { return unsigned(Counters.size()); }
  /// Puts the counting code in; the numbers are \p In an array.
  void insert(llvm::GlobalVariable &In);

private:
  llvm::Function &F;
  llvm::LoopInfo &LI;
  llvm::DominatorTree &DT;
  llvm::Type *Number;
  std::vector<Counter> Counters;
  llvm::DenseMap<Edge, BasicBlock *> Split;

  /// So much is added to a counter each time that control gets here.
  struct Addition {
    Instruction *Before;
    unsigned Counter;
    llvm::Value *Amount;
  };
  llvm::DenseMap<const llvm::Loop *, bool> Ending;
  /// By loop and counter.
  llvm::MapVector<std::pair<llvm::Loop *, unsigned>, llvm::AllocaInst *> InRegisters;

  unsigned numberOf(Counter Of);
  static bool isPossible(const Edges &Of);
  Instruction *placeOn(const Edge &Way);
  Addition additionOf(const Probe &Sum, unsigned Counter);
  bool endsByItself(llvm::Loop &L);
  llvm::Loop *outermostAround(const BasicBlock &B);
  llvm::AllocaInst *inRegister(llvm::Loop &L, unsigned Counter);
  void addToMemory(Instruction *Before, llvm::ArrayRef<Addition> What, llvm::GlobalVariable &In);
};
} // namespace

unsigned FunctionCounters::numberOf(Counter Of) {
  llvm::sort(Of.Ways);
  auto Same = llvm::find(Counters, Of);
  if (Same == Counters.end())
    Same = Counters.insert(Same, std::move(Of));
  return unsigned(Same - Counters.begin());
}

/// True where all ways can be counted.
bool FunctionCounters::isPossible(const Edges &Of) {
  return llvm::all_of(Of, [](const Edge &Way) {
    const auto &[From, To] = Way;
    if (!From)
      return To->getFirstInsertionPt() != To->end();
    return !llvm::isa<llvm::IndirectBrInst, llvm::CallBrInst>(From->getTerminator()) &&
           !To->isEHPad();
  });
}

std::optional<std::pair<unsigned, unsigned>> FunctionCounters::request(const Probe &Of) {
  if (Of.empty())
    return std::nullopt;
  if (!Of.Of) {
    if (!isPossible(Of.Over) || !isPossible(Of.Under))
      return std::nullopt;
    return std::pair(numberOf({Of.Over, {}}), numberOf({Of.Under, {}}));
  }
  auto *Source = llvm::dyn_cast<Instruction>(Of.Of);
  const bool IsSeen = !Source || Source == Of.At || DT.dominates(Source, Of.At);
  Edges Block{{nullptr, Of.At->getParent()}};
  if (!IsSeen || !Of.Of->getType()->isIntegerTy() || Of.Of->getType()->getIntegerBitWidth() > 64 ||
      (Source == Of.At && Of.At->isTerminator()) || !isPossible(Block))
    return std::nullopt;
  return std::pair(numberOf({{}, Of}), numberOf({Block, {}}));
}

/// Where control comes by as often as along \p Way.
Instruction *FunctionCounters::placeOn(const Edge &Way) {
  auto *To = const_cast<BasicBlock *>(Way.second);
  if (!Way.first)
    return &*To->getFirstInsertionPt();
  if (Way.first->getUniqueSuccessor() == To)
    return const_cast<Instruction *>(Way.first->getTerminator());
  if (To->getUniquePredecessor() == Way.first)
    return &*To->getFirstInsertionPt();
  BasicBlock *&Between = Split[Way];
  if (!Between) {
    auto *Branch = const_cast<Instruction *>(Way.first->getTerminator());
    for (unsigned I = 0; !Between; ++I)
      if (Branch->getSuccessor(I) == To)
        Between = llvm::SplitCriticalEdge(
            Branch, I, llvm::CriticalEdgeSplittingOptions(&DT, &LI).setMergeIdenticalEdges());
  }
  return Between->getTerminator();
}

/// The value of \p Sum as a number of 64 bits, where it is known.
FunctionCounters::Addition FunctionCounters::additionOf(const Probe &Sum, unsigned Counter) {
  auto *At = const_cast<Instruction *>(Sum.At);
  llvm::IRBuilder<> Build(At);
  if (Sum.Of == Sum.At)
    Build.SetInsertPoint(llvm::isa<llvm::PHINode>(At) ? &*At->getParent()->getFirstInsertionPt()
                                                      : At->getNextNode());
  llvm::Value *Amount = const_cast<llvm::Value *>(Sum.Of);
  if (Sum.Low == 0 && Sum.Bits == 64) {
    Amount = Build.CreateSExtOrTrunc(Amount, Number);
  } else {
    Amount = Build.CreateLShr(Build.CreateZExtOrTrunc(Amount, Number), Sum.Low);
    Amount = Build.CreateZExt(Build.CreateTrunc(Amount, Build.getIntNTy(Sum.Bits)), Number);
  }
  return {&*Build.GetInsertPoint(), Counter, Amount};
}

/// True where control leaves \p L by its exits alone: no call in it may end the thread, throw
/// or jump.
bool FunctionCounters::endsByItself(llvm::Loop &L) {
  auto [Found, New] = Ending.try_emplace(&L, true);
  if (New)
    for (const BasicBlock *B : L.blocks())
      for (const Instruction &I : *B)
        if (I.mayThrow() || !I.willReturn()) {
          Ending[&L] = false;
          return false;
        }
  return Found->second;
}

/// The outermost such loop; null where there is none.
llvm::Loop *FunctionCounters::outermostAround(const BasicBlock &B) {
  llvm::Loop *Result = nullptr;
  for (llvm::Loop *L = LI.getLoopFor(&B); L && endsByItself(*L); L = L->getParentLoop())
    Result = L->isLoopSimplifyForm() ? L : Result;
  return Result;
}

/// A variable for the counter while \p L runs.
llvm::AllocaInst *FunctionCounters::inRegister(llvm::Loop &L, unsigned Counter) {
  llvm::AllocaInst *&Result = InRegisters[{&L, Counter}];
  if (!Result) {
    Result = new llvm::AllocaInst(Number, 0, "ergon.count", F.getEntryBlock().begin());
    new llvm::StoreInst(llvm::ConstantInt::get(Number, 0), Result,
                        L.getLoopPreheader()->getTerminator()->getIterator());
  }
  return Result;
}

/// Adds in a way that no other thread disturbs, or, where there is no other thread, the fast one.
void FunctionCounters::addToMemory(Instruction *Before, llvm::ArrayRef<Addition> What,
                                   llvm::GlobalVariable &In) {
  llvm::Module &M = *F.getParent();
  auto Add = [&](Instruction *Where, bool IsAlone) {
    llvm::IRBuilder<> Build(Where);
    for (const Addition &Each : What) {
      llvm::Value *Place = Build.CreateConstInBoundsGEP1_64(Number, &In, Each.Counter);
      if (IsAlone)
        Build.CreateStore(Build.CreateAdd(Build.CreateLoad(Number, Place), Each.Amount), Place);
      else
        Build.CreateAtomicRMW(llvm::AtomicRMWInst::Add, Place, Each.Amount, llvm::MaybeAlign(8),
                              llvm::AtomicOrdering::Monotonic);
    }
  };
  if (!M.getTargetTriple().isOSGlibc())
    return Add(Before, false);
  // glibc sets this byte to 0 before the first thread is made.
  llvm::IRBuilder<> Build(Before);
  llvm::Constant *Alone = M.getOrInsertGlobal("__libc_single_threaded", Build.getInt8Ty());
  llvm::Value *IsAlone = Build.CreateIsNotNull(Build.CreateLoad(Build.getInt8Ty(), Alone));
  Instruction *Then = nullptr, *Else = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(IsAlone, Before, &Then, &Else,
                                      llvm::MDBuilder(F.getContext()).createLikelyBranchWeights());
  Add(Then, true);
  Add(Else, false);
}

void FunctionCounters::insert(llvm::GlobalVariable &In) {
  std::vector<Addition> All;
  for (unsigned I = 0; I != Counters.size(); ++I) {
    if (Counters[I].Sum.Of)
      All.push_back(additionOf(Counters[I].Sum, I));
    for (const Edge &Way : Counters[I].Ways)
      All.push_back({placeOn(Way), I, llvm::ConstantInt::get(Number, 1)});
  }
  // In loops registers count, the others count in memory.
  llvm::MapVector<Instruction *, llvm::SmallVector<Addition, 4>> InMemory;
  for (const Addition &Each : All) {
    llvm::Loop *Around = outermostAround(*Each.Before->getParent());
    if (!Around) {
      InMemory[Each.Before].push_back(Each);
      continue;
    }
    llvm::AllocaInst *Count = inRegister(*Around, Each.Counter);
    llvm::IRBuilder<> Build(Each.Before);
    Build.CreateStore(Build.CreateAdd(Build.CreateLoad(Number, Count), Each.Amount), Count);
  }
  llvm::SmallVector<llvm::AllocaInst *> Variables;
  for (auto &[Of, Variable] : InRegisters) {
    Variables.push_back(Variable);
    llvm::SmallVector<BasicBlock *, 4> Exits;
    Of.first->getUniqueExitBlocks(Exits);
    for (BasicBlock *Exit : Exits) {
      Instruction *Before = &*Exit->getFirstInsertionPt();
      auto *Sum = new llvm::LoadInst(Number, Variable, "", Before->getIterator());
      InMemory[Before].push_back({Before, Of.second, Sum});
    }
  }
  for (auto &[Before, What] : InMemory)
    addToMemory(Before, What, In);
  DT.recalculate(F);
  llvm::PromoteMemToReg(Variables, DT);
}

bool Instrumentation::add(llvm::Function &F, llvm::FunctionAnalysisManager &AM,
                          const Function &Cost, llvm::ArrayRef<Probe> Probes) {
  llvm::Module &M = *F.getParent();
  if (isDevice(M) || F.hasFnAttribute(llvm::Attribute::Naked))
    return false;
  FunctionCounters Counters(F, AM);
  llvm::IRBuilder<> Build(M.getContext());
  std::vector<llvm::Constant *> Symbols;
  auto Text = [&](llvm::StringRef Of) { return Build.CreateGlobalString(Of, "ergon.name", 0, &M); };
  llvm::StructType *Row =
      llvm::StructType::get(Build.getPtrTy(), Build.getInt32Ty(), Build.getInt32Ty());
  for (std::size_t I = 0; I != Probes.size(); ++I)
    if (auto Found = Counters.request(Probes[I]))
      Symbols.push_back(llvm::ConstantStruct::get(Row, Text(Cost.Unknowns[I].Symbol),
                                                  Build.getInt32(Found->first),
                                                  Build.getInt32(Found->second)));
  if (Symbols.empty())
    return false;
  auto Global = [&](llvm::Type *Type, llvm::Constant *Value, bool IsConstant, const char *Name) {
    return new llvm::GlobalVariable(M, Type, IsConstant, llvm::GlobalValue::PrivateLinkage, Value,
                                    Name);
  };
  llvm::ArrayType *Numbers = llvm::ArrayType::get(Build.getInt64Ty(), Counters.size());
  llvm::GlobalVariable *Counted =
      Global(Numbers, llvm::ConstantAggregateZero::get(Numbers), false, "ergon.counters");
  llvm::ArrayType *Table = llvm::ArrayType::get(Row, Symbols.size());
  llvm::GlobalVariable *List =
      Global(Table, llvm::ConstantArray::get(Table, Symbols), true, "ergon.unknowns");
  Rows.push_back(llvm::ConstantStruct::getAnon({Text(F.getName()), List, Counted,
                                                Build.getInt32(unsigned(Symbols.size())),
                                                Build.getInt32(Counters.size())}));
  Counters.insert(*Counted);
  return true;
}

/// A function that calls one of the runtime's with \p Unit, if the program was linked with the
/// runtime or it was loaded before the program.
static llvm::Function *callOf(llvm::StringRef Name, llvm::GlobalVariable &Unit) {
  llvm::Module &M = *Unit.getParent();
  llvm::IRBuilder<> Build(M.getContext());
  auto Weak = [&](llvm::StringRef Of, llvm::FunctionType *Type) {
    llvm::FunctionCallee Result = M.getOrInsertFunction(Of, Type);
    if (auto *Declared = llvm::dyn_cast<llvm::Function>(Result.getCallee());
        Declared && Declared->isDeclaration() && Declared->use_empty())
      Declared->setLinkage(llvm::GlobalValue::ExternalWeakLinkage);
    return Result;
  };
  auto *OfUnit = llvm::FunctionType::get(Build.getVoidTy(), Build.getPtrTy(), false);
  llvm::FunctionCallee Linked = Weak(Name, OfUnit);
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
  Build.CreateCall(OfUnit, Known, &Unit);
  Build.CreateBr(End);
  Build.SetInsertPoint(End);
  Build.CreateRetVoid();
  return Result;
}

bool Instrumentation::finish(llvm::Module &M) {
  if (Rows.empty())
    return false;
  llvm::IRBuilder<> Build(M.getContext());
  auto *Type = llvm::ArrayType::get(Rows.front()->getType(), Rows.size());
  auto *Functions =
      new llvm::GlobalVariable(M, Type, true, llvm::GlobalValue::PrivateLinkage,
                               llvm::ConstantArray::get(Type, Rows), "ergon.functions");
  static constexpr unsigned Version = 1;
  auto *Table = llvm::ConstantStruct::getAnon(
      {Build.getInt32(Version), Build.getInt32(unsigned(Rows.size())),
       Build.CreateGlobalString(M.getSourceFileName(), "ergon.name", 0, &M), Functions});
  auto *Unit = new llvm::GlobalVariable(M, Table->getType(), true,
                                        llvm::GlobalValue::PrivateLinkage, Table, "ergon.unit");
  static constexpr int Priority = 101; // before the program's own, and after
  llvm::appendToGlobalCtors(M, callOf("ergon_register_counters", *Unit), Priority);
  llvm::appendToGlobalDtors(M, callOf("ergon_retire_counters", *Unit), Priority);
  Rows.clear();
  return true;
}

} // namespace ergon
