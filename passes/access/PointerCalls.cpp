//===- PointerCalls.cpp - counts calls through pointers -------------------===//

#include "passes/access/PointerCalls.h"
#include "passes/symbolic/SourceNames.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace ergon {

/// Targets beyond the last slot are counted together in one more.
static constexpr unsigned NumSlots = 8;
static constexpr char MeetName[] = "ergon.meet", CalleeName[] = "ergon.callee";

static bool isCountable(const llvm::Value &Argument) {
  return Argument.getType()->isIntegerTy() && Argument.getType()->getIntegerBitWidth() <= 64;
}

SmallVector<unsigned, 2> argumentsInMean(const CallBase &Site,
                                         ArrayRef<std::optional<Expr>> Arguments,
                                         const llvm::Loop *Around, SourceNames &Names) {
  SmallVector<std::string, 4> Numbers;
  for (; Around; Around = Around->getParentLoop())
    Numbers.push_back(Names.loop(*Around));
  SmallVector<unsigned, 2> Result;
  for (unsigned I = 0; I != Arguments.size(); ++I) {
    if (isCountable(*Site.getArgOperand(I)) &&
        (!Arguments[I] || llvm::any_of(Numbers, [&](const std::string &Symbol) {
          return Arguments[I]->dependsOn(Symbol);
        })))
      Result.push_back(I);
  }
  return Result;
}

SmallVector<unsigned, 2> varyingArguments(const CallBase &Site) {
  SmallVector<unsigned, 2> Result;
  for (unsigned I = 0; I != Site.arg_size(); ++I)
    if (const llvm::Value &Argument = *Site.getArgOperand(I);
        isCountable(Argument) && !isa<llvm::Constant>(Argument))
      Result.push_back(I);
  return Result;
}

/// A number that few other lists of counted arguments have, and not 0.
static llvm::Value *keyOf(const PointerCall &CallSite, llvm::IRBuilder<> &Build) {
  llvm::Type *Number = Build.getInt64Ty();
  llvm::Value *Result = Build.getInt64(1);
  static constexpr std::uint64_t Factor = 0x9E3779B97F4A7C15; // 2^64 over the golden ratio
  for (unsigned I : CallSite.Arguments)
    Result = Build.CreateAdd(Build.CreateMul(Result, Build.getInt64(Factor)),
                             Build.CreateSExtOrTrunc(CallSite.Site->getArgOperand(I), Number));
  return Build.CreateOr(Build.CreateMul(Result, Build.getInt64(Factor)), Build.getInt64(1));
}

llvm::GlobalVariable *newGlobal(llvm::Module &M, llvm::Constant *Value, bool IsConstant,
                                const char *Name) {
  return new llvm::GlobalVariable(M, Value->getType(), IsConstant,
                                  llvm::GlobalValue::PrivateLinkage, Value, Name);
}

/// The function \p Name of the counting code, which is defined once all of a module is counted.
static llvm::FunctionCallee sharedFunction(llvm::Module &M, StringRef Name,
                                           llvm::FunctionType *Type, llvm::MemoryEffects Effects) {
  llvm::FunctionCallee Result = M.getOrInsertFunction(Name, Type);
  auto *Shared = cast<llvm::Function>(Result.getCallee());
  Shared->setDoesNotThrow();
  Shared->setWillReturn();
  Shared->setMemoryEffects(Effects);
  return Result;
}

/// The same, to be defined; null where no code calls it.
static llvm::Function *undefinedFunction(llvm::Module &M, StringRef Name) {
  llvm::Function *Result = M.getFunction(Name);
  if (!Result || !Result->isDeclaration())
    return nullptr;
  Result->setLinkage(llvm::GlobalValue::InternalLinkage);
  return Result;
}

/// The function that \p Site runs, whose called operand may be a trampoline.
static llvm::Value *calleeOf(const CallBase &Site, llvm::IRBuilder<> &Build) {
  llvm::Module &M = *Build.GetInsertBlock()->getModule();
  llvm::Value *Pointer = Site.getCalledOperand();
  if (M.getTargetTriple().getArch() != llvm::Triple::x86_64)
    return Build.CreatePtrToInt(Pointer, Build.getInt64Ty());
  return Build.CreateCall(
      sharedFunction(M, CalleeName,
                     llvm::FunctionType::get(Build.getInt64Ty(), {Build.getPtrTy()}, false),
                     llvm::MemoryEffects::argMemOnly(llvm::ModRefInfo::Ref)),
      Pointer);
}

