//===- VectorShuffles.cpp - costs of shuffles -----------------------------===//

#include "passes/incore/VectorShuffles.h"
#include "passes/opcodes/Operations.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

namespace ergon {

unsigned targetUnits(const Instruction &I, const llvm::TargetTransformInfo &TTI) {
  auto Cost = TTI.getInstructionCost(&I, llvm::TargetTransformInfo::TCK_SizeAndLatency);
  return Cost.isValid() ? unsigned(std::min<std::int64_t>(Cost.getValue(), 1000)) : 1;
}

/// Whether one instruction permutes all lanes of \p I's operand by any mask: AVX2 has them for
/// lanes of 4 and 8 bytes.
static bool isOnePermutation(const Instruction &I) {
  auto *Shuffle = dyn_cast<llvm::ShuffleVectorInst>(&I);
  StringRef Features = I.getFunction()->getFnAttribute("target-features").getValueAsString();
  static constexpr unsigned LaneBits = 32, RegisterBits = 256;
  return Shuffle && Shuffle->isSingleSource() && !Shuffle->changesLength() &&
         I.getType()->getScalarSizeInBits() >= LaneBits &&
         I.getType()->getPrimitiveSizeInBits().getKnownMinValue() <= RegisterBits &&
         Features.contains("+avx2");
}

/// The shuffles of as many registers as each has lanes, \p Registers, whose rows become columns: as
/// many steps as halvings, with one shuffle a register each. LLVM's cost takes each register apart.
static double transposition(unsigned Registers) {
  return Registers * double(llvm::Log2_32(Registers));
}

double shuffleUnits(const Instruction &I, const FunctionAnalyses &Analyses) {
  const double Alone = isOnePermutation(I) ? std::min(1U, targetUnits(I, Analyses.TTI))
                                           : targetUnits(I, Analyses.TTI);
  auto *Shuffle = dyn_cast<llvm::ShuffleVectorInst>(&I);
  if (!Shuffle)
    return Alone;
  const unsigned Lanes = unsigned(lanesOf(I.getType())),
                 Registers = std::max(1U, Analyses.TTI.getNumberOfParts(I.getType()));
  if (Lanes == Registers * Registers && llvm::isPowerOf2_32(Registers) &&
      llvm::ShuffleVectorInst::isInterleaveMask(Shuffle->getShuffleMask(), Registers, Lanes))
    return std::min(Alone, transposition(Registers));
  auto *Wide = dyn_cast<llvm::LoadInst>(I.getOperand(0));
  if (!Wide)
    return Alone;
  const unsigned Factor = unsigned(lanesOf(Wide->getType())) / Lanes;
  SmallVector<unsigned, 4> Fields;
  for (const llvm::User *User : Wide->users()) {
    auto *Part = dyn_cast<llvm::ShuffleVectorInst>(User);
    unsigned Field = 0;
    if (Factor < 2 || !Part || Part->getType() != I.getType() ||
        !llvm::ShuffleVectorInst::isDeInterleaveMaskOfFactor(Part->getShuffleMask(), Factor, Field))
      return Alone;
    Fields.push_back(Field);
  }
  llvm::sort(Fields);
  if (Registers == 1 && Lanes == Factor && Fields.size() == Factor && llvm::isPowerOf2_32(Factor))
    return std::min(Alone, transposition(Factor) / Factor);
  static constexpr auto Kind = llvm::TargetTransformInfo::TCK_RecipThroughput;
  auto Together = Analyses.TTI.getInterleavedMemoryOpCost(Instruction::Load, Wide->getType(),
                                                          Factor, Fields, Wide->getAlign(),
                                                          Wide->getPointerAddressSpace(), Kind) -
                  Analyses.TTI.getMemoryOpCost(Instruction::Load, Wide->getType(), Wide->getAlign(),
                                               Wide->getPointerAddressSpace(), Kind);
  return Together.isValid() ? std::min(Alone, double(Together.getValue()) / double(Fields.size()))
                            : Alone;
}

} // namespace ergon
