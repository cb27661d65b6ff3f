//===- ScevToExpr.cpp - SCEV as model expressions -------------------------===//

#include "passes/symbolic/ScevToExpr.h"
#include "passes/ir/AddressSpaces.h"
#include "passes/ir/DeviceValues.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

namespace ergon {

using namespace llvm::PatternMatch;

Expr integerExpr(const llvm::APInt &Value) {
  if (Value.getBitWidth() == 1) // a condition
    return Expr(Value.isZero() ? 0 : 1);
  if (Value.getSignificantBits() <= 64)
    return Expr(Rational(Value.getSExtValue()));
  llvm::SmallString<40> Digits;
  Value.toStringSigned(Digits);
  return Expr(Rational::ofDigits(Digits.str()));
}

const llvm::SCEV *widened(const llvm::SCEV *Value, bool IsSigned, llvm::ScalarEvolution &SE) {
  if (!Value->getType()->isIntegerTy() || SE.getTypeSizeInBits(Value->getType()) >= 32)
    return Value;
  llvm::Type *Int = llvm::Type::getInt32Ty(SE.getContext());
  return IsSigned ? SE.getSignExtendExpr(Value, Int) : SE.getZeroExtendExpr(Value, Int);
}

static Expr add(const Expr &L, const Expr &R) { return L + R; }
static Expr multiply(const Expr &L, const Expr &R) { return L * R; }

std::optional<Expr> ScevToExpr::translate(const llvm::SCEV *Value, const llvm::Loop *Scope) {
  if (isa<llvm::SCEVCouldNotCompute>(Value))
    return std::nullopt;
  return formula(visit(SE.getSCEVAtScope(Value, Scope), Scope));
}

std::optional<Expr> ScevToExpr::translate(llvm::Value *Value, const llvm::Loop *Scope) {
  return formula(visit(Value, Scope));
}

/// True where \p V packs two fields into one register, the upper one shifted by 32 bits.
static bool packsFields(llvm::Value *V) {
  const auto Upper = m_Shl(m_Value(), m_SpecificInt(32));
  return match(V, m_CombineOr(m_c_Or(Upper, m_Value()), m_c_Add(Upper, m_Value())));
}

std::optional<Expr> ScevToExpr::translateOrName(llvm::Value *Value, const llvm::Loop *Scope,
                                                bool Needed) {
  std::optional<Trust> Fields; // the factor identifies each field in the sum, whatever its sign
  if (packsFields(Value))
    Fields.emplace(*this);
  auto Result = translate(Value, Scope);
  auto *I = dyn_cast<Instruction>(Value);
  if (Result || !I || (!Needed && LI.getLoopFor(I->getParent())))
    return Result;
  allowNewSymbols(OnlyOrigins = true);
  Result = translate(Value, Scope);
  allowNewSymbols(OnlyOrigins = false);
  return Result;
}

std::optional<Expr> ScevToExpr::translateAddress(llvm::Value *Pointer, const llvm::Loop *Scope) {
  return visit(Pointer, Scope);
}

std::optional<Expr> ScevToExpr::difference(const llvm::SCEV *Left, const llvm::SCEV *Right,
                                           const llvm::Loop *Scope) {
  auto From = visit(SE.getSCEVAtScope(Left, Scope), Scope);
  auto To = From ? visit(SE.getSCEVAtScope(Right, Scope), Scope) : std::nullopt;
  return To ? formula(*From - *To) : std::nullopt;
}

/// \p Value, unless it depends on an address.
std::optional<Expr> ScevToExpr::formula(std::optional<Expr> Value) const {
  if (Value && Names.hasAddress(*Value))
    Value.reset();
  return Value;
}

std::optional<Expr> ScevToExpr::visit(llvm::Value *V, const llvm::Loop *Scope) {
  if (!SE.isSCEVable(V->getType()))
    return std::nullopt;
  return visit(SE.getSCEVAtScope(SE.getSCEV(V), Scope), Scope);
}

/// The cached answer, or that of \p Translate.
std::optional<Expr> ScevToExpr::once(CacheKey Key, function_ref<std::optional<Expr>()> Translate) {
  if (Depth > MaxDepth)
    return std::nullopt;
  auto IsKnown = [&](const Answer &Given) { return Given.Formula || Given.Symbols == Symbols; };
  if (auto Found = Translated.find(Key); Found != Translated.end() && !IsTrusted &&
                                         IsKnown(Found->second) &&
                                         (!HasReturned || Found->second.Formula))
    return Found->second.Formula;
  const std::pair<const void *, int> Asking{IsTrusted ? static_cast<const void *>(this)
                                            : AskedAt ? AskedAt->getParent()
                                                      : nullptr,
                                            int(IsOfAddress) + 2 * int(HasReturned)};
  if (auto Found = TranslatedAt.find({Key, Asking});
      Found != TranslatedAt.end() && IsKnown(Found->second)) {
    ++ContextUses;
    return Found->second.Formula;
  }
  ++Depth;
  const unsigned Before = ContextUses;
  std::optional<Expr> Result = Translate();
  --Depth;
  if (Result && isTooLarge(*Result))
    Result.reset();
  if (Result &&
      llvm::any_of(OpenValues, [&](const OpenValue &Open) { return Result->dependsOn(Open.Name); }))
    return Result; // it has no meaning elsewhere
  if (ContextUses == Before && !IsTrusted && !HasReturned)
    Translated[Key] = {Result, Symbols};
  else
    TranslatedAt[{Key, Asking}] = {Result, Symbols};
  return Result;
}

std::optional<Expr> ScevToExpr::visit(const llvm::SCEV *S, const llvm::Loop *Scope) {
  return once({S, Scope}, [&] { return visitUncached(S, Scope); });
}

/// The operand width of a device's __mul24, which the optimizer expands.
bool ScevToExpr::isFactorWidth(unsigned Bits) const {
  return Bits == 24 && isDevice(*Names.function().getParent());
}

/// True where the truncation \p S may change the signed number.
static bool cutsSigned(const llvm::SCEV *S, llvm::ScalarEvolution &SE) {
  const llvm::SCEV *Operand = cast<llvm::SCEVTruncateExpr>(S)->getOperand();
  return SE.getSignedRange(Operand).getMinSignedBits() > SE.getTypeSizeInBits(S->getType());
}

/// True where the result is a remainder, not the intended number.
bool ScevToExpr::countsAround(const llvm::SCEV *S) const {
  unsigned Bits = unsigned(SE.getTypeSizeInBits(S->getType()));
  if (Bits >= 32 || isFactorWidth(Bits))
    return false;
  auto *Several = dyn_cast<llvm::SCEVNAryExpr>(S);
  if (isa<llvm::SCEVTruncateExpr>(S))
    return cutsSigned(S, SE);
  const bool IsSum = isa<llvm::SCEVAddExpr, llvm::SCEVMulExpr>(S);
  if (IsSum && !Several->hasNoUnsignedWrap() && !Several->hasNoSignedWrap())
    return true;
  return (IsSum || isa<llvm::SCEVAddRecExpr>(S)) &&
         llvm::any_of(Several->operands(),
                      [&](const llvm::SCEV *Operand) { return countsAround(Operand); });
}

/// The number of bits that a division by a power of two has removed from a 32-bit value: n &
/// 2147483640, the vectorizer's n - n % 8, is not truncated.
static unsigned droppedBits(const llvm::SCEV *S) {
  auto *Division = dyn_cast<llvm::SCEVUDivExpr>(S);
  auto *Divisor = Division ? dyn_cast<llvm::SCEVConstant>(Division->getRHS()) : nullptr;
  if (!Divisor || !Divisor->getAPInt().isPowerOf2() ||
      !isa<llvm::SCEVZeroExtendExpr>(Division->getLHS()))
    return 0;
  return Divisor->getAPInt().logBase2();
}

/// One case for each kind of SCEV, which makes it longer than other functions.
std::optional<Expr> ScevToExpr::visitUncached(const llvm::SCEV *S, const llvm::Loop *Scope) {
  std::optional<Expr> Result;
  switch (S->getSCEVType()) {
  case llvm::scConstant:
    Result = integerExpr(cast<llvm::SCEVConstant>(S)->getAPInt());
    break;
  case llvm::scSignExtend:
    Result = signedNumber(cast<llvm::SCEVCastExpr>(S)->getOperand(), Scope);
    break;
  case llvm::scZeroExtend:
    if (auto Number = numberOf(cast<llvm::SCEVCastExpr>(S)->getOperand(), Scope)) {
      ContextUses += IsOfAddress && !Number->IsNatural;
      Result = IsOfAddress ? Number->Value : Number->asUnsigned();
    }
    break;
  case llvm::scPtrToInt:
    Result = visit(cast<llvm::SCEVCastExpr>(S)->getOperand(), Scope);
    break;
  case llvm::scTruncate: {
    if ((Result = visitField(S)))
      break;
    // A truncation to `int` keeps the value that the programmer meant; to fewer bits it is a
    // remainder, SCEV's form of x & 7.
    const llvm::SCEV *Operand = cast<llvm::SCEVTruncateExpr>(S)->getOperand();
    if (isOfTwoNumbers(Operand))
      break;
    Result = visit(Operand, Scope);
    unsigned Bits = unsigned(SE.getTypeSizeInBits(S->getType()));
    if (!Result || Bits + droppedBits(Operand) >= 31 || !cutsSigned(S, SE))
      break;
    if (isFactorWidth(Bits))
      Names.assume(nearestLocation(*Names.function().getEntryBlock().getTerminator()),
                   "the factors of __mul24 have 24 bits");
    else
      Result = lowBitsOf(*Result, Bits);
    break;
  }
  case llvm::scAddExpr:
  case llvm::scMulExpr:
    if (auto *Shifted = dyn_cast<llvm::SCEVMulExpr>(S);
        Shifted && Shifted->getNumOperands() == 2 && isOfTwoNumbers(Shifted->getOperand(1))) {
      Result = visitLowerField(*Shifted);
      break;
    }
    Result = visitOperands(cast<llvm::SCEVNAryExpr>(S), Scope,
                           S->getSCEVType() == llvm::scAddExpr ? add : multiply);
    // Narrow values wrap around, as in SCEV's form of (x + 1) & 7.
    if (Result && countsAround(S))
      Result = lowBitsOf(*Result, unsigned(SE.getTypeSizeInBits(S->getType())));
    break;
  case llvm::scSMaxExpr:
    Result = visitOperands(cast<llvm::SCEVNAryExpr>(S), Scope, max);
    break;
  case llvm::scSMinExpr:
    Result = visitOperands(cast<llvm::SCEVNAryExpr>(S), Scope, min);
    break;
  case llvm::scUMaxExpr:
  case llvm::scUMinExpr:
  case llvm::scSequentialUMinExpr:
    Result = visitUnsignedExtremum(cast<llvm::SCEVNAryExpr>(S), Scope);
    break;
  case llvm::scUDivExpr: {
    if ((Result = visitField(S))) {
      // The upper field: its sign does not extend over the whole.
      if (auto Range = rangeOf(*Result); !Range || Range->Low < 0) {
        const unsigned Bits = SE.getUnsignedRangeMax(S).getActiveBits();
        *Result += Expr(twoTo(Bits)) * negated(isNonNegative(*Result));
      }
      break;
    }
    auto *Division = cast<llvm::SCEVUDivExpr>(S);
    if (isOfTwoNumbers(Division->getLHS()))
      break;
    auto Numerator = numberOf(Division->getLHS(), Scope);
    auto Divisor = unsignedNumber(Division->getRHS(), Scope);
    if (!Numerator || !Divisor)
      break;
    // For a variable that only the model follows, as in (i - 1)/2, the optimizer knows the sign.
    const bool IsFollowed = llvm::SCEVExprContains(Division->getLHS(), [](const llvm::SCEV *Part) {
      auto *Leaf = dyn_cast<llvm::SCEVUnknown>(Part);
      return Leaf && isa<llvm::PHINode>(Leaf->getValue());
    });
    if (IsFollowed && !Numerator->IsNatural)
      mustLieIn(Numerator->Value, {0, twoTo(Numerator->Bits)});
    Result = floorDiv(IsFollowed ? Numerator->Value : Numerator->asUnsigned(), *Divisor);
    break;
  }
  case llvm::scAddRecExpr:
    Result = visitRecurrence(cast<llvm::SCEVAddRecExpr>(S), Scope);
    break;
  case llvm::scUnknown:
    Result = visitValue(cast<llvm::SCEVUnknown>(S)->getValue(), Scope);
    break;
  case llvm::scVScale:
  case llvm::scCouldNotCompute:
    break;
  }
  return Result;
}

std::optional<Expr> ScevToExpr::visitOperands(const llvm::SCEVNAryExpr *S, const llvm::Loop *Scope,
                                              Expr (*Join)(const Expr &, const Expr &)) {
  std::optional<Expr> Result;
  bool IsSigned = isa<llvm::SCEVSMaxExpr, llvm::SCEVSMinExpr>(S);
  for (const llvm::SCEV *Operand : S->operands()) {
    auto Next = IsSigned ? signedNumber(Operand, Scope) : visit(Operand, Scope);
    if (!Next)
      return std::nullopt;
    if (Result && (Join == max || Join == min) && Names.hasAddress(*Result))
      *Result += Join(Expr(), *Next - *Result); // the larger distance from its base
    else
      Result = Result ? Join(*Result, *Next) : *Next;
    if (isTooLarge(*Result))
      return std::nullopt;
  }
  return Result;
}

/// {a,+,b,+,c,…} at iteration i is a + b·i + c·i(i-1)/2 + ….
std::optional<Expr> ScevToExpr::visitRecurrence(const llvm::SCEVAddRecExpr *S,
                                                const llvm::Loop *Scope) {
  if (!Scope || !S->getLoop()->contains(Scope)) // SCEV could not compute it
    if (!Lasts.contains(S->getLoop()))
      return std::nullopt;
  Expr Iteration = Expr::symbol(Names.loop(*S->getLoop()));
  Expr Binomial(1), Result;
  for (unsigned K = 0; K != S->getNumOperands(); ++K) {
    auto Operand = visit(S->getOperand(K), S->getLoop()->contains(Scope) ? Scope : S->getLoop());
    if (!Operand)
      return std::nullopt;
    Result += *Operand * Binomial;
    Binomial *= (Iteration - long(K)) * Expr(Rational(1, K + 1));
  }
  return afterLoops(std::move(Result), S->getLoop(), Scope);
}

/// \p Value, as code in \p Inner sees it, for code in \p Scope: induction variables of finished
/// loops have their last value.
std::optional<Expr> ScevToExpr::afterLoops(Expr Value, const llvm::Loop *Inner,
                                           const llvm::Loop *Scope) {
  for (const llvm::Loop *L = Inner; L && !L->contains(Scope); L = L->getParentLoop()) {
    const std::string &Iteration = Names.loop(*L);
    if (!Value.dependsOn(Iteration))
      continue;
    auto Known = Lasts.find(L);
    if (Known == Lasts.end())
      return std::nullopt;
    Value = Value.substitute({{Iteration, Known->second}});
  }
  return Value;
}

/// Describes a value that is only known at run time.
static std::string describe(const Instruction &I, const SourceNames &Names) {
  if (auto *Load = dyn_cast<llvm::LoadInst>(&I)) {
    std::string Object = Names.object(*Load->getPointerOperand()->stripPointerCasts());
    return Object.empty() ? "a value read from memory" : "a value read from '" + Object + "'";
  }
  if (auto *Call = dyn_cast<CallBase>(&I)) {
    const llvm::Function *Callee = Call->getCalledFunction();
    return "the result of a call" + (Callee ? " of " + Callee->getName().str() : std::string());
  }
  return "a value that depends on the path taken or on arithmetic that is not followed";
}

std::optional<Expr> ScevToExpr::visitValue(llvm::Value *V, const llvm::Loop *Scope) {
  if (auto *Argument = dyn_cast<llvm::Argument>(V)) {
    if (Names.contentOf(*Argument) == SourceNames::Content::Fields)
      return std::nullopt; // no single number
    return Names.parameter(*Argument);
  }
  if (auto *Constant = dyn_cast<llvm::ConstantInt>(V))
    return integerExpr(Constant->getValue());
  if (isa<llvm::ConstantPointerNull>(V))
    return Expr(0);
  if (auto Known = Values.find(V); Known != Values.end())
    return Known->second;
  auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return std::nullopt;
  auto Result = visitInstruction(I, Scope);
  // A value computed once gets a symbol. In a loop or in many threads it has many values, which no
  // single symbol can represent.
  if (Result || LI.getLoopFor(I->getParent()) || (isDevice(*I->getModule()) && differsByThread(*I)))
    return Result;
  if (I->getType()->isPointerTy())
    return Names.address(*I);
  bool IsOrigin = isa<llvm::LoadInst, CallBase>(I);
  if (NewSymbols && (IsOrigin || !OnlyOrigins) && I->getType()->isIntegerTy() &&
      !I->getType()->isIntegerTy(1)) {
    Result = Names.unknown("value", nearestLocation(*I), describe(*I, Names),
                           Probe{.Value = I, .Point = I});
    Values.try_emplace(V, *Result);
  }
  return Result;
}

} // namespace ergon
