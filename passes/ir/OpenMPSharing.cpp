//===- OpenMPSharing.cpp - work sharing without the runtime ---------------===//
//
// The runtime's interface: openmp/runtime/src/kmp_csupport.cpp and
// kmp_sched.cpp, kmp_dispatch.cpp of LLVM; the numbers of schedules are
// `sched_type` of kmp.h.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/OpenMPSharing.h"
#include "passes/ir/OpenMPScaffold.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

namespace ergon {

using llvm::Function;
using llvm::Value;

namespace {
/// `sched_type` of kmp.h, without the modifiers monotonic and nonmonotonic.
enum class Schedule { StaticChunked = 33, Static = 34, DynamicChunked = 35 };
} // namespace

static StringRef runtimeName(const Instruction &I) {
  auto *Site = dyn_cast<CallBase>(&I);
  const Function *Callee = Site ? Site->getCalledFunction() : nullptr;
  return Callee && Callee->isDeclaration() ? Callee->getName() : "";
}

static Schedule scheduleOf(const CallBase &Site) {
  auto *Number = dyn_cast<llvm::ConstantInt>(Site.getArgOperand(2));
  return Schedule(Number ? Number->getZExtValue() & 0xffff : 0);
}

static Value *isThreadZero(ScaffoldBuilder &Builder) {
  return Builder.CreateICmpEQ(Builder.thread(), Builder.getInt32(0));
}

/// Replaces the result of \p Site by \p Bit, 1 or 0; tests against 0 or 1 become the bit itself.
static void replaceResult(CallBase &Site, llvm::Value *Bit, ScaffoldBuilder &Builder) {
  auto *Compare = cast<llvm::ICmpInst>(Bit);
  Value *Inverse = Builder.CreateICmp(Compare->getInversePredicate(), Compare->getOperand(0),
                                      Compare->getOperand(1));
  for (llvm::User *U : llvm::to_vector(Site.users())) {
    auto *Test = dyn_cast<llvm::ICmpInst>(U);
    auto *Number = Test ? dyn_cast<llvm::ConstantInt>(Test->getOperand(1)) : nullptr;
    if (!Number || !Test->isEquality() || Number->getValue().ugt(1))
      continue;
    bool ForOne = Number->isOne() == (Test->getPredicate() == llvm::CmpInst::ICMP_EQ);
    Test->replaceAllUsesWith(ForOne ? Bit : Inverse);
  }
  Site.replaceAllUsesWith(Builder.CreateZExt(Bit, Site.getType()));
  Site.eraseFromParent();
}

static std::vector<CallBase *> callsOf(Function &F, StringRef Prefix) {
  std::vector<CallBase *> Result;
  for (Instruction &I : llvm::instructions(F))
    if (runtimeName(I).starts_with(Prefix))
      Result.push_back(cast<CallBase>(&I));
  return Result;
}

/// Runs \p First to \p End, where all paths join, in thread 0 only. It also runs the last
/// iteration, which \p IsLast reports.
static void runInThreadZero(Instruction *First, BasicBlock *End, Value *IsLast) {
  Function &F = *First->getFunction();
  BasicBlock *Before = First->getParent();
  BasicBlock *Begin = llvm::SplitBlock(Before, First);
  llvm::DominatorTree DT(F);
  // Values computed inside and used after it go through memory: other threads have none.
  std::vector<Instruction *> Escaping;
  for (BasicBlock &B : F)
    if (DT.dominates(Begin, &B) && !(DT.dominates(End, &B)))
      for (Instruction &I : B)
        if (llvm::any_of(I.users(), [&](const llvm::User *U) {
              auto *User = cast<Instruction>(U);
              return DT.dominates(End, User->getParent());
            }))
          Escaping.push_back(&I);
  for (Instruction *I : Escaping)
    if (llvm::AllocaInst *Slot = llvm::DemoteRegToStack(*I))
      for (llvm::User *U : Slot->users())
        ScaffoldBuilder::mark(*cast<Instruction>(U));
  Instruction *Jump = Before->getTerminator();
  ScaffoldBuilder Builder(Jump);
  Value *IsZero = isThreadZero(Builder);
  Builder.CreateStore(Builder.CreateZExt(IsZero, Builder.getInt32Ty()), IsLast);
  Builder.CreateCondBr(IsZero, Begin, End);
  Jump->eraseFromParent();
  for (llvm::PHINode &Phi : End->phis())
    Phi.addIncoming(llvm::PoisonValue::get(Phi.getType()), Before);
}

/// void init(ident, gtid, schedule, *last, *lower, *upper, *stride, step, chunk)
/// Thread 0 gets all: [lower, upper], or chunk after chunk.
static bool lowerStaticLoop(CallBase &Init) {
  Function &F = *Init.getFunction();
  Schedule Kind = scheduleOf(Init);
  if (Kind != Schedule::Static && Kind != Schedule::StaticChunked)
    return false;
  llvm::DominatorTree DT(F);
  llvm::PostDominatorTree PDT(F);
  CallBase *Fini = nullptr;
  for (CallBase *Site : callsOf(F, "__kmpc_for_static_fini"))
    if (DT.dominates(&Init, Site) && PDT.dominates(Site->getParent(), Init.getParent()) &&
        (!Fini || DT.dominates(Site, Fini)))
      Fini = Site;
  if (!Fini)
    return false;
  runInThreadZero(&Init, llvm::SplitBlock(Fini->getParent(), Fini->getNextNode()),
                  Init.getArgOperand(3));
  ScaffoldBuilder Builder(&Init);
  Value *Lower = Init.getArgOperand(4), *Upper = Init.getArgOperand(5);
  Value *Step = Init.getArgOperand(7), *Chunk = Init.getArgOperand(8);
  llvm::Type *T = Step->getType();
  if (Kind == Schedule::StaticChunked) {
    Value *Length = Builder.CreateMul(Chunk, Step);
    Builder.CreateStore(
        Builder.CreateSub(Builder.CreateAdd(Builder.CreateLoad(T, Lower), Length), Step), Upper);
    Builder.CreateStore(Length, Init.getArgOperand(6));
  } else {
    Value *Length = Builder.CreateSub(Builder.CreateLoad(T, Upper), Builder.CreateLoad(T, Lower));
    Builder.CreateStore(Builder.CreateAdd(Length, Step), Init.getArgOperand(6));
  }
  Fini->eraseFromParent();
  Init.eraseFromParent();
  return true;
}

/// void init(ident, gtid, schedule, lower, upper, step, chunk), then, until it is 0,
/// int next(ident, gtid, *last, *lower, *upper, *stride)
/// Thread 0 gets all chunks. Where only the runtime knows how long they are
/// (guided, auto, runtime) it gets one.
static bool lowerDispatchLoop(CallBase &Init) {
  Function &F = *Init.getFunction();
  llvm::DominatorTree DT(F);
  llvm::PostDominatorTree PDT(F);
  std::vector<CallBase *> Inits = callsOf(F, "__kmpc_dispatch_init"), NextCalls;
  for (CallBase *Site : callsOf(F, "__kmpc_dispatch_next"))
    if (DT.dominates(&Init, Site) && llvm::none_of(Inits, [&](CallBase *Other) {
          return Other != &Init && DT.dominates(&Init, Other) && DT.dominates(Other, Site);
        }))
      NextCalls.push_back(Site);
  // The first block after the region, where all paths join.
  auto Inside = [&](const BasicBlock *B) {
    return B == Init.getParent() ||
           llvm::any_of(NextCalls, [&](CallBase *Site) { return Site->getParent() == B; });
  };
  auto *End = PDT.getNode(Init.getParent());
  while (End && End->getBlock() && Inside(End->getBlock()))
    End = End->getIDom();
  if (NextCalls.empty() || !End || !End->getBlock() ||
      !DT.dominates(Init.getParent(), End->getBlock()))
    return false;
  StringRef Name = runtimeName(Init);
  bool Unsigned = Name.ends_with("u");
  Value *Lower = Init.getArgOperand(3), *Upper = Init.getArgOperand(4);
  Value *Step = Init.getArgOperand(5), *Chunk = Init.getArgOperand(6);
  llvm::Type *T = Step->getType();
  bool IsSingleChunk = scheduleOf(Init) != Schedule::DynamicChunked;
  runInThreadZero(&Init, End->getBlock(), NextCalls[0]->getArgOperand(2));
  Value *Slot = ScaffoldBuilder(&*F.getEntryBlock().getFirstInsertionPt()).CreateAlloca(T);
  ScaffoldBuilder Start(&Init);
  // The next chunk's first iteration, or 0 for a single chunk.
  Start.CreateStore(IsSingleChunk ? llvm::ConstantInt::get(T, 0) : Lower, Slot);
  for (CallBase *Site : NextCalls) {
    ScaffoldBuilder Builder(Site);
    Value *State = Builder.CreateLoad(T, Slot), *From = Lower, *To = Upper, *More;
    if (IsSingleChunk) {
      Value *One = llvm::ConstantInt::get(T, 1);
      Builder.CreateStore(Builder.CreateAdd(State, One, "", true, true), Slot);
      More = Builder.CreateICmpULT(State, One);
    } else {
      Value *Following = Builder.CreateAdd(State, Builder.CreateMul(Chunk, Step));
      Builder.CreateStore(Following, Slot);
      From = State;
      To = Builder.CreateBinaryIntrinsic(Unsigned ? llvm::Intrinsic::umin : llvm::Intrinsic::smin,
                                         Builder.CreateSub(Following, Step), Upper);
      More = Unsigned ? Builder.CreateICmpULE(State, Upper) : Builder.CreateICmpSLE(State, Upper);
    }
    Builder.CreateStore(From, Site->getArgOperand(3));
    Builder.CreateStore(To, Site->getArgOperand(4));
    Builder.CreateStore(Step, Site->getArgOperand(5));
    replaceResult(*Site, More, Builder);
  }
  Init.eraseFromParent();
  return true;
}

/// Queries with one answer per thread.
static bool lowerQuery(CallBase &Site, StringRef Name) {
  ScaffoldBuilder Builder(&Site);
  Value *Answer = nullptr;
  Name.consume_back("_"); // Fortran's binding
  if (Name == "omp_get_thread_num")
    Answer = Builder.thread();
  else if (Name == "omp_get_num_threads" || Name == "omp_get_max_threads")
    Answer = Builder.threads();
  else if (Name == "__kmpc_master" || Name == "__kmpc_masked" || Name == "__kmpc_single")
    return replaceResult(Site, isThreadZero(Builder), Builder), true;
  else if (Name == "__kmpc_reduce" || Name == "__kmpc_reduce_nowait")
    Answer = Builder.getInt32(1);
  if (Answer && Answer->getType() == Site.getType()) {
    Site.replaceAllUsesWith(Answer);
    Site.eraseFromParent();
    return true;
  }
  // Work for other threads is also done by this one's code.
  if (isRuntimeCall(Name))
    Site.setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
  return false;
}

bool lowerOpenMPRuntimeCalls(Function &F) {
  bool Changed = false;
  for (CallBase *Site : callsOf(F, "__kmpc_for_static_init_"))
    Changed |= lowerStaticLoop(*Site);
  for (CallBase *Site : callsOf(F, "__kmpc_dispatch_init_"))
    Changed |= lowerDispatchLoop(*Site);
  for (StringRef Prefix : {"__kmpc_", "omp_"})
    for (CallBase *Site : callsOf(F, Prefix))
      Changed |= lowerQuery(*Site, runtimeName(*Site));
  return Changed;
}

//===----------------------------------------------------------------------===//
// Captured variables
//===----------------------------------------------------------------------===//

/// The loads and stores of a variable without other uses; nothing where its address escapes.
static std::optional<std::vector<Instruction *>> plainAccesses(llvm::AllocaInst &Variable) {
  std::vector<Instruction *> Result;
  std::vector<Instruction *> Pending{&Variable};
  while (!Pending.empty()) {
    Instruction *Address = Pending.back();
    Pending.pop_back();
    for (llvm::Use &U : Address->uses()) {
      auto *User = cast<Instruction>(U.getUser());
      if (auto *Index = dyn_cast<llvm::GetElementPtrInst>(User);
          Index && Index->hasAllConstantIndices())
        Pending.push_back(Index);
      else if (auto *Load = dyn_cast<llvm::LoadInst>(User); Load && !Load->isVolatile())
        Result.push_back(User);
      else if (auto *Store = dyn_cast<llvm::StoreInst>(User);
               Store && !Store->isVolatile() && Store->getPointerOperand() == Address &&
               Store->getValueOperand() != Address)
        Result.push_back(User);
      else if (!User->isLifetimeStartOrEnd())
        return std::nullopt;
    }
  }
  return Result;
}

/// Loads and stores of a separate variable that nothing can remove.
static std::vector<Instruction *> addStandIns(llvm::AllocaInst &Variable,
                                              const std::vector<Instruction *> &Accesses) {
  std::vector<Instruction *> Result;
  Value *StandIn = llvm::IRBuilder<>(&Variable).CreateAlloca(Variable.getAllocatedType());
  for (Instruction *Access : Accesses) {
    if (isScaffold(*Access))
      continue;
    llvm::IRBuilder<> Builder(Access);
    if (auto *Load = dyn_cast<llvm::LoadInst>(Access)) {
      Result.push_back(Builder.CreateLoad(Load->getType(), StandIn, /*isVolatile=*/true));
      continue;
    }
    llvm::Type *T = cast<llvm::StoreInst>(Access)->getValueOperand()->getType();
    Result.push_back(
        Builder.CreateStore(llvm::Constant::getNullValue(T), StandIn, /*isVolatile=*/true));
  }
  return Result;
}

void promoteCaptures(Function &F, bool AddStandInAccesses) {
  llvm::PassBuilder Builder;
  llvm::FunctionAnalysisManager FAM;
  Builder.registerFunctionAnalyses(FAM);
  F.removeFnAttr(llvm::Attribute::OptimizeNone);
  // A captured pointer that becomes known allows promotion of its target.
  constexpr unsigned MaxRounds = 4;
  for (unsigned Round = 0; Round != MaxRounds; ++Round) {
    std::vector<std::pair<llvm::WeakVH, std::vector<Instruction *>>> Variables;
    for (Instruction &I : F.getEntryBlock())
      if (auto *Variable = dyn_cast<llvm::AllocaInst>(&I))
        if (auto Accesses = plainAccesses(*Variable))
          Variables.emplace_back(Variable, std::move(*Accesses));
    for (auto &[Variable, Accesses] : Variables)
      Accesses = AddStandInAccesses ? addStandIns(*cast<llvm::AllocaInst>(Variable), Accesses)
                                    : std::vector<Instruction *>();
    FAM.clear();
    llvm::SROAPass(llvm::SROAOptions::PreserveCFG).run(F, FAM);
    bool IsAnyPromoted = false;
    for (auto &[Variable, StandIns] : Variables) {
      IsAnyPromoted |= !Variable;
      if (Variable) // it is still there, and its accesses too
        for (Instruction *StandIn : StandIns)
          StandIn->eraseFromParent();
    }
    if (!IsAnyPromoted)
      return;
  }
}

} // namespace ergon
