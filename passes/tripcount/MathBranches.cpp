//===- MathBranches.cpp - branches in math functions ----------------------===//

#include "passes/tripcount/MathBranches.h"
#include "passes/ir/AddressSpaces.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/Path.h"

#include <cstdint>
#include <optional>

namespace ergon {

/// Whether \p Branch is in libdevice code: its functions, or inlined from clang's header.
static bool isMathCode(const llvm::BranchInst &Branch) {
  const llvm::Function &F = *Branch.getFunction();
  if (!isDevice(*F.getParent()))
    return false;
  if (F.getName().starts_with("__nv_") || F.getName().starts_with("__internal_"))
    return true;
  const llvm::DebugLoc &Position = Branch.getDebugLoc();
  if (!Position)
    return false;
  StringRef File = llvm::sys::path::filename(Position->getFilename());
  return File == "__clang_cuda_math.h" || File == "__clang_cuda_device_functions.h";
}

/// The result of comparing an argument's bits with infinity: of a float, or the upper half of a
/// double.
static std::optional<bool> isBelowInfinity(const llvm::ICmpInst &Compare) {
  using namespace llvm::PatternMatch;
  const llvm::APInt *Bits;
  if (!match(Compare.getOperand(1), m_APInt(Bits)) || Bits->getBitWidth() != 32)
    return std::nullopt;
  // The optimizer writes <= with the constant of <, plus one.
  auto IsInfinity = [&](std::uint32_t Value) {
    return Bits->getZExtValue() <= Value && Bits->getZExtValue() + 2 > Value;
  };
  if (!IsInfinity(0x7F800000) && !IsInfinity(0x7FF00000))
    return std::nullopt;
  llvm::CmpInst::Predicate How = Compare.getPredicate();
  return llvm::CmpInst::isRelational(How) ? llvm::ICmpInst::isLT(How) || llvm::ICmpInst::isLE(How)
                                          : How == llvm::CmpInst::ICMP_NE;
}

/// The result of comparing a number of ordinary size, 2^-100 to 2^100, with one beyond.
static std::optional<bool> withinLimits(const llvm::FCmpInst &Compare) {
  using namespace llvm::PatternMatch;
  static constexpr int MostExponent = 100;
  const llvm::APFloat *Limit;
  if (!match(Compare.getOperand(1), m_APFloat(Limit)) || !Limit->isFiniteNonZero())
    return std::nullopt;
  const int Exponent = llvm::ilogb(*Limit);
  const llvm::CmpInst::Predicate How = llvm::CmpInst::getOrderedPredicate(Compare.getPredicate());
  const bool IsLess = How == llvm::CmpInst::FCMP_OLT || How == llvm::CmpInst::FCMP_OLE;
  if (Exponent > MostExponent)
    return IsLess != Limit->isNegative();
  if (Exponent < -MostExponent && match(Compare.getOperand(0), m_FAbs(m_Value())))
    return !IsLess;
  return std::nullopt;
}

/// The result of comparing a positive number with zero.
static bool isAboveZero(const llvm::FCmpInst &Compare) {
  const llvm::CmpInst::Predicate How = llvm::CmpInst::getOrderedPredicate(Compare.getPredicate());
  return How == llvm::CmpInst::FCMP_OGT || How == llvm::CmpInst::FCMP_OGE;
}

/// Whether ordinary numbers never lead from \p From to \p To. Looks at the branches before while
/// only one leads there.
static bool isUnusualWay(const BasicBlock *From, const BasicBlock *To, unsigned Depth) {
  static constexpr unsigned MaxBranches = 4;
  for (unsigned I = 0; From && I != MaxBranches; ++I) {
    auto *Branch = dyn_cast<llvm::BranchInst>(From->getTerminator());
    if (Branch && Branch->isConditional() && Branch->getSuccessor(0) != Branch->getSuccessor(1))
      if (auto Holds = ordinarily(Branch->getCondition(), /*HaveSign=*/false, Depth + 2);
          Holds && Branch->getSuccessor(*Holds ? 0 : 1) != To)
        return true;
    To = From;
    From = From->getSinglePredecessor();
  }
  return false;
}

/// The constant that \p Value holds as long as numbers are ordinary: where only others are added to
/// a sum, it stays what it was. Null where there is none.
static const llvm::ConstantFP *ordinaryNumber(const llvm::Value *Value, unsigned Depth) {
  static constexpr std::size_t MaxValues = 16;
  llvm::SmallSetVector<const llvm::Value *, MaxValues> Open;
  Open.insert(Value);
  const llvm::ConstantFP *Result = nullptr;
  for (std::size_t I = 0; I != Open.size(); ++I) {
    if (I == MaxValues)
      return nullptr;
    if (auto *Constant = dyn_cast<llvm::ConstantFP>(Open[I])) {
      if (Result && Result != Constant)
        return nullptr;
      Result = Constant;
    } else if (auto *Choice = dyn_cast<llvm::SelectInst>(Open[I])) {
      const auto Holds = ordinarily(Choice->getCondition(), /*HaveSign=*/false, Depth + 2);
      if (Holds != false)
        Open.insert(Choice->getTrueValue());
      if (Holds != true)
        Open.insert(Choice->getFalseValue());
    } else if (auto *Phi = dyn_cast<llvm::PHINode>(Open[I])) {
      for (unsigned Way = 0; Way != Phi->getNumIncomingValues(); ++Way)
        if (!isUnusualWay(Phi->getIncomingBlock(Way), Phi->getParent(), Depth))
          Open.insert(Phi->getIncomingValue(Way));
    } else {
      return nullptr;
    }
  }
  return Result;
}

std::optional<bool> ordinarily(const llvm::Value *Condition, bool HaveSign, unsigned Depth) {
  using namespace llvm::PatternMatch;
  static constexpr unsigned MaxDepth = 4;
  const llvm::Value *L, *R;
  if (Depth >= MaxDepth)
    return std::nullopt;
  bool IsOr = match(Condition, m_LogicalOr(m_Value(L), m_Value(R)));
  if (IsOr || match(Condition, m_LogicalAnd(m_Value(L), m_Value(R)))) {
    auto Left = ordinarily(L, HaveSign, Depth + 1), Right = ordinarily(R, HaveSign, Depth + 1);
    if (Left == IsOr || Right == IsOr)
      return IsOr;
    return Left && Right ? std::optional(!IsOr) : std::nullopt;
  }
  if (auto *Compare = dyn_cast<llvm::ICmpInst>(Condition))
    return isBelowInfinity(*Compare);
  auto *Compare = dyn_cast<llvm::FCmpInst>(Condition);
  if (!Compare)
    return std::nullopt;
  if (auto *Limit = dyn_cast<llvm::ConstantFP>(Compare->getOperand(1));
      Limit && isa<llvm::PHINode, llvm::SelectInst>(Compare->getOperand(0)))
    if (auto *Number = ordinaryNumber(Compare->getOperand(0), Depth))
      return llvm::FCmpInst::compare(Number->getValueAPF(), Limit->getValueAPF(),
                                     Compare->getPredicate());
  switch (Compare->getPredicate()) {
  case llvm::CmpInst::FCMP_OEQ:
  case llvm::CmpInst::FCMP_UEQ:
  case llvm::CmpInst::FCMP_UNO:
    return false;
  case llvm::CmpInst::FCMP_ONE:
  case llvm::CmpInst::FCMP_UNE:
  case llvm::CmpInst::FCMP_ORD:
    return true;
  default:
    return HaveSign && match(Compare->getOperand(1), m_AnyZeroFP()) ? isAboveZero(*Compare)
                                                                    : withinLimits(*Compare);
  }
}

const BasicBlock *ordinaryWay(const llvm::BranchInst &Branch) {
  if (!Branch.isConditional() || !isMathCode(Branch))
    return nullptr;
  const BasicBlock *True = Branch.getSuccessor(0), *False = Branch.getSuccessor(1);
  if (auto Holds = ordinarily(Branch.getCondition()))
    return *Holds ? True : False;
  // Beyond some bound: a detour after which both paths join.
  auto IsDetour = [&](const BasicBlock *Way, const BasicBlock *Other) {
    return Way->getSinglePredecessor() == Branch.getParent() && Other->hasNPredecessorsOrMore(2);
  };
  if (IsDetour(True, False))
    return False;
  return IsDetour(False, True) ? True : nullptr;
}

} // namespace ergon
