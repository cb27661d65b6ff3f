//===- Instrumentation.cpp - counts what only a run can tell --------------===//

#include "passes/Instrumentation.h"
#include "passes/AddressSpaces.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

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
        TLI(AM.getResult<llvm::TargetLibraryAnalysis>(F)),
        TTI(AM.getResult<llvm::TargetIRAnalysis>(F)), AC(AM.getResult<llvm::AssumptionAnalysis>(F)),
        PDT(F), Number(llvm::Type::getInt64Ty(F.getContext())) {}

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
  llvm::TargetLibraryInfo &TLI;
  const llvm::TargetTransformInfo &TTI;
  llvm::AssumptionCache &AC;
  llvm::PostDominatorTree PDT; ///< of the function before it is changed
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

  unsigned numberOf(Counter Of);
  Edge sameAs(Edge Way) const;
  static bool isPossible(const Edges &Of);
  Instruction *placeOn(const Edge &Way);
  Addition additionOf(const Probe &Sum, unsigned Counter);
  bool endsByItself(llvm::Loop &L);
  void hoist(Addition &What, llvm::ScalarEvolution &SE, llvm::SCEVExpander &Expander);
  bool countAtEnd(const Addition &What, const llvm::Loop &L, llvm::ScalarEvolution &SE,
                  llvm::SmallVectorImpl<Addition> &Into);
  void addToMemory(Instruction *Before, llvm::ArrayRef<Addition> What, llvm::GlobalVariable &In);
};
} // namespace

/// The first block that runs as often as control goes along \p Way, if a block does.
Edge FunctionCounters::sameAs(Edge Way) const {
  const auto [From, To] = Way;
  const BasicBlock *Block = !From                                ? To
                            : From->getUniqueSuccessor() == To   ? From
                            : To->getUniquePredecessor() == From ? To
                                                                 : nullptr;
  if (!Block)
    return Way;
  for (const llvm::DomTreeNode *Up = DT.getNode(Block)->getIDom(); Up; Up = Up->getIDom())
    if (LI.getLoopFor(Up->getBlock()) == LI.getLoopFor(Block) &&
        PDT.dominates(Block, Up->getBlock()) && !Up->getBlock()->isEHPad())
      Block = Up->getBlock();
  return {nullptr, Block};
}

