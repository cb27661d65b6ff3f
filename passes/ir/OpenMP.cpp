//===- OpenMP.cpp - parallel regions as loops over their threads ----------===//

#include "passes/ir/OpenMP.h"
#include "passes/ir/DirectCallee.h"
#include "passes/ir/FunctionCopies.h"
#include "passes/ir/OpenMPScaffold.h"
#include "passes/ir/OpenMPSharing.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace ergon {

using llvm::Function;

static bool isFork(const CallBase &Site) {
  StringRef Name = directCallee(Site);
  return Name == "__kmpc_fork_call" || Name == "__kmpc_fork_call_if";
}

/// The function that a fork runs in each thread, if it can be inlined here.
static Function *forkedFunction(const CallBase &Fork) {
  auto *Target = dyn_cast<Function>(Fork.getArgOperand(2)->stripPointerCasts());
  return Target && !Target->isDeclaration() && Target != Fork.getFunction() ? Target : nullptr;
}

/// Calls \p Use with each fork in \p F, and the function that its threads run.
template <typename AnyFunction> static void forEachStart(AnyFunction &F, auto &&Use) {
  for (auto &I : llvm::instructions(F))
    if (auto *Site = dyn_cast<CallBase>(&I); Site && isFork(*Site))
      if (Function *Target = forkedFunction(*Site))
        Use(*Site, *Target);
}

/// The call in a function that only calls another one of the unit: the wrapper that clang emits
/// around an outlined region with debug info (`.omp_outlined_debug__`).
static CallBase *onlyCall(Function &F) {
  CallBase *Result = nullptr;
  if (F.size() != 1)
    return nullptr;
  for (Instruction &I : F.front())
    if (auto *Site = dyn_cast<CallBase>(&I); Site && !isa<llvm::IntrinsicInst>(I)) {
      if (Result)
        return nullptr;
      Result = Site;
    }
  Function *Callee = Result ? Result->getCalledFunction() : nullptr;
  return Callee && Callee->hasLocalLinkage() && !Callee->isDeclaration() && Callee != &F ? Result
                                                                                         : nullptr;
}

bool usesOpenMP(const llvm::Module &M) {
  return llvm::any_of(
      M, [](const Function &F) { return F.isDeclaration() && F.getName().starts_with("__kmpc_"); });
}

std::vector<RegionStart> regionStarts(llvm::Module &M) {
  std::vector<RegionStart> Result;
  for (Function &F : M)
    forEachStart(F, [&](CallBase &Fork, Function &Region) { Result.push_back({&Fork, &Region}); });
  return Result;
}

/// A copy of \p F beside it.
static Function *copyBeside(Function &F) {
  llvm::ValueToValueMapTy Same;
  Function *Result = llvm::CloneFunction(&F, Same);
  Result->setLinkage(llvm::GlobalValue::InternalLinkage);
  return Result;
}

void separateRegions(llvm::Module &M) {
  static constexpr unsigned MaxCopies = 1000; // regions may start each other
  unsigned Copies = 0;
  for (bool Again = true; Again && Copies < MaxCopies;) {
    Again = false;
    llvm::SmallPtrSet<Function *, 16> Taken;
    for (const RegionStart &Start : regionStarts(M)) {
      if (Taken.insert(Start.Region).second)
        continue;
      Function *Own = copyBeside(*Start.Region);
      if (CallBase *Inner = onlyCall(*Own))
        Inner->setCalledFunction(copyBeside(*Inner->getCalledFunction()));
      Start.Fork->setArgOperand(2, Own);
      Taken.insert(Own);
      Again = true; // it may start regions, too
      ++Copies;
    }
  }
}

bool isInSharedLoop(const BasicBlock &Block, const llvm::DominatorTree &DT,
                    const llvm::PostDominatorTree &PDT) {
  SmallVector<const BasicBlock *, 4> Begun, Ended;
  for (const Instruction &I : llvm::instructions(*Block.getParent())) {
    auto *Site = dyn_cast<CallBase>(&I);
    const StringRef Name = Site ? directCallee(*Site) : "";
    if (Name.starts_with("__kmpc_for_static_init_") && DT.dominates(I.getParent(), &Block))
      Begun.push_back(I.getParent());
    else if (Name == "__kmpc_for_static_fini")
      Ended.push_back(I.getParent());
  }
  return llvm::any_of(Begun,
                      [&](const BasicBlock *Begin) {
                        return llvm::none_of(Ended, [&](const BasicBlock *End) {
                          return DT.dominates(Begin, End) && DT.properlyDominates(End, &Block);
                        });
                      }) &&
         llvm::any_of(Ended, [&](const BasicBlock *End) { return PDT.dominates(End, &Block); });
}

