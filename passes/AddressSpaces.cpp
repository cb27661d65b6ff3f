//===- AddressSpaces.cpp - where an access goes ---------------------------===//

#include "passes/AddressSpaces.h"

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

/// The space that a pointer's type says it points into.
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

static Space deviceSpaceOf(const llvm::Value &Object, const llvm::Function &F) {
  if (auto Typed = spaceOfType(Object))
    return *Typed;
  if (llvm::isa<llvm::AllocaInst>(Object))
    return Space::Local;
  if (auto *Argument = llvm::dyn_cast<llvm::Argument>(&Object); Argument && isKernel(F))
    return Argument->hasByValAttr() ? Space::Param : Space::Global;
  // A pointer in a structure that the host passed by value: CUDA lets it point
  // to global memory only.
  if (auto *Load = llvm::dyn_cast<llvm::LoadInst>(&Object); Load && isKernel(F)) {
    const llvm::Value *From = llvm::getUnderlyingObject(Load->getPointerOperand());
    auto *Argument = llvm::dyn_cast<llvm::Argument>(From);
    if (Argument && Argument->hasByValAttr())
      return Space::Global;
  }
  return Space::Generic;
}

static Space hostSpaceOf(const llvm::Value &Object) {
  auto *Argument = llvm::dyn_cast<llvm::Argument>(&Object);
  bool OnStack = Argument ? Argument->hasByValAttr() : llvm::isa<llvm::AllocaInst>(Object);
  return OnStack ? Space::Stack : Space::Memory;
}

Pointee pointeeOf(const llvm::Value &Pointer, const llvm::Function &F, const llvm::LoopInfo &LI) {
  bool Device = isDevice(*F.getParent());
  if (Device)
    if (auto Typed = spaceOfType(Pointer)) {
      const llvm::Value *Object = llvm::getUnderlyingObject(&Pointer);
      return {*Typed, Object};
    }
  llvm::SmallVector<const llvm::Value *, 4> Objects;
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