unsigned FunctionCounters::numberOf(Counter Of) {
  for (Edge &Each : Of.Ways)
    Each = sameAs(Each);
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
  if (!Way.first)
    return &*const_cast<BasicBlock *>(Way.second)->getFirstInsertionPt();
  // No block runs as often, see sameAs: the edge is critical.
  BasicBlock *&Between = Split[Way];
  if (!Between) {
    auto *Branch = const_cast<Instruction *>(Way.first->getTerminator());
    // Without loops it leaves all other edges as they are.
    const auto To = llvm::find(llvm::successors(Branch), Way.second);
    Between =
        llvm::SplitCriticalEdge(Branch, To.getSuccessorIndex(),
                                llvm::CriticalEdgeSplittingOptions(&DT).setMergeIdenticalEdges());
    llvm::Loop *Around = LI.getLoopFor(Way.first);
    while (Around && !Around->contains(Way.second))
      Around = Around->getParentLoop();
    if (Around)
      Around->addBasicBlockToLoop(Between, LI);
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

/// Before the loops around, as long as they say how often they run: there all that they would
/// add is added at once.
void FunctionCounters::hoist(Addition &What, llvm::ScalarEvolution &SE,
                             llvm::SCEVExpander &Expander) {
  const llvm::SCEV *Amount = SE.getSCEV(What.Amount);
  Instruction *Before = What.Before;
  while (llvm::Loop *L = LI.getLoopFor(Before->getParent())) {
    const BasicBlock *Exiting = L->getExitingBlock(), *Latch = L->getLoopLatch();
    const llvm::SCEV *Again = SE.getBackedgeTakenCount(L);
    if (!Exiting || !Latch || !L->isLoopSimplifyForm() || !endsByItself(*L) ||
        llvm::isa<llvm::SCEVCouldNotCompute>(Again) || !SE.isLoopInvariant(Amount, L) ||
        !DT.dominates(Before->getParent(), Latch))
      break;
    // In the last iteration it runs only if it stands before the exit.
    const bool IsBeforeExit = DT.dominates(Before->getParent(), Exiting);
    if (!IsBeforeExit && !DT.dominates(Exiting, Before->getParent()))
      break;
    const llvm::SCEV *Times = SE.getTruncateOrZeroExtend(Again, Number);
    if (IsBeforeExit)
      Times = SE.getAddExpr(Times, SE.getOne(Number));
    const llvm::SCEV *Sum = SE.getMulExpr(Amount, Times);
    Instruction *Outside = L->getLoopPreheader()->getTerminator();
    if (!Expander.isSafeToExpandAt(Sum, Outside) ||
        Expander.isHighCostExpansion(Sum, L, llvm::SCEVCheapExpansionBudget.getValue(), &TTI,
                                     Outside))
      break;
    Amount = Sum;
    Before = Outside;
  }
  if (Before != What.Before)
    What = {Before, What.Counter, Expander.expandCodeFor(Amount, Number, Before->getIterator())};
}

/// \p Of, of which nobody can tell what it is made of: else a sum over several loops becomes one
/// more number that each of them keeps up to date.
static llvm::Value *settled(llvm::IRBuilder<> &Build, llvm::Value *Of) {
  auto *Type = llvm::FunctionType::get(Of->getType(), {Of->getType()}, false);
  return Build.CreateCall(Type, llvm::InlineAsm::get(Type, "", "=r,0", false), {Of});
}

/// A number of the loop's that one is added to, or taken from, in each iteration; and whether
/// it is added. Null where there is none.
static std::pair<llvm::PHINode *, bool> inductionOf(const llvm::Loop &L,
                                                    llvm::ScalarEvolution &SE) {
  for (llvm::PHINode &Each : L.getHeader()->phis()) {
    if (!Each.getType()->isIntegerTy() || Each.getType()->getIntegerBitWidth() > 64)
      continue;
    auto *Number = llvm::dyn_cast<llvm::SCEVAddRecExpr>(SE.getSCEV(&Each));
    if (!Number || Number->getLoop() != &L || !Number->isAffine())
      continue;
    auto *Step = llvm::dyn_cast<llvm::SCEVConstant>(Number->getStepRecurrence(SE));
    if (Step && (Step->getAPInt().isOne() || Step->getAPInt().isAllOnes()))
      return {&Each, Step->getAPInt().isOne()};
  }
  return {nullptr, false};
}

/// What \p What, one for each iteration of \p L, adds up to where the loop ends, where a number
/// of the loop's tells it: nothing is counted then while it runs.
bool FunctionCounters::countAtEnd(const Addition &What, const llvm::Loop &L,
                                  llvm::ScalarEvolution &SE,
                                  llvm::SmallVectorImpl<Addition> &Into) {
  const BasicBlock *Here = What.Before->getParent();
  const auto [Induction, Rises] = inductionOf(L, SE);
  if (!Induction || What.Amount != llvm::ConstantInt::get(Number, 1) ||
      !DT.dominates(Here, L.getLoopLatch()))
    return false;
  llvm::SmallVector<BasicBlock *, 4> Exits;
  L.getUniqueExitBlocks(Exits);
  // In the last iteration it is counted only if it stands before the exit.
  auto IsCounted = [&](const BasicBlock *From) { return DT.dominates(Here, From); };
  for (const BasicBlock *Exit : Exits)
    for (const BasicBlock *From : llvm::predecessors(Exit))
      if (IsCounted(From) != IsCounted(*llvm::pred_begin(Exit)) ||
          (!IsCounted(From) && !DT.dominates(From, Here)))
        return false;
  llvm::Value *Start = Induction->getIncomingValueForBlock(L.getLoopPreheader());
  for (BasicBlock *Exit : Exits) {
    Instruction *Behind = &*Exit->getFirstInsertionPt();
    llvm::IRBuilder<> Build(Behind);
    llvm::Value *Last = settled(Build, Induction);
    llvm::Value *Done = Rises ? Build.CreateSub(Last, Start) : Build.CreateSub(Start, Last);
    Done = Build.CreateZExt(Done, Number);
    if (IsCounted(*llvm::pred_begin(Exit)))
      Done = Build.CreateAdd(Done, What.Amount);
    Into.push_back({Behind, What.Counter, Done});
  }
  return true;
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
  llvm::SmallVector<Addition> All;
  for (unsigned I = 0; I != Counters.size(); ++I) {
    if (Counters[I].Sum.Of)
      All.push_back(additionOf(Counters[I].Sum, I));
    for (const Edge &Way : Counters[I].Ways)
      All.push_back({placeOn(Way), I, llvm::ConstantInt::get(Number, 1)});
  }
  for (llvm::Loop *L : LI)
    llvm::simplifyLoop(L, &DT, &LI, nullptr, &AC, nullptr, /*PreserveLCSSA=*/false);
  llvm::ScalarEvolution SE(F, TLI, AC, DT, LI);
  llvm::SCEVExpander Expander(SE, "ergon", /*PreserveLCSSA=*/false);
  for (Addition &Each : All)
    hoist(Each, SE, Expander);
  // While a loop runs a variable counts; where it ends, what it has is added to that of the loop
  // around, or to memory.
  llvm::MapVector<Instruction *, llvm::SmallVector<Addition, 4>> InMemory;
  llvm::MapVector<std::pair<llvm::Loop *, unsigned>, llvm::AllocaInst *> Variables;
  while (!All.empty()) {
    const Addition Each = All.pop_back_val();
    llvm::Loop *Around = LI.getLoopFor(Each.Before->getParent());
    if (!Around || !endsByItself(*Around) || !Around->isLoopSimplifyForm()) {
      InMemory[Each.Before].push_back(Each);
      continue;
    }
    if (countAtEnd(Each, *Around, SE, All))
      continue;
    llvm::AllocaInst *&Count = Variables[{Around, Each.Counter}];
    if (!Count) {
      Count = new llvm::AllocaInst(Number, 0, "ergon.count", F.getEntryBlock().begin());
      new llvm::StoreInst(llvm::ConstantInt::get(Number, 0), Count,
                          Around->getLoopPreheader()->getTerminator()->getIterator());
      llvm::SmallVector<BasicBlock *, 4> Exits;
      Around->getUniqueExitBlocks(Exits);
      for (BasicBlock *Exit : Exits) {
        Instruction *Behind = &*Exit->getFirstInsertionPt();
        llvm::IRBuilder<> Build(Behind);
        All.push_back({Behind, Each.Counter, settled(Build, Build.CreateLoad(Number, Count))});
      }
    }
    llvm::IRBuilder<> Build(Each.Before);
    Build.CreateStore(Build.CreateAdd(Build.CreateLoad(Number, Count), Each.Amount), Count);
  }
  for (auto &[Before, What] : InMemory)
    addToMemory(Before, What, In);
  DT.recalculate(F);
  llvm::PromoteMemToReg(llvm::to_vector(llvm::make_second_range(Variables)), DT);
}

bool Instrumentation::callsItself(llvm::Function &F) {
  if (!Recursive) {
    Recursive.emplace();
    llvm::CallGraph Calls(*F.getParent());
    for (auto Component = llvm::scc_begin(&Calls); !Component.isAtEnd(); ++Component)
      if (Component.hasCycle())
        for (const llvm::CallGraphNode *Each : *Component)
          Recursive->insert(Each->getFunction());
  }
  return Recursive->contains(&F);
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
