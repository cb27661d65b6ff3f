//===- MaskedAccesses.cpp - masked loads and stores -----------------------===//

#include "passes/opcodes/MaskedAccesses.h"
#include "passes/opcodes/Operations.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace ergon {

namespace Intrinsic = llvm::Intrinsic;

namespace {
/// Which operands of an intrinsic say what. Data: of a load, its result.
struct Layout {
  unsigned Pointer, Mask;
  std::optional<unsigned> Data;
  bool Lane = false;
};
} // namespace

/// x86's own, by the words of their names: `avx.maskload.pd.256`, `avx2.gather.d.pd`.
static std::optional<Layout> layoutOfX86(StringRef Name) {
  if (!Name.consume_front("llvm.x86."))
    return std::nullopt;
  StringRef Base = Name.split('.').second.take_until([](char C) { return C == '.'; });
  return llvm::StringSwitch<std::optional<Layout>>(Base)
      .Case("maskload", Layout{0, 1, std::nullopt})
      .Case("maskstore", Layout{0, 1, 2})
      .Case("gather", Layout{1, 3, std::nullopt, true})
      .Case("maskmov", Layout{2, 1, 0})
      .Default(std::nullopt);
}

static std::optional<Layout> layoutOf(const llvm::IntrinsicInst &I) {
  switch (I.getIntrinsicID()) {
  case Intrinsic::masked_load:
  case Intrinsic::masked_expandload:
    return Layout{0, 1, std::nullopt};
  case Intrinsic::masked_store:
  case Intrinsic::masked_compressstore:
    return Layout{1, 2, 0};
  case Intrinsic::masked_gather:
    return Layout{0, 1, std::nullopt, true};
  case Intrinsic::masked_scatter:
    return Layout{1, 2, 0, true};
  default:
    return layoutOfX86(I.getCalledFunction()->getName());
  }
}

std::optional<MaskedAccess> maskedAccess(const Instruction &I) {
  auto *Site = dyn_cast<llvm::IntrinsicInst>(&I);
  auto Found = Site ? layoutOf(*Site) : std::nullopt;
  if (!Found)
    return std::nullopt;
  llvm::Type *Data = Found->Data ? Site->getArgOperand(*Found->Data)->getType() : Site->getType();
  if (!Data->isVectorTy())
    return std::nullopt;
  MaskedAccess Result{Site->getArgOperand(Found->Pointer), !Found->Data, 1, 0, true};
  // A vector of pointers mostly has one base.
  if (auto *Address = dyn_cast<llvm::GEPOperator>(Result.Pointer);
      Address && !Address->getPointerOperandType()->isVectorTy())
    Result.Pointer = Address->getPointerOperand();
  Result.Bytes = long(I.getDataLayout().getTypeStoreSize(Data).getKnownMinValue());
  if (Found->Lane) {
    Result.Times = lanesOf(Data);
    Result.Bytes /= Result.Times;
  }
  auto *Mask = dyn_cast<llvm::Constant>(Site->getArgOperand(Found->Mask));
  Result.IsBound = !Mask || !Mask->isAllOnesValue();
  return Result;
}

} // namespace ergon
