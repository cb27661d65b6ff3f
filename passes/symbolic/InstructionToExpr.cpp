//===- InstructionToExpr.cpp - instructions as model expressions ----------===//
//
// What scalar evolution does not look into: loads, calls, choices, shifts, signed divisions.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/CudaCalls.h"
#include "passes/ir/DeviceValues.h"
#include "passes/ir/FortranNames.h"
#include "passes/ir/OpenMPScaffold.h"
#include "passes/symbolic/ScevToExpr.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

namespace ergon {

using namespace llvm::PatternMatch;

llvm::Constant *loadedConstant(const llvm::LoadInst &Load) {
  const llvm::DataLayout &Layout = Load.getDataLayout();
  llvm::APInt Offset(Layout.getIndexTypeSizeInBits(Load.getPointerOperandType()), 0);
  auto *Global = dyn_cast<llvm::GlobalVariable>(
      Load.getPointerOperand()->stripAndAccumulateConstantOffsets(Layout, Offset, true));
  llvm::Constant *Content = Global ? fixedContent(*Global) : nullptr;
  return Content ? llvm::ConstantFoldLoadFromConst(Content, Load.getType(), Offset, Layout)
                 : nullptr;
}

/// The loaded value: a constant, a value stored by the function, or the value on entry.
std::optional<Expr> ScevToExpr::visitLoad(const llvm::LoadInst &Load, const llvm::Loop *Scope) {
  llvm::Type *Type = Load.getType();
  const llvm::DataLayout &Layout = Load.getDataLayout();
  if (!Type->isIntOrPtrTy() || !Layout.typeSizeEqualsStoreSize(Type) || !Load.isSimple())
    return std::nullopt;
  const llvm::Value &From = *Load.getPointerOperand();
  if (auto *Value = dyn_cast_or_null<llvm::ConstantInt>(loadedConstant(Load)))
    return integerExpr(Value->getValue());
  unsigned Bytes = unsigned(Layout.getTypeStoreSize(Type));
  if (auto *Choice = dyn_cast<llvm::SelectInst>(&From)) {
    auto Chosen = condition(const_cast<llvm::Value *>(Choice->getCondition()), Scope);
    auto At = [&](const llvm::Value &Pointer) {
      auto Where = Memory.pathOf(Pointer);
      return Where ? valueAt({*Where, Bytes, Type->isPointerTy(), false, Load.getAAMetadata(),
                              &Pointer},
                             Memory.before(Load), Scope)
                   : std::nullopt;
    };
    auto Then = Chosen ? At(*Choice->getTrueValue()) : std::nullopt;
    auto Else = Then ? At(*Choice->getFalseValue()) : std::nullopt;
    return Else ? std::optional(*Else + *Chosen * (*Then - *Else)) : std::nullopt;
  }
  if (llvm::Value *Stored = Memory.storedValue(From, Bytes, Load);
      Stored && Stored->getType() == Type)
    return visit(Stored, Scope);
  // A value that others write is loaded once, outside loops, and gets a symbol if a trip count
  // needs it.
  auto Sees = Memory.sightOf(Load);
  if (!Sees || !Sees->Writers.empty())
    if (auto Where = Memory.pathOf(From, Memory.before(Load)))
      if (auto Held =
              valueAt({*Where, Bytes, Type->isPointerTy(), false, Load.getAAMetadata(), &From},
                      Memory.before(Load), Scope))
        return Held;
  if (!Sees)
    return std::nullopt;
  if (auto Before = Sees->Writers.empty() ? std::nullopt : Memory.reloadedBy(Load)) {
    auto Value = !Type->isIntegerTy() ? std::nullopt
                 : Before->Entry      ? std::optional(Names.cell(*Before->Entry, Bytes))
                                      : visit(Before->Stored, Scope);
    if (Value)
      return Names.reloaded(*Sees, Bytes, Load, *Value, Before->After);
  }
  if (!Sees->Writers.empty() && LI.getLoopFor(Load.getParent()))
    return std::nullopt;
  return Type->isPointerTy() ? Names.seenPointer(*Sees, &Load, NewSymbols)
                             : Names.seen(*Sees, Bytes, Load, NewSymbols);
}

/// What a small function of the module returns, as a formula of its arguments. For one of another
/// unit a symbol, where that is asked for.
std::optional<Expr> ScevToExpr::visitCall(const CallBase &Site, const llvm::Loop *Scope) {
  static constexpr unsigned MaxInstructions = 200;
  const llvm::Function *Callee = Site.getCalledFunction();
  const bool IsInteger = Site.getType()->isIntegerTy();
  if (!Callee || Callee->isIntrinsic() || !Callees ||
      !(IsInteger || Site.getType()->isFloatingPointTy()))
    return std::nullopt;
  if (CalleeValues::hasBody(Callee)) {
    if (Callee->getInstructionCount() > MaxInstructions)
      return std::nullopt;
    const auto &Returned = Callees->returned(*Callee, {});
    return Returned ? inCaller(*Returned, Site, Memory.before(Site), Scope) : std::nullopt;
  }
  const llvm::Loop *Around = LI.getLoopFor(Site.getParent());
  if (!HasReturned || !IsInteger || !Callee->isDeclaration() ||
      (Around && !Around->contains(Scope)) || Names.isLibraryFunction(*Callee))
    return std::nullopt;
  return Names.callValue(Site);
}

/// `a < b ? x : y` is the maximum or minimum of x and y where y - x is b - a, or, for integers, one
/// less: a range clipped at a border.
static std::optional<Expr> extremumOf(const Expr &Chosen, const Expr &Then, const Expr &Else) {
  const Atom *Condition = Chosen.asAtom();
  if (!Condition || Condition->What != Atom::Kind::Indicator)
    return std::nullopt;
  const Expr &Ahead = Condition->Operands[0]; // not negative where Then is chosen
  for (const Expr &Gap : {Ahead, Ahead + 1}) {
    if (Else - Then == Gap)
      return min(Then, Else);
    if (Then - Else == Gap)
      return max(Then, Else);
  }
  return std::nullopt;
}

/// Instructions that are opaque to SCEV but exact in the model. One case for each kind of
/// instruction, which makes it longer than other functions.
std::optional<Expr> ScevToExpr::visitInstruction(Instruction *I, const llvm::Loop *Scope) {
  if (auto *Phi = dyn_cast<llvm::PHINode>(I))
    return visitPhi(*Phi, Scope);
  if (auto *Intrinsic = dyn_cast<llvm::IntrinsicInst>(I)) {
    llvm::Intrinsic::ID Id = Intrinsic->getIntrinsicID();
    if (Id == llvm::Intrinsic::ctlz) {
      // Leading zeros: all bits for 0, whose logarithm is -1.
      auto Value = unsignedNumber(Intrinsic->getArgOperand(0), Scope);
      Expr Bits(long(I->getType()->getScalarSizeInBits()));
      return Value ? std::optional(Bits - 1 - floorLog(2, *Value)) : std::nullopt;
    }
    if (Id != llvm::Intrinsic::nvvm_mul24_i && Id != llvm::Intrinsic::nvvm_mul24_ui)
      return deviceRegister(*Intrinsic);
    Names.assume(nearestLocation(*I), "the factors of __mul24 have 24 bits");
    auto Left = translate(Intrinsic->getArgOperand(0), Scope);
    auto Right = translate(Intrinsic->getArgOperand(1), Scope);
    return Left && Right ? std::optional(*Left * *Right) : std::nullopt;
  }
  if (auto *Site = dyn_cast<CallBase>(I)) {
    if (Site->isInlineAsm())
      return deviceRegister(*Site);
    const llvm::Function *Callee = Site->getCalledFunction();
    bool IsStatus = Callee && Callee->isDeclaration() && I->getType()->isIntegerTy(32) &&
                    returnsStatus(Callee->getName());
    if (IsStatus)
      return Expr(0);
    auto Thread = threadSymbol(*Site);
    return Thread ? Thread : visitCall(*Site, Scope);
  }
  if (auto *Freeze = dyn_cast<llvm::FreezeInst>(I))
    return visit(Freeze->getOperand(0), Scope);
  if (auto *Select = dyn_cast<llvm::SelectInst>(I)) {
    auto Chosen = condition(Select->getCondition(), Scope);
    if (!Chosen)
      return std::nullopt;
    auto Then = visit(Select->getTrueValue(), Scope);
    auto Else = visit(Select->getFalseValue(), Scope);
    if (!Then || !Else)
      return std::nullopt;
    if (auto Clipped = extremumOf(*Chosen, *Then, *Else))
      return Clipped;
    return *Else + *Chosen * (*Then - *Else);
  }
  if (auto *Load = dyn_cast<llvm::LoadInst>(I))
    return visitLoad(*Load, Scope);
  if (auto *Part = dyn_cast<llvm::ExtractValueInst>(I))
    return visitPart(*Part, Scope);
  if (I->getType()->isIntegerTy(1))
    return condition(I, Scope);
  const llvm::APInt *Number;
  llvm::Value *Operand, *Width;
  if (match(I, m_Shift(m_Value(Operand), m_Value(Width))) && !isa<llvm::Constant>(Width)) {
    auto Value = I->getOpcode() == Instruction::Shl    ? translate(Operand, Scope)
                 : I->getOpcode() == Instruction::LShr ? unsignedNumber(Operand, Scope)
                                                       : signedNumber(Operand, Scope);
    auto Shift = numberOf(Width, Scope); // of one bit, as larger shift amounts are undefined
    if (!Value || !Shift)
      return std::nullopt;
    return I->getOpcode() == Instruction::Shl ? *Value * power(2, Shift->Value)
                                              : floorDiv(*Value, power(2, Shift->Value));
  }
  if (match(I, m_AShr(m_Value(Operand), m_APInt(Number))) && Number->ult(63)) {
    // The signed top field is an unsigned shift.
    const bool IsTwo = isOfTwoNumbers(SE.getSCEV(Operand));
    if (isa<llvm::Argument>(Operand) || IsTwo)
      if (auto Field = visitField(SE.getUDivExpr(
              SE.getSCEV(Operand), SE.getConstant(llvm::APInt::getOneBitSet(
                                       Number->getBitWidth(), unsigned(Number->getZExtValue()))))))
        return Field;
    if (IsTwo)
      return std::nullopt;
    if (auto Value = signedNumber(Operand, Scope))
      return floorDiv(*Value, Expr(twoTo(unsigned(Number->getZExtValue()))));
    return std::nullopt;
  }
  if (isa<llvm::FPToSIInst, llvm::FPToUIInst>(I))
    return roundedNumber(I->getOperand(0), Scope);
  if (auto Masked = visitMask(I, Scope))
    return Masked;
  llvm::Value *Divisor;
  bool Remainder = match(I, m_SRem(m_Value(Operand), m_Value(Divisor)));
  if (Remainder || match(I, m_SDiv(m_Value(Operand), m_Value(Divisor)))) {
    auto Above = signedNumber(Operand, Scope), Below = signedNumber(Divisor, Scope);
    if (!Above || !Below || Below->isZero())
      return std::nullopt;
    bool NoSigns =
        SE.isKnownNonNegative(SE.getSCEV(Operand)) && SE.isKnownNonNegative(SE.getSCEV(Divisor));
    Expr Quotient = NoSigns ? floorDiv(*Above, *Below) : truncatingDiv(*Above, *Below);
    return Remainder ? *Above - *Below * Quotient : Quotient;
  }
  return std::nullopt;
}

} // namespace ergon
