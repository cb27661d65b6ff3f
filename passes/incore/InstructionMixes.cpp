//===- InstructionMixes.cpp - instruction mixes of code -------------------===//

#include "passes/incore/InstructionMixes.h"
#include "passes/incore/VectorShuffles.h"
#include "passes/opcodes/MaskedAccesses.h"
#include "passes/opcodes/OperationCounts.h"
#include "passes/opcodes/Operations.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

namespace ergon {

namespace Intrinsic = llvm::Intrinsic;

/// `f64`, `i32`; of pointers the integer of their size.
static std::string elementName(const llvm::Type *T, const llvm::DataLayout &Layout) {
  const llvm::Type *Element = T->getScalarType();
  if (Element->isBFloatTy())
    return "bf16";
  unsigned Bits = Element->isPointerTy()    ? Layout.getPointerSizeInBits()
                  : Element->isX86_FP80Ty() ? 80
                                            : unsigned(Element->getPrimitiveSizeInBits());
  if (!Element->isFloatingPointTy()) // narrower integers use a 32-bit register
    Bits = isa<llvm::VectorType>(T) ? std::max(8U, Bits) : Bits > 32 ? 64 : 32;
  return (Element->isFloatingPointTy() ? "f" : "i") + std::to_string(Bits);
}

/// A value that fits registers takes one instruction per register.
void InstructionMixer::put(const char *Operation, llvm::Type *T, InstructionMix &Mix,
                           double Times) const {
  unsigned Parts = isa<llvm::VectorType>(T) ? std::max(1U, Analyses.TTI.getNumberOfParts(T)) : 1;
  std::string Element = elementName(T, Analyses.Layout);
  unsigned Lane = Analyses.Layout.getTypeSizeInBits(T->getScalarType()).getFixedValue();
  static constexpr std::uint64_t VectorBits = 128; // the narrowest register
  unsigned Bits =
      unsigned(std::max(VectorBits, llvm::PowerOf2Ceil(Lane * unsigned(lanesOf(T)) / Parts)));
  if (!isa<llvm::VectorType>(T))
    Bits = T->getScalarType()->isFloatingPointTy() ? Lane : Lane > 32 ? 64 : 32;
  Mix.Counts[{Operation, std::move(Element), Bits}] += Parts * Times;
  Mix.Slots += Parts * Times;
}

void InstructionMixer::addByTarget(const Instruction &I, const char *Operation,
                                   InstructionMix &Mix) const {
  const double Units = shuffleUnits(I, Analyses);
  if (Units <= 0)
    return;
  llvm::Type *T = I.getType();
  unsigned Parts = isa<llvm::VectorType>(T) ? std::max(1U, Analyses.TTI.getNumberOfParts(T)) : 1;
  put(Operation, T, Mix, Units / Parts);
}

/// The lane width in bits of the comparison behind a mask: without mask registers its lanes are all
/// ones or none, of this width. 0 where unknown.
static unsigned laneBits(const llvm::Value &Mask, const llvm::DataLayout &Layout) {
  auto *I = dyn_cast<Instruction>(&Mask);
  if (!I || !isa<llvm::VectorType>(I->getType()) ||
      I->getFunction()->getFnAttribute("target-features").getValueAsString().contains("+avx512f"))
    return 0;
  if (isa<llvm::CmpInst>(I))
    return unsigned(Layout.getTypeSizeInBits(I->getOperand(0)->getType()->getScalarType()));
  if (auto *Choice = dyn_cast<llvm::SelectInst>(I);
      Choice && I->getType()->getScalarSizeInBits() == 1)
    return laneBits(*Choice->getCondition(), Layout); // one mask and another
  return isa<llvm::BinaryOperator>(I) ? laneBits(*I->getOperand(0), Layout) : 0;
}

/// Adds instructions that convert the lane width of \p Mask to that of \p To.
void InstructionMixer::addMask(const llvm::Value &Mask, llvm::Type *To, InstructionMix &Mix) const {
  const unsigned Have = laneBits(Mask, Analyses.Layout),
                 Want = unsigned(Analyses.Layout.getTypeSizeInBits(To->getScalarType()));
  if (Have == 0 || Have == Want || Want == 1)
    return;
  auto Lanes = [&](unsigned Bits) {
    return llvm::VectorType::get(llvm::IntegerType::get(To->getContext(), Bits),
                                 cast<llvm::VectorType>(To)->getElementCount());
  };
  auto Units = Analyses.TTI.getCastInstrCost(Have < Want ? Instruction::SExt : Instruction::Trunc,
                                             Lanes(Want), Lanes(Have),
                                             llvm::TargetTransformInfo::CastContextHint::None,
                                             llvm::TargetTransformInfo::TCK_SizeAndLatency);
  if (Units.isValid() && Units != 0)
    put(Have < Want ? "extend" : "shuffle", Lanes(Want), Mix,
        double(Units.getValue()) / std::max(1U, Analyses.TTI.getNumberOfParts(To)));
}

static bool isOfSums(const Instruction &I) {
  return llvm::all_of(I.users(), [](const llvm::User *User) {
    auto *Sum = dyn_cast<Instruction>(User);
    return Sum && (Sum->getOpcode() == Instruction::Add || Sum->getOpcode() == Instruction::Sub);
  });
}

/// Whether a gather can take the index of \p Address as it is: it scales by 1, 2, 4 or 8 bytes.
static bool isScaledByGather(const llvm::GetElementPtrInst &Address,
                             const llvm::DataLayout &Layout) {
  static constexpr std::uint64_t Largest = 8;
  const std::uint64_t Scale = Layout.getTypeAllocSize(Address.getSourceElementType());
  return Address.getNumIndices() == 1 && !Address.getPointerOperand()->getType()->isVectorTy() &&
         Scale <= Largest && llvm::isPowerOf2_64(Scale);
}

/// Whether \p I extends indices of 32 bits that gathers and scatters take as they are.
static bool isIndexOfLanes(const Instruction &I, const llvm::DataLayout &Layout) {
  return isa<llvm::SExtInst>(I) && I.getType()->isVectorTy() && !I.use_empty() &&
         I.getOperand(0)->getType()->getScalarSizeInBits() == 32 &&
         llvm::all_of(I.users(), [&](const llvm::User *User) {
           auto *Address = dyn_cast<llvm::GetElementPtrInst>(User);
           return Address && isScaledByGather(*Address, Layout);
         });
}

void InstructionMixer::addConversion(const Instruction &I, InstructionMix &Mix) const {
  bool IsFloat = I.getType()->isFPOrFPVectorTy() || I.getOperand(0)->getType()->isFPOrFPVectorTy();
  if (isa<llvm::BitCastInst>(I) || targetUnits(I, Analyses.TTI) == 0)
    return;
  if (laneBits(*I.getOperand(0), Analyses.Layout)) {
    addMask(*I.getOperand(0), I.getType(), Mix);
    // A sign extension, unless a sum subtracts -1 instead.
    const bool IsWider =
        laneBits(*I.getOperand(0), Analyses.Layout) < I.getType()->getScalarSizeInBits();
    if (!isa<llvm::SExtInst>(I) && (IsWider || !isOfSums(I)))
      put("logic", I.getType(), Mix);
    return;
  }
  if (isIndexOfLanes(I, Analyses.Layout)) // gathers take 32-bit indices
    return;
  if (!IsFloat)
    return addByTarget(I, isa<llvm::VectorType>(I.getType()) ? "extend" : "logic", Mix);
  // The wider side determines the number of registers.
  llvm::Type *From = I.getOperand(0)->getType(), *To = I.getType();
  put("convert", To->getScalarSizeInBits() >= From->getScalarSizeInBits() ? To : From, Mix);
}

/// A division by a constant becomes a multiplication with corrections.
void InstructionMixer::addDivision(const Instruction &I, InstructionMix &Mix) const {
  const llvm::APInt *Divisor;
  if (!llvm::PatternMatch::match(I.getOperand(1), llvm::PatternMatch::m_APInt(Divisor)))
    return put("div", I.getType(), Mix, double(lanesOf(I.getType())));
  bool IsSigned = I.getOpcode() == Instruction::SDiv || I.getOpcode() == Instruction::SRem;
  bool IsRest = I.getOpcode() == Instruction::SRem || I.getOpcode() == Instruction::URem;
  if (Divisor->abs().isPowerOf2())
    return put("logic", I.getType(), Mix, IsSigned ? 3 : 1);
  put("mul", I.getType(), Mix, IsRest ? 2 : 1);
  put("logic", I.getType(), Mix, IsSigned ? 3 : 1);
  if (IsRest)
    put("add", I.getType(), Mix);
}

/// The library function's name without its type suffix; empty if it is not mathematical.
static std::string mathName(const CallBase &Site, const llvm::TargetLibraryInfo &TLI) {
  const llvm::Function *Callee = Site.getCalledFunction();
  if (!Callee)
    return "";
  Intrinsic::ID Id = Callee->getIntrinsicID();
  if (Id != Intrinsic::sincos && OperationCounts::intrinsicOperation(Id) == Operation::Special)
    return Intrinsic::getBaseName(Id).drop_front(sizeof("llvm.") - 1).str();
  llvm::LibFunc Function;
  if (!TLI.getLibFunc(Site, Function) || !Site.getType()->isFloatingPointTy() ||
      OperationCounts::libraryOperation(Site, TLI) != Operation::Special)
    return "";
  StringRef Name = TLI.getName(Function);
  if (!Site.getType()->isDoubleTy())
    Name = Name.drop_back();
  return Name.str();
}

/// The bits of the widest index that selects the lanes' addresses \p Pointers: 32 where an offset
/// from one base is known to fit.
static unsigned indexBits(const llvm::Value *Pointers, const llvm::DataLayout &Layout) {
  static constexpr unsigned Narrow = 32, Wide = 64;
  auto *Address = dyn_cast<llvm::GetElementPtrInst>(Pointers);
  while (Address && Address->getPointerOperand()->getType()->isVectorTy() &&
         Address->hasAllConstantIndices())
    Address = dyn_cast<llvm::GetElementPtrInst>(Address->getPointerOperand());
  if (!Address || !isScaledByGather(*Address, Layout))
    return Wide;
  const llvm::Value *Index = Address->getOperand(1);
  return llvm::ComputeNumSignBits(Index, Layout) > Index->getType()->getScalarSizeInBits() - Narrow
             ? Narrow
             : Wide;
}

/// Gathers and scatters, whose indices take more registers than the data where they are wider.
/// Parts are then put together, or taken apart.
void InstructionMixer::addByIndex(const CallBase &Site, bool IsLoad, llvm::Type *Moved,
                                  InstructionMix &Mix) const {
  const char *Operation = IsLoad ? "gather" : "scatter";
  const llvm::Value *Pointers = Site.getArgOperand(IsLoad ? 0 : 1);
  const unsigned Bits =
      Pointers->getType()->isPtrOrPtrVectorTy() ? indexBits(Pointers, Analyses.Layout) : 0;
  if (!isa<llvm::FixedVectorType>(Moved) ||
      Bits <= Analyses.Layout.getTypeSizeInBits(Moved->getScalarType()).getFixedValue())
    return put(Operation, Moved, Mix);
  llvm::Type *Indices = llvm::VectorType::get(llvm::IntegerType::get(Site.getContext(), Bits),
                                              cast<llvm::VectorType>(Moved));
  put(Operation, Indices, Mix);
  const unsigned Parts = std::max(1U, Analyses.TTI.getNumberOfParts(Indices)),
                 Whole = std::max(1U, Analyses.TTI.getNumberOfParts(Moved));
  if (Parts > Whole)
    put("shuffle", Moved, Mix, double(Parts) / Whole - 1);
}

void InstructionMixer::addCall(const Instruction &I, InstructionMix &Mix) const {
  auto &Site = cast<CallBase>(I);
  if (Site.isInlineAsm())
    return;
  llvm::Type *T = Site.getType();
  if (auto Masked = maskedAccess(I)) {
    llvm::Type *Moved = Masked->IsLoad ? T : Site.getArgOperand(0)->getType();
    if (Masked->Times != 1)
      return addByIndex(Site, Masked->IsLoad, Moved, Mix);
    return put(Masked->IsLoad ? "load" : "store", Moved, Mix);
  }
  if (std::string Name = mathName(Site, Analyses.TLI); !Name.empty())
    return put(Name.c_str(), T, Mix, double(lanesOf(T)));
  auto *Own = dyn_cast<llvm::IntrinsicInst>(&Site);
  if (!Own) {
    if (OperationCounts::libraryOperation(Site, Analyses.TLI) == Operation::Root)
      return put("sqrt", T, Mix);
    return put("call", llvm::Type::getInt64Ty(I.getContext()), Mix);
  }
  if (Own->isAssumeLikeIntrinsic() || isa<llvm::AnyMemIntrinsic>(Own))
    return;
  switch (Own->getIntrinsicID()) {
  case Intrinsic::sqrt:
    return put("sqrt", T, Mix);
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
    if (OperationCounts::hasFma(*I.getFunction()))
      return put("fma", T, Mix);
    put("mul", T, Mix);
    return put("add", T, Mix);
  case Intrinsic::minnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::maximum:
  case Intrinsic::minimumnum:
  case Intrinsic::maximumnum:
    return put("max", T, Mix, I.hasNoNaNs() ? 1 : 3); // and handling of NaN
  case Intrinsic::smax:
  case Intrinsic::smin:
  case Intrinsic::umax:
  case Intrinsic::umin:
    if (!T->isVectorTy()) // a comparison and a conditional move
      return put("logic", T, Mix, 2);
    return addByTarget(I, "logic", Mix);
  case Intrinsic::fabs:
  case Intrinsic::copysign:
    return put("logic", T, Mix);
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::roundeven:
    return put("convert", T, Mix);
  default:
    if (!T->isVoidTy() && !T->isStructTy() && !T->isTokenTy())
      addByTarget(I, Own->getArgOperand(0)->getType()->isVectorTy() ? "shuffle" : "logic", Mix);
  }
}

/// A product with a constant of few bits becomes shifts and additions.
static unsigned shiftsAndAdditions(const Instruction &Product) {
  const llvm::APInt *Factor;
  if (!llvm::PatternMatch::match(Product.getOperand(1), llvm::PatternMatch::m_APInt(Factor)))
    return 0;
  return Factor->isPowerOf2() || *Factor == 3 || *Factor == 5 || *Factor == 9 ? 1
         : (*Factor - 1).isPowerOf2() || (*Factor + 1).isPowerOf2()           ? 2
                                                                              : 0;
}

/// Integers used only in addresses: loop strength reduction folds them, and induction variables
/// become pointers.
static bool isAddressArithmetic(const Instruction &I, unsigned Depth = 0) {
  static constexpr unsigned MaxDepth = 4;
  if (Depth == MaxDepth || I.getType()->isVectorTy() || I.use_empty())
    return false;
  if (!isa<llvm::BinaryOperator, llvm::SExtInst, llvm::ZExtInst, llvm::TruncInst>(I))
    return false;
  return llvm::all_of(I.users(), [&](const llvm::User *User) {
    return isa<llvm::GetElementPtrInst>(User) ||
           (isa<Instruction>(User) && isAddressArithmetic(*cast<Instruction>(User), Depth + 1));
  });
}

/// A redundant induction variable: one of several remains.
static bool isSpareCounter(const Instruction &Sum) {
  auto *Phi = dyn_cast<llvm::PHINode>(Sum.getOperand(0));
  if (Sum.getOpcode() != Instruction::Add || !Phi || !isa<llvm::ConstantInt>(Sum.getOperand(1)) ||
      !llvm::is_contained(Phi->incoming_values(), &Sum))
    return false;
  for (const llvm::PHINode &First : Phi->getParent()->phis()) {
    if (&First == Phi)
      return false;
    for (const llvm::Value *Incoming : First.incoming_values())
      if (auto *Next = dyn_cast<Instruction>(Incoming);
          Next && Next->getOpcode() == Instruction::Add && Next->getOperand(0) == &First &&
          isa<llvm::ConstantInt>(Next->getOperand(1)))
        return true;
  }
  return false;
}

/// A comparison that selects one of its operands is part of a maximum or minimum.
static bool isOfMaximum(const llvm::FCmpInst &Compare) {
  return llvm::all_of(Compare.users(), [&](const llvm::User *User) {
    auto *Choice = dyn_cast<llvm::SelectInst>(User);
    auto IsCompared = [&](const llvm::Value *V) {
      return V == Compare.getOperand(0) || V == Compare.getOperand(1);
    };
    return Choice && IsCompared(Choice->getTrueValue()) && IsCompared(Choice->getFalseValue());
  });
}

static bool isMaximum(const Instruction &Choice) {
  auto *Compare = dyn_cast<llvm::FCmpInst>(Choice.getOperand(0));
  return Compare && isOfMaximum(*Compare);
}

/// Instructions to insert an element into a vector: the first of 128 bits needs none, and a
/// complete second half is inserted into the first.
static unsigned insertions(const Instruction &I) {
  auto *LaneIndex = dyn_cast<llvm::ConstantInt>(I.getOperand(2));
  if (!LaneIndex)
    return 2;
  static constexpr unsigned HalfBits = 128;
  const unsigned Lane = I.getType()->getScalarSizeInBits(),
                 Bit = unsigned(LaneIndex->getZExtValue()) * Lane;
  return (Bit % HalfBits != 0) + (Bit >= HalfBits && (Bit + Lane) % HalfBits == 0);
}

/// A load folded into its single user as a memory operand. Vector operations without AVX need
/// alignment.
static bool isFolded(const llvm::LoadInst &Load) {
  if (!Load.hasOneUse() || Load.isVolatile())
    return false;
  auto *User = dyn_cast<Instruction>(*Load.user_begin());
  if (!User || User->getParent() != Load.getParent() || isa<llvm::PHINode>(User))
    return false;
  bool TakesMemory = isa<llvm::BinaryOperator, llvm::CmpInst, llvm::InsertElementInst>(User) ||
                     (isa<llvm::CastInst>(User) && User->getType()->isVectorTy());
  if (auto *Own = dyn_cast<llvm::IntrinsicInst>(User))
    TakesMemory = Own->getIntrinsicID() == Intrinsic::fmuladd ||
                  Own->getIntrinsicID() == Intrinsic::fma ||
                  Own->getIntrinsicID() == Intrinsic::sqrt;
  if (!TakesMemory)
    return false;
  // With both operands in memory, one needs a load.
  if (auto *Other = dyn_cast<llvm::LoadInst>(User->getOperand(0));
      Other && Other != &Load && Other->hasOneUse() && User->getOperand(0) != &Load &&
      User->isCommutative())
    return false;
  if (!User->isCommutative() && User->getOperand(0) == &Load && isa<llvm::BinaryOperator>(User))
    return false; // the result replaces the first operand
  if (!isa<llvm::VectorType>(Load.getType()))
    return true;
  // A part of a register is loaded separately, except when its lanes are extended.
  if (Load.getType()->getPrimitiveSizeInBits().getKnownMinValue() < 128 &&
      !isa<llvm::CastInst>(User))
    return false;
  StringRef Features = Load.getFunction()->getFnAttribute("target-features").getValueAsString();
  return Features.contains("+avx") || Load.getAlign().value() >= 16;
}

/// A comparison fused with its branch.
static bool isFused(const llvm::CmpInst &Compare) {
  return isa<llvm::ICmpInst>(Compare) && Compare.hasOneUse() &&
         isa<llvm::BranchInst>(*Compare.user_begin()) &&
         cast<Instruction>(*Compare.user_begin())->getParent() == Compare.getParent();
}

/// A product, or a sign, fused with a sum.
static bool isPartOfFused(const Instruction &Part) {
  auto *User = Part.hasOneUse() ? dyn_cast<Instruction>(*Part.user_begin()) : nullptr;
  if (User && Part.getOpcode() == Instruction::FNeg && User->getOpcode() == Instruction::FMul &&
      User->hasOneUse()) // the sign of a factor is that of the product
    User = dyn_cast<Instruction>(*User->user_begin());
  if (auto *Own = User ? dyn_cast<llvm::IntrinsicInst>(User) : nullptr)
    return Part.getOpcode() == Instruction::FNeg && OperationCounts::hasFma(*Part.getFunction()) &&
           (Own->getIntrinsicID() == Intrinsic::fmuladd || Own->getIntrinsicID() == Intrinsic::fma);
  return User &&
         (User->getOpcode() == Instruction::FAdd || User->getOpcode() == Instruction::FSub) &&
         OperationCounts::isContracted(*User);
}

/// Whether \p I copies one lane to all.
static bool isSplat(const llvm::Value &V) {
  auto *Shuffle = dyn_cast<llvm::ShuffleVectorInst>(&V);
  return Shuffle && Shuffle->isSingleSource() && llvm::all_equal(Shuffle->getShuffleMask());
}

/// Whether \p V is a loaded number as a vector's lane.
static bool isLoaded(const llvm::Value &V) {
  auto *Insert = dyn_cast<llvm::InsertElementInst>(&V);
  return Insert && isa<llvm::LoadInst>(Insert->getOperand(1)) && Insert->getOperand(1)->hasOneUse();
}

/// Whether \p V is a loaded vector of which only single lanes are used, each in all lanes.
static bool isSplatOnly(const llvm::Value &V) {
  return isa<llvm::LoadInst>(V) && isa<llvm::VectorType>(V.getType()) &&
         llvm::all_of(V.users(), [](const llvm::User *User) { return isSplat(*User); });
}

// A table of opcodes, so it is longer than other functions.
// clang-format off
void InstructionMixer::add(const Instruction &I, InstructionMix &Mix) const {
  llvm::Type *T = I.getType();
  switch (I.getOpcode()) {
  case Instruction::FAdd: case Instruction::FSub:
    return put(OperationCounts::isContracted(I) ? "fma" : "add", T, Mix);
  case Instruction::FMul:
    return isPartOfFused(I) ? void() : put("mul", T, Mix);
  case Instruction::FDiv:
    return put("div", T, Mix);
  case Instruction::FRem:
    return put("fmod", T, Mix, double(lanesOf(T)));
  case Instruction::FNeg: // fused operations have a form for each sign
    return isPartOfFused(I) ? void() : put("logic", T, Mix);
  case Instruction::FCmp:
    return isOfMaximum(cast<llvm::FCmpInst>(I)) ? void() : put("max", I.getOperand(0)->getType(), Mix);
  case Instruction::ICmp:
    if (!isFused(cast<llvm::CmpInst>(I)))
      put("logic", I.getOperand(0)->getType(), Mix);
    return;
  case Instruction::Add: case Instruction::Sub:
    return isAddressArithmetic(I) || isSpareCounter(I) ? void() : put("add", T, Mix);
  case Instruction::And: case Instruction::Or: case Instruction::Xor: case Instruction::Shl:
  case Instruction::LShr: case Instruction::AShr:
    return isAddressArithmetic(I) ? void() : put("logic", T, Mix);
  case Instruction::Select:
    addMask(*I.getOperand(0), T, Mix);
    return put(isMaximum(I) ? "max" : "logic", T, Mix);
  case Instruction::Mul:
    if (isAddressArithmetic(I))
      return;
    if (unsigned Parts = T->isVectorTy() ? 0 : shiftsAndAdditions(I))
      return put("logic", T, Mix, Parts);
    return put("mul", T, Mix);
  case Instruction::UDiv: case Instruction::SDiv: case Instruction::URem: case Instruction::SRem:
    return addDivision(I, Mix);
  case Instruction::Load: {
    if (isSplatOnly(I))
      return; // each lane is loaded by itself
    double Before = Mix.Slots;
    put("load", T, Mix);
    if (isFolded(cast<llvm::LoadInst>(I)))
      Mix.Slots = Before;
    return;
  }
  case Instruction::Store:
    return put("store", I.getOperand(0)->getType(), Mix);
  case Instruction::AtomicRMW: case Instruction::AtomicCmpXchg:
    return put("atomic", llvm::Type::getInt64Ty(I.getContext()), Mix);
  case Instruction::Br: case Instruction::Switch: case Instruction::IndirectBr:
    if (!isa<llvm::BranchInst>(I) || cast<llvm::BranchInst>(I).isConditional())
      put("branch", llvm::Type::getInt64Ty(I.getContext()), Mix);
    return;
  case Instruction::GetElementPtr:
    if (targetUnits(I, Analyses.TTI) != 0)
      put("add", llvm::Type::getInt64Ty(I.getContext()), Mix);
    return;
  case Instruction::InsertElement:
    if (unsigned Times = insertions(I))
      put("shuffle", T, Mix, Times);
    return;
  case Instruction::ShuffleVector: case Instruction::ExtractElement:
    if (isSplat(I) && isLoaded(*I.getOperand(0)))
      return; // its load fills all lanes
    if (isSplat(I) && isSplatOnly(*I.getOperand(0)))
      return put("load", T, Mix);
    return addByTarget(I, "shuffle", Mix);
  case Instruction::Call: case Instruction::Invoke:
    return addCall(I, Mix);
  default:
    if (isa<llvm::CastInst>(I))
      addConversion(I, Mix);
  }
}
// clang-format on

InstructionMix InstructionMixer::mixOf(const BasicBlock &B) const {
  InstructionMix Result;
  for (const Instruction &I : B)
    add(I, Result);
  return Result;
}

} // namespace ergon
