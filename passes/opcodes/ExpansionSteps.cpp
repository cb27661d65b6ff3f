//===- ExpansionSteps.cpp - flops that a GPU executes ---------------------===//

#include "passes/opcodes/ExpansionSteps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

#include <string>

namespace ergon {

namespace {
/// Flops of the shortest ordinary way, and of the longest one.
struct StepRange {
  long Low, High;
};
/// An instruction and its steps.
struct Expansion {
  StringRef Name;
  StepRange F32, F64;
};
} // namespace

// What ptxas 13.0 writes for sm_75 to sm_89, as scripts/expansion-steps.py finds it. An operand at
// the ends of its range takes a way through a subroutine.
static constexpr Expansion Expansions[] = {
#include "passes/opcodes/ExpansionSteps.inc"
};

static void addRange(FloatType Type, StepRange Range, Tally &Sum, long Lanes) {
  Sum.add(of(CostClass::StepsLow, Type), Range.Low * Lanes);
  Sum.add(of(CostClass::StepsHigh, Type), Range.High * Lanes);
}

/// Adds the steps of the instruction with that whole name; false where it has none.
static bool addNamed(StringRef Name, Tally &Sum, long Lanes) {
  const auto *Found = llvm::find_if(Expansions, [&](const Expansion &E) { return E.Name == Name; });
  if (Found == std::end(Expansions))
    return false;
  addRange(FloatType::F32, Found->F32, Sum, Lanes);
  addRange(FloatType::F64, Found->F64, Sum, Lanes);
  return true;
}

void addSteps(ArrayRef<StringRef> Name, FloatType Type, Tally &Sum, long Lanes) {
  std::string Whole = Name[0].str();
  for (StringRef Word : {"rn", "full", "approx"})
    if (llvm::is_contained(Name, Word))
      Whole += "." + Word.str();
  if (llvm::any_of(Name, [](StringRef W) { return W == "rz" || W == "rm" || W == "rp"; }))
    Whole += ".rn"; // has the same steps
  if (llvm::is_contained(Name, "ftz"))
    Whole += ".ftz";
  addNamed(Whole + (Type == FloatType::F64 ? ".f64" : ".f32"), Sum, Lanes);
}

/// The flops of the sums that \p Product is contracted with, beyond one for each sum and one for
/// the product. Each sum may get a multiplication of its own.
static long repeatedFlops(const Instruction &Product) {
  if (!Product.hasAllowContract())
    return 0;
  long Sums = 0;
  bool OnlySums = true;
  auto Visit = [&](const llvm::User *User) {
    auto *Sum = dyn_cast<Instruction>(User);
    const bool IsSum =
        Sum && Sum->hasAllowContract() &&
        (Sum->getOpcode() == Instruction::FAdd || Sum->getOpcode() == Instruction::FSub);
    Sums += IsSum;
    OnlySums &= IsSum;
  };
  for (const llvm::User *User : Product.users())
    if (auto *Negation = dyn_cast<Instruction>(User);
        Negation && Negation->getOpcode() == Instruction::FNeg)
      llvm::for_each(Negation->users(), Visit);
    else
      Visit(User);
  return OnlySums ? std::max(Sums - 1, 0L) : Sums;
}

/// Whether a change of the sign of \p I's operand is an instruction of its own: a sum with zero.
/// Arithmetic has it in its operands.
static bool isStandalone(const Instruction &I) {
  return llvm::any_of(I.users(), [](const llvm::User *User) {
    return !isa<llvm::BinaryOperator, llvm::FCmpInst, llvm::CallBase>(User);
  });
}

/// A division as LLVM's NVPTX back end selects it: NVPTXISelLowering.cpp, getDivF32Level().
static void addDivision(const Instruction &I, Tally &Sum, long Lanes, StringRef Flush) {
  using namespace llvm::PatternMatch;
  const bool IsDouble = I.getType()->getScalarType()->isDoubleTy();
  const std::string Rest = IsDouble ? ".f64" : (Flush + ".f32").str();
  const bool IsReciprocal = match(I.getOperand(0), m_SpecificFP(1.0));
  std::string Name = IsReciprocal ? "rcp.rn" : "div.rn";
  if (!IsDouble && I.hasApproxFunc()) {
    const bool IsOfRoot = match(I.getOperand(1), m_Intrinsic<llvm::Intrinsic::sqrt>(m_Value()));
    Name = !IsReciprocal ? "div.approx" : IsOfRoot ? "rsqrt.approx" : "rcp.approx";
  }
  Name += Rest;
  const bool IsByConstant = !IsReciprocal && isa<llvm::Constant>(I.getOperand(1));
  if (!IsByConstant || !addNamed(Name + ".constant", Sum, Lanes))
    addNamed(Name, Sum, Lanes);
}

/// The instruction that LLVM's own function \p Id becomes.
static StringRef instructionOf(llvm::Intrinsic::ID Id) {
  switch (Id) {
  case llvm::Intrinsic::sqrt:
  case llvm::Intrinsic::nvvm_sqrt_f:
    return "sqrt";
  case llvm::Intrinsic::sin:
    return "sin";
  case llvm::Intrinsic::cos:
    return "cos";
  case llvm::Intrinsic::exp2:
    return "ex2";
  case llvm::Intrinsic::log2:
    return "lg2";
  default:
    return "";
  }
}

static void addIntrinsic(const llvm::IntrinsicInst &I, Tally &Sum, long Lanes, StringRef Flush) {
  const FloatType Type = floatTypeOf(I.getType());
  if (I.getIntrinsicID() == llvm::Intrinsic::fabs)
    return addRange(Type, {0, isStandalone(I)}, Sum, Lanes);
  SmallVector<StringRef, 6> Words;
  if (StringRef Name = instructionOf(I.getIntrinsicID()); !Name.empty()) {
    const bool IsRounded = Name == "sqrt" && (Type == FloatType::F64 || !I.hasApproxFunc());
    Words = {Name, IsRounded ? "rn" : "approx"};
    if (!Flush.empty() && Type != FloatType::F64)
      Words.push_back("ftz");
  } else if (StringRef Whole = llvm::Intrinsic::getBaseName(I.getIntrinsicID());
             Whole.consume_front("llvm.nvvm.")) {
    Whole.split(Words, '.');
  }
  if (!Words.empty())
    addSteps(Words, Type, Sum, Lanes);
}

void addSteps(const Instruction &I, Tally &Sum) {
  const long Lanes = lanesOf(I.getType());
  const StringRef Flush = I.getFunction()->getDenormalMode(llvm::APFloat::IEEEsingle()).Output ==
                                  llvm::DenormalMode::PreserveSign
                              ? ".ftz"
                              : "";
  switch (I.getOpcode()) {
  case Instruction::FDiv:
    return addDivision(I, Sum, Lanes, Flush);
  case Instruction::FRem: // x - y·trunc(x/y): a fused operation, of which one flop is counted
    addDivision(I, Sum, Lanes, Flush);
    return addRange(floatTypeOf(I.getType()), {1, 1}, Sum, Lanes);
  case Instruction::FMul:
    return addRange(floatTypeOf(I.getType()), {0, repeatedFlops(I)}, Sum, Lanes);
  case Instruction::FNeg:
    return addRange(floatTypeOf(I.getType()), {0, isStandalone(I)}, Sum, Lanes);
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    if (I.getType()->getScalarSizeInBits() <= 16 && !isa<llvm::Constant>(I.getOperand(1)))
      addNamed("div.u16", Sum, Lanes);
    return;
  case Instruction::Call:
    if (auto *Intrinsic = dyn_cast<llvm::IntrinsicInst>(&I))
      addIntrinsic(*Intrinsic, Sum, Lanes, Flush);
    return;
  default:
    return;
  }
}

} // namespace ergon