std::unique_ptr<llvm::Module> copyParallelCode(const llvm::Module &M) {
  llvm::SmallPtrSet<const llvm::GlobalValue *, 16> Wanted;
  std::vector<const Function *> Pending;
  auto Want = [&](const Function *F) {
    if (F && !F->isDeclaration() && Wanted.insert(F).second)
      Pending.push_back(F);
  };
  for (const Function &F : M)
    if (F.isDeclaration() &&
        (F.getName().starts_with("__kmpc_") || F.getName().starts_with("omp_get_")))
      for (const llvm::User *U : F.users())
        if (auto *Site = dyn_cast<CallBase>(U))
          Want(Site->getFunction());
  while (!Pending.empty()) {
    const Function *F = Pending.back();
    Pending.pop_back();
    forEachStart(*F, [&](const CallBase &, Function &Target) {
      Want(&Target);
      if (CallBase *Inner = onlyCall(Target))
        Want(Inner->getCalledFunction());
    });
  }
  return copyFunctions(M, [&](const Function &F) { return Wanted.contains(&F); });
}

/// The thread count: the argument of `__kmpc_push_num_threads` before \p Fork, else the symbol
/// `omp.threads`.
static llvm::Value *threadCount(CallBase &Fork, ScaffoldBuilder &Builder) {
  llvm::Value *Result = nullptr;
  BasicBlock *Block = Fork.getParent();
  for (Instruction *I = Fork.getPrevNode(); !Result;) {
    if (!I) { // the block before, where there is one
      Block = Block->getSinglePredecessor();
      if (!Block || Block->getSingleSuccessor() == nullptr)
        break;
      I = Block->getTerminator();
    }
    if (auto *Site = dyn_cast<CallBase>(I)) {
      if (isFork(*Site))
        break;
      if (directCallee(*Site) == "__kmpc_push_num_threads")
        Result = Site->getArgOperand(2);
    }
    I = I->getPrevNode();
  }
  if (!Result)
    Result = Builder.threads();
  if (directCallee(Fork) == "__kmpc_fork_call_if")
    Result = Builder.CreateSelect(Builder.CreateIsNotNull(Fork.getArgOperand(3)), Result,
                                  Builder.getInt32(1));
  return Result;
}

/// The direct call that replaces \p Fork, or null where the arguments do not match.
static CallBase *createDirectCall(CallBase &Fork, Function &Target, ScaffoldBuilder &Builder) {
  Instruction *Entry = &*Fork.getFunction()->getEntryBlock().getFirstInsertionPt();
  llvm::Value *Slot = ScaffoldBuilder(Entry).CreateAlloca(Builder.getInt32Ty());
  SmallVector<llvm::Value *, 8> Arguments{Slot, Slot};
  unsigned First = directCallee(Fork) == "__kmpc_fork_call_if" ? 4 : 3;
  Arguments.append(Fork.arg_begin() + First, Fork.arg_end());
  llvm::FunctionType *Type = Target.getFunctionType();
  if (Type->getNumParams() != Arguments.size() || Type->isVarArg())
    return nullptr;
  for (unsigned I = 0; I != Arguments.size(); ++I)
    if (Type->getParamType(I) != Arguments[I]->getType())
      return nullptr;
  Builder.CreateStore(Builder.getInt32(0), Slot);
  CallBase *Result = Builder.CreateCall(&Target, Arguments);
  Result->setDebugLoc(Fork.getDebugLoc());
  return Result;
}

namespace {
/// Inlines regions into the functions that start them.
class RegionInliner {
public:
  RegionInliner(Function &F, const llvm::SmallPtrSetImpl<Function *> &Targets)
      : F(F), Targets(Targets) {}

  /// Inlines all regions of the function; true if there was any.
  bool run();
  const std::vector<Function *> &regions() const { return Regions; }

private:
  Function &F;
  const llvm::SmallPtrSetImpl<Function *> &Targets;
  std::vector<Function *> Regions;
  static constexpr unsigned MaxRegions = 1000; // a region may be recursive

  struct Site {
    CallBase *Call;
    std::vector<const Function *> Around; ///< regions
  };
  std::vector<Site> Pending;

  bool expandFork(const Site &At);
  void inlineRegion(CallBase &Call, Function &Body, llvm::Value *Thread, llvm::Value *Threads,
                    const std::vector<const Function *> &Around);
};
} // namespace