llvm::Constant *countTargets(const PointerCall &CallSite) {
  auto *Site = const_cast<CallBase *>(CallSite.Site);
  llvm::Module &M = *Site->getModule();
  llvm::IRBuilder<> Build(Site);
  const auto PerSlot = unsigned(2 + CallSite.Arguments.size()); // target, count, sums
  llvm::GlobalVariable *Slots =
      newGlobal(M,
                llvm::ConstantAggregateZero::get(llvm::ArrayType::get(
                    Build.getInt64Ty(), std::uint64_t(NumSlots + 1) * PerSlot)),
                false, "ergon.slots");
  llvm::FunctionCallee Meet = sharedFunction(
      M, MeetName,
      llvm::FunctionType::get(Build.getPtrTy(),
                              {Build.getPtrTy(), Build.getInt64Ty(), Build.getInt64Ty()}, false),
      llvm::MemoryEffects::argMemOnly());
  llvm::Value *Slot = Build.CreateCall(
      Meet, {Slots, Build.getInt64(8 * PerSlot),
             Site->isIndirectCall() ? calleeOf(*Site, Build) : keyOf(CallSite, Build)});
  for (unsigned I = 0; I != CallSite.Arguments.size(); ++I)
    Build.CreateAtomicRMW(
        llvm::AtomicRMWInst::Add, Build.CreateConstInBoundsGEP1_64(Build.getInt64Ty(), Slot, 2 + I),
        Build.CreateSExtOrTrunc(Site->getArgOperand(CallSite.Arguments[I]), Build.getInt64Ty()),
        llvm::MaybeAlign(8), llvm::AtomicOrdering::Monotonic);
  auto *Numbers = newGlobal(
      M, llvm::ConstantDataArray::get(M.getContext(), ArrayRef<unsigned>(CallSite.Arguments)), true,
      "ergon.numbers");
  return llvm::ConstantStruct::getAnon(
      {Build.CreateGlobalString(CallSite.Symbol, "ergon.name", 0, &M), Slots, Numbers,
       Build.getInt32(NumSlots), Build.getInt32(unsigned(CallSite.Arguments.size()))});
}

/// `ergon.callee(pointer)`: the address, or the function that the code there jumps to if that is
/// `movabs $function, %r11; movabs $argument, %r10; jmp *%r11`. Fortran passes internal procedures
/// as such code, which it writes to its stack.
static void finishCallee(llvm::Module &M) {
  llvm::Function *Callee = undefinedFunction(M, CalleeName);
  if (!Callee)
    return;
  llvm::IRBuilder<> Build(M.getContext());
  auto NewBlock = [&] { return BasicBlock::Create(M.getContext(), "", Callee); };
  BasicBlock *Start = NewBlock(), *More = NewBlock(), *Through = NewBlock(), *Own = NewBlock();
  auto Load = [&](llvm::Type *What, unsigned Offset) {
    return Build.CreateAlignedLoad(
        What, Build.CreateConstGEP1_64(Build.getInt8Ty(), Callee->getArg(0), Offset),
        llvm::Align(1));
  };
  auto Has = [&](unsigned Offset, std::uint16_t Code) {
    return Build.CreateICmpEQ(Load(Build.getInt16Ty(), Offset), Build.getInt16(Code));
  };
  Build.SetInsertPoint(Start);
  Build.CreateCondBr(Has(0, 0xBB49), More, Own); // the rest only where there is more
  Build.SetInsertPoint(More);
  llvm::Value *IsJump = Build.CreateAnd(
      Has(20, 0xFF49), Build.CreateICmpEQ(Load(Build.getInt8Ty(), 22), Build.getInt8(0xE3)));
  Build.CreateCondBr(Build.CreateAnd(Has(10, 0xBA49), IsJump), Through, Own);
  Build.SetInsertPoint(Through);
  Build.CreateRet(Load(Build.getInt64Ty(), 2));
  Build.SetInsertPoint(Own);
  Build.CreateRet(Build.CreatePtrToInt(Callee->getArg(0), Build.getInt64Ty()));
}

