//===- DeviceBlocks.cpp - machine instructions of device blocks -----------===//

#include "passes/device/DeviceBlocks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <array>

namespace ergon {

unsigned DeviceBlocks::addLoop(unsigned Parent) {
  Loops.push_back({.Parent = Parent});
  return unsigned(Loops.size() - 1);
}

unsigned DeviceBlocks::addBlock(unsigned Loop) {
  LoopOf.push_back(Loop);
  const auto Number = unsigned(LoopOf.size() - 1);
  if (!Loops[Loop].First)
    Loops[Loop].First = Number;
  return Number;
}

static double flopsOf(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
    return I.getType()->isFloatTy() || I.getType()->isDoubleTy() ? 1 : 0;
  default:
    break;
  }
  auto *Site = dyn_cast<llvm::IntrinsicInst>(&I);
  return Site && (Site->getIntrinsicID() == llvm::Intrinsic::fma ||
                  Site->getIntrinsicID() == llvm::Intrinsic::fmuladd)
             ? 2
             : 0;
}

static double bytesOf(const Instruction &I) {
  const llvm::DataLayout &Layout = I.getDataLayout();
  auto *Load = dyn_cast<llvm::LoadInst>(&I);
  auto *Store = dyn_cast<llvm::StoreInst>(&I);
  if (!Load && !Store)
    return isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(I) ? 4 : 0;
  return double(
      Layout.getTypeStoreSize(Load ? Load->getType() : Store->getValueOperand()->getType())
          .getKnownMinValue());
}

/// Instructions of the unit for functions that \p I becomes.
static double functionsOf(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FDiv:
  case Instruction::FPToSI:
  case Instruction::FPToUI:
    return 1;
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem: // by way of floating point, to which and from which it is converted
    return I.getType()->isIntegerTy() && I.getType()->getIntegerBitWidth() <= 32 &&
                   !isa<llvm::Constant>(I.getOperand(1))
               ? 3
               : 0;
  default:
    break;
  }
  auto *Site = dyn_cast<llvm::IntrinsicInst>(&I);
  if (!Site)
    return 0;
  switch (Site->getIntrinsicID()) {
  case llvm::Intrinsic::sqrt:
  case llvm::Intrinsic::floor:
  case llvm::Intrinsic::ceil:
  case llvm::Intrinsic::trunc:
  case llvm::Intrinsic::rint:
  case llvm::Intrinsic::ctpop:
  case llvm::Intrinsic::ctlz:
  case llvm::Intrinsic::bitreverse:
    return 1;
  default:
    break;
  }
  const StringRef Name = Site->getCalledFunction()->getName();
  static constexpr std::array Functions{"sqrt", "div", "rcp", "rsqrt", "ex2", "lg2", "sin", "cos"};
  return llvm::any_of(Functions, [&](const char *Each) {
    return Name.starts_with((llvm::Twine("llvm.nvvm.") + Each).str());
  });
}

/// Whether \p I becomes a sequence with sums and products of its own.
static bool hasSteps(const Instruction &I) {
  if (I.getOpcode() == Instruction::FDiv || I.getOpcode() == Instruction::FRem)
    return true;
  auto *Site = dyn_cast<CallBase>(&I);
  return Site && I.getType()->isFPOrFPVectorTy() && flopsOf(I) == 0;
}

unsigned DeviceBlocks::operationOf(const Instruction &I) {
  auto *Site = dyn_cast<llvm::IntrinsicInst>(&I);
  return I.getOpcode() << 16 | (Site ? Site->getIntrinsicID() : 0);
}

void DeviceBlocks::add(const Instruction &I, unsigned Block) {
  if (Block != 0) {
    LoopNote &Around = Loops[LoopOf[Block]];
    ++Around.Instructions;
    Around.Functions += functionsOf(I);
    Executed.insert(I.getParent());
  }
  const DevicePositions::Key Position = DevicePositions::keyOf(I);
  auto &Here = Parts[Position];
  auto Found = llvm::find_if(Here, [&](const Part &P) { return P.Block == Block; });
  if (Found == Here.end())
    Found = Here.insert(Here.end(), Part{Block});
  Found->Bytes += bytesOf(I);
  Found->Flops += flopsOf(I);
  Found->HasSteps |= hasSteps(I);
  Operations[{Position, operationOf(I)}].push_back(Block);
}

void DeviceBlocks::addUnexecuted(const llvm::Function &F) {
  for (const BasicBlock &B : F)
    if (!Executed.contains(&B))
      for (const Instruction &I : B)
        add(I, 0);
}

} // namespace ergon