/// Inlines \p Call with these values for thread and threads.
void RegionInliner::inlineRegion(CallBase &Call, Function &Body, llvm::Value *Thread,
                                 llvm::Value *Threads,
                                 const std::vector<const Function *> &Around) {
  llvm::InlineFunctionInfo Info;
  if (!llvm::InlineFunction(Call, Info).isSuccess())
    return;
  Regions.push_back(&Body);
  for (CallBase *Inner : llvm::to_vector(Info.InlinedCallSites)) {
    StringRef Name = directCallee(*Inner);
    if (Name == ThreadSymbol || Name == ThreadsSymbol) {
      Inner->replaceAllUsesWith(Name == ThreadSymbol ? Thread : Threads);
      Inner->eraseFromParent();
    } else if (isFork(*Inner)) {
      Pending.push_back({Inner, Around});
      Pending.back().Around.push_back(&Body);
    } else if (Function *Next = Inner->getCalledFunction();
               Next && onlyCall(Body) && onlyCall(Body)->getCalledFunction() == Next) {
      inlineRegion(*Inner, *Next, Thread, Threads, Around);
    }
  }
}

/// A nested region has one thread: the runtime's default. One that is nested in itself stays a
/// call.
bool RegionInliner::expandFork(const Site &At) {
  CallBase &Fork = *At.Call;
  const bool Nested = !At.Around.empty();
  Function *Target = forkedFunction(Fork);
  if (!Target || Regions.size() > MaxRegions || llvm::is_contained(At.Around, Target))
    return false;
  ScaffoldBuilder Before(&Fork);
  llvm::Value *Thread = Before.getInt32(0), *Threads = Before.getInt32(1);
  if (!Nested)
    Threads = threadCount(Fork, Before);
  CallBase *Call = createDirectCall(Fork, *Target, Before);
  if (!Call)
    return false;
  if (!Nested) {
    BasicBlock *Outside = Fork.getParent();
    BasicBlock *Header = llvm::SplitBlock(Outside, Call);
    BasicBlock *After = llvm::SplitBlock(Header, &Fork);
    Instruction *Jump = Header->getTerminator();
    ScaffoldBuilder HeaderBuilder(&Header->front()), LatchBuilder(Jump);
    llvm::PHINode *ThreadIndex = HeaderBuilder.CreatePHI(HeaderBuilder.getInt32Ty(), 2);
    markThreadLoop(*ThreadIndex);
    llvm::Value *Next =
        LatchBuilder.CreateAdd(ThreadIndex, LatchBuilder.getInt32(1), "", true, true);
    LatchBuilder.CreateCondBr(LatchBuilder.CreateICmpULT(Next, Threads), Header, After);
    Jump->eraseFromParent();
    ThreadIndex->addIncoming(HeaderBuilder.getInt32(0), Outside);
    ThreadIndex->addIncoming(Next, Header);
    Thread = ThreadIndex;
  }
  Fork.eraseFromParent();
  inlineRegion(*Call, *Target, Thread, Threads, At.Around);
  return true;
}

bool RegionInliner::run() {
  std::vector<CallBase *> Direct; // for a region under `if (false)`, run by one thread
  for (Instruction &I : llvm::instructions(F))
    if (auto *Site = dyn_cast<CallBase>(&I)) {
      if (isFork(*Site))
        Pending.push_back({Site, {}});
      else if (Function *Callee = Site->getCalledFunction(); Callee && Targets.contains(Callee))
        Direct.push_back(Site);
    }
  bool Any = !Direct.empty();
  llvm::Type *Int32 = llvm::Type::getInt32Ty(F.getContext());
  for (CallBase *Site : Direct)
    inlineRegion(*Site, *Site->getCalledFunction(), llvm::ConstantInt::get(Int32, 0),
                 llvm::ConstantInt::get(Int32, 1), {});
  for (std::size_t I = 0; I != Pending.size(); ++I)
    Any |= expandFork(Site(Pending[I]));
  return Any;
}

llvm::StringSet<> unfoldParallelRegions(llvm::Module &Copy, bool AddStandInAccesses) {
  llvm::StringSet<> Changed;
  std::vector<Function *> Defined;
  llvm::SmallPtrSet<Function *, 16> Targets;
  for (Function &F : Copy) {
    if (F.isDeclaration())
      continue;
    Defined.push_back(&F);
    if (lowerOpenMPRuntimeCalls(F))
      Changed.insert(F.getName());
    forEachStart(F, [&](const CallBase &, Function &Target) {
      Targets.insert(&Target);
      if (CallBase *Inner = onlyCall(Target))
        Targets.insert(Inner->getCalledFunction());
    });
  }
  for (Function *F : Defined) {
    if (Targets.contains(F))
      continue;
    RegionInliner Inliner(*F, Targets);
    if (!Inliner.run() && !Changed.contains(F->getName()))
      continue;
    Changed.insert(F->getName());
    for (Function *Region : Inliner.regions())
      Changed.insert(Region->getName());
    promoteCaptures(*F, AddStandInAccesses);
  }
  for (Function *Target : Targets)
    if (Changed.contains(Target->getName()) && Target->hasLocalLinkage())
      Target->deleteBody();
  return Changed;
}

} // namespace ergon