/// `ergon.meet(slots, bytes of each, target)`: the slot in which to count the call, the target's
/// own or the shared one. An empty slot goes to the first target.
void finishTargets(llvm::Module &M) {
  finishCallee(M);
  llvm::Function *Meet = undefinedFunction(M, MeetName);
  if (!Meet)
    return;
  llvm::IRBuilder<> Build(M.getContext());
  auto NewBlock = [&] { return BasicBlock::Create(M.getContext(), "", Meet); };
  BasicBlock *Start = NewBlock(), *Body = NewBlock(), *Look = NewBlock(), *Other = NewBlock(),
             *Take = NewBlock(), *Found = NewBlock();
  llvm::Type *Number = Build.getInt64Ty();
  llvm::Value *Slots = Meet->getArg(0), *Bytes = Meet->getArg(1), *Target = Meet->getArg(2);
  constexpr auto Order = llvm::AtomicOrdering::Monotonic;
  Build.SetInsertPoint(Start);
  Build.CreateBr(Body);
  Build.SetInsertPoint(Body);
  llvm::PHINode *Index = Build.CreatePHI(Number, 3);
  Index->addIncoming(Build.getInt64(0), Start);
  llvm::Value *Slot =
      Build.CreateInBoundsGEP(Build.getInt8Ty(), Slots, Build.CreateMul(Index, Bytes));
  Build.CreateCondBr(Build.CreateICmpEQ(Index, Build.getInt64(NumSlots)), Found, Look);
  Build.SetInsertPoint(Look);
  llvm::Value *Next = Build.CreateAdd(Index, Build.getInt64(1));
  llvm::LoadInst *Held = Build.CreateAlignedLoad(Number, Slot, llvm::Align(8));
  Held->setAtomic(Order);
  Build.CreateCondBr(Build.CreateICmpEQ(Held, Target), Found, Other);
  Build.SetInsertPoint(Other);
  Index->addIncoming(Next, Other);
  Build.CreateCondBr(Build.CreateIsNull(Held), Take, Body);
  Build.SetInsertPoint(Take);
  llvm::Value *Before = Build.CreateExtractValue(
      Build.CreateAtomicCmpXchg(Slot, Build.getInt64(0), Target, llvm::MaybeAlign(8), Order, Order),
      0);
  Index->addIncoming(Next, Take);
  Build.CreateCondBr(Build.CreateOr(Build.CreateIsNull(Before), Build.CreateICmpEQ(Before, Target)),
                     Found, Body);
  Build.SetInsertPoint(Found);
  Build.CreateAtomicRMW(llvm::AtomicRMWInst::Add, Build.CreateConstInBoundsGEP1_64(Number, Slot, 1),
                        Build.getInt64(1), llvm::MaybeAlign(8), Order);
  Build.CreateRet(Slot);
}

/// Whether a pointer may lead to \p F, as far as its module shows. Not if the linker may drop it
/// with a COMDAT group.
static bool isTarget(const llvm::Function &F) {
  return !F.isIntrinsic() && !(F.hasLocalLinkage() && F.hasComdat()) &&
         !F.getName().starts_with("ergon.") && llvm::any_of(F.uses(), [](const llvm::Use &Use) {
           auto *Site = dyn_cast<CallBase>(Use.getUser());
           const bool IsPersonality = isa<llvm::Function>(Use.getUser());
           return !IsPersonality && !(Site && Site->isCallee(&Use));
         });
}

std::vector<llvm::Constant *> targetRows(llvm::Module &M) {
  llvm::IRBuilder<> Build(M.getContext());
  std::vector<llvm::Constant *> Result;
  for (llvm::Function &F : M)
    if (isTarget(F))
      Result.push_back(llvm::ConstantStruct::getAnon(
          {&F, Build.CreateGlobalString(F.getName(), "ergon.name", 0, &M),
           Build.getInt64(F.hasLocalLinkage())}));
  return Result;
}

/// The type of calls of \p F through pointers: a trampoline adds the last argument.
static const llvm::FunctionType *typeThroughPointers(const llvm::Function &F) {
  const llvm::FunctionType *Own = F.getFunctionType();
  if (F.arg_empty() || !F.getArg(unsigned(F.arg_size() - 1))->hasNestAttr())
    return Own;
  return llvm::FunctionType::get(Own->getReturnType(), Own->params().drop_back(), Own->isVarArg());
}

void addPointerCalls(llvm::Module &M, llvm::CallGraph &Calls) {
  llvm::DenseMap<const llvm::FunctionType *, std::vector<llvm::Function *>> Targets;
  for (llvm::Function &F : M)
    if (!F.isDeclaration() && isTarget(F))
      Targets[typeThroughPointers(F)].push_back(&F);
  for (llvm::Function &F : M)
    for (Instruction &I : llvm::instructions(F))
      if (auto *Site = dyn_cast<CallBase>(&I); Site && Site->isIndirectCall())
        for (llvm::Function *Target : Targets.lookup(Site->getFunctionType()))
          Calls[&F]->addCalledFunction(nullptr, Calls[Target]);
}

} // namespace ergon
