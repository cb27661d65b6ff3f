//===- ConstantPool.cpp - floating-point constants in memory --------------===//

#include "passes/access/ConstantPool.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>

namespace ergon {

/// The constant that is loaded for \p Operand, or null: +0.0 needs no load (xor).
static const llvm::ConstantFP *pooled(const llvm::Value &Operand) {
  auto *Whole = dyn_cast<llvm::Constant>(&Operand);
  if (Whole && Whole->getType()->isVectorTy())
    Whole = Whole->getSplatValue();
  auto *Number = dyn_cast_or_null<llvm::ConstantFP>(Whole);
  bool IsKept = Number && (Number->getType()->isFloatTy() || Number->getType()->isDoubleTy()) &&
                !Number->getValue().isPosZero();
  return IsKept ? Number : nullptr;
}

/// Whether it flips or clears a sign, with a 16-byte mask from memory.
static bool usesSignMask(const Instruction &I) {
  auto *Call = dyn_cast<llvm::IntrinsicInst>(&I);
  return I.getOpcode() == Instruction::FNeg ||
         (Call && (Call->getIntrinsicID() == llvm::Intrinsic::fabs ||
                   Call->getIntrinsicID() == llvm::Intrinsic::copysign));
}

static std::vector<Access> constantLoads(const llvm::Function &F) {
  if (!F.getParent()->getTargetTriple().isX86())
    return {};
  llvm::SetVector<const llvm::ConstantFP *> Numbers;
  llvm::SetVector<unsigned> Masks;
  for (const Instruction &I : llvm::instructions(F)) {
    if (usesSignMask(I))
      Masks.insert(I.getOpcode());
    if (isa<llvm::StoreInst>(I)) // through an integer register
      continue;
    for (const llvm::Value *Operand : I.operands())
      if (const llvm::ConstantFP *Number = pooled(*Operand))
        Numbers.insert(Number);
  }
  std::vector<Access> Result;
  long Offset = 0;
  auto Add = [&](unsigned Bytes) {
    Result.push_back({.What = Access::Kind::Load,
                      .Where = Space::Constant,
                      .Bytes = Bytes,
                      .Base = "(constants)",
                      .Offset = Expr(Offset)});
    Offset += Bytes;
  };
  for (std::size_t I = 0; I != Masks.size(); ++I)
    Add(16);
  for (const llvm::ConstantFP *Number : Numbers)
    Add(unsigned(Number->getType()->getPrimitiveSizeInBits().getFixedValue() / 8));
  return Result;
}

void addConstantLoads(const llvm::Function &F, Loop &Body) {
  std::vector<Access> Loads = constantLoads(F);
  if (Loads.empty())
    return;
  auto Unconditional = std::ranges::find(Body.Blocks, Expr(1), &Block::Runs);
  if (Unconditional == Body.Blocks.end() || Unconditional->How != Known::Exact)
    Unconditional = Body.Blocks.insert(Body.Blocks.begin(), Block{.Runs = 1});
  Unconditional->Accesses.insert(Unconditional->Accesses.begin(), Loads.begin(), Loads.end());
}

} // namespace ergon
