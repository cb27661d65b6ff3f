//===- AddressSpaces.cpp - memory spaces of pointers ----------------------===//

#include "passes/ir/AddressSpaces.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/TargetParser/Triple.h"

namespace ergon {

bool isDevice(const llvm::Module &M) { return M.getTargetTriple().isNVPTX(); }

bool isKernel(const llvm::Function &F) {
  return F.getCallingConv() == llvm::CallingConv::PTX_Kernel;
}

/// The address space in a pointer's type.
static std::optional<Space> spaceOfType(const llvm::Value &Pointer) {
  switch (Pointer.getType()->getPointerAddressSpace()) {
  case llvm::NVPTXAS::ADDRESS_SPACE_GLOBAL:
    return Space::Global;
  case llvm::NVPTXAS::ADDRESS_SPACE_SHARED:
  case llvm::NVPTXAS::ADDRESS_SPACE_SHARED_CLUSTER:
    return Space::Shared;
  case llvm::NVPTXAS::ADDRESS_SPACE_CONST:
    return Space::Constant;
  case llvm::NVPTXAS::ADDRESS_SPACE_LOCAL:
    return Space::Local;
  case llvm::NVPTXAS::ADDRESS_SPACE_PARAM:
    return Space::Param;
  default:
    return std::nullopt;
  }
}

/// A pointer that the host passed to a kernel in a structure, or as an integer: CUDA allows only
/// global memory there, which LLVM's NVPTXLowerArgs relies on.
static bool isPassed(const llvm::Value &Object) {
  const llvm::Value *Passed = &Object;
  if (auto *Cast = dyn_cast<llvm::IntToPtrInst>(Passed)) {
    Passed = Cast->getOperand(0);
    auto IsPointer = [](const llvm::User *User) { return isa<llvm::IntToPtrInst>(User); };
    if (!llvm::all_of(Passed->users(), IsPointer))
      return false;
    if (isa<llvm::Argument>(Passed))
      return true;
  }
  auto *Load = dyn_cast<llvm::LoadInst>(Passed);
  auto *From = Load ? dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(Load->getPointerOperand()))
                    : nullptr;
  return From && From->hasByValAttr();
}

static Space deviceSpaceOf(const llvm::Value &Object, const llvm::Function &F) {
  if (auto Typed = spaceOfType(Object))
    return *Typed;
  if (isa<llvm::AllocaInst>(Object))
    return Space::Local;
  if (auto *Argument = dyn_cast<llvm::Argument>(&Object); Argument && isKernel(F))
    return Argument->hasByValAttr() ? Space::Param : Space::Global;
  return isKernel(F) && isPassed(Object) ? Space::Global : Space::Generic;
}

static Space hostSpaceOf(const llvm::Value &Object) {
  auto *Argument = dyn_cast<llvm::Argument>(&Object);
  bool OnStack = Argument ? Argument->hasByValAttr() : isa<llvm::AllocaInst>(Object);
  return OnStack ? Space::Stack : Space::Memory;
}

Pointee pointeeOf(const llvm::Value &Pointer, const llvm::Function &F, const llvm::LoopInfo &LI) {
  bool Device = isDevice(*F.getParent());
  if (Device)
    if (auto Typed = spaceOfType(Pointer))
      return {*Typed, llvm::getUnderlyingObject(&Pointer)};
  SmallVector<const llvm::Value *, 4> Objects;
  llvm::getUnderlyingObjects(&Pointer, Objects, &LI);
  std::optional<Space> Where;
  for (const llvm::Value *Object : Objects) {
    Space Next = Device ? deviceSpaceOf(*Object, F) : hostSpaceOf(*Object);
    if (Where && *Where != Next)
      Next = Device ? Space::Generic : Space::Memory; // may be either
    Where = Next;
  }
  return {Where.value_or(Device ? Space::Generic : Space::Memory),
          Objects.size() == 1 ? Objects[0] : nullptr};
}

} // namespace ergon
