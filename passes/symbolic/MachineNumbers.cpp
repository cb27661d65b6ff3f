//===- MachineNumbers.cpp - a value's bits as a signed or unsigned number -===//
//
// An expression represents a value of w bits by a number with the same low bits, which suffices for
// sums, products and truncations. Code that reads the value as a number (a comparison, an
// extension, a division, a minimum, a trip count) requests the signed or unsigned one here.
// Most expressions are the signed number, from -2^(w-1) on: signed arithmetic of the source does
// not overflow. Parameters of unsigned types are the unsigned number, up to 2^w - 1. A value that
// may be neither is recorded as a range check, to be evaluated once the parameters have values.
//
//===----------------------------------------------------------------------===//

#include "passes/symbolic/ScevToExpr.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

#include <algorithm>
#include <utility>

namespace ergon {

Expr lowBits(const Expr &Value, unsigned Bits) {
  const Expr Modulus{twoTo(Bits)};
  return Value - Modulus * floorDiv(Value, Modulus);
}

/// The low bits of \p Value. Those of an address, which code looks at to peel a loop up to aligned
/// data, follow from the alignment alone.
Expr ScevToExpr::lowBitsOf(const Expr &Value, unsigned Bits) {
  bool IsAssumed = false;
  const Expr Aligned = Names.withAlignedAddresses(Value, IsAssumed);
  if (Aligned == Value)
    return lowBits(Value, Bits);
  Expr Result = lowBits(Aligned, Bits);
  bool Ignored = false;
  if (Names.withAlignedAddresses(Result, Ignored) != Result) // it depends on more
    return lowBits(Value, Bits);
  if (IsAssumed)
    Names.assume(nearestLocation(*Names.function().getEntryBlock().getTerminator()),
                 "arrays that pointers lead to are aligned as memory from malloc is");
  return Result;
}

const llvm::Loop *ScevToExpr::loopOf(const std::string &Symbol) {
  if (LoopsByName.empty())
    for (const llvm::Loop *L : LI.getLoopsInPreorder())
      LoopsByName.try_emplace(Names.loop(*L), L);
  return LoopsByName.lookup(Symbol);
}

bool ScevToExpr::hasLoop(const Expr &Value) {
  return Value.hasSymbol([&](const std::string &Name) { return loopOf(Name) != nullptr; });
}

Bounds ScevToExpr::rangeOfSymbol(const std::string &Symbol) {
  const llvm::Loop *L = loopOf(Symbol);
  if (!L)
    return Names.rangeOf(Symbol);
  const unsigned Trips = SE.getSmallConstantMaxTripCount(L);
  return {0, Trips == 0 ? twoTo(64) : Rational(Trips - 1)};
}

std::optional<Bounds> ScevToExpr::rangeOf(const Expr &Value) {
  static constexpr std::uint64_t MaxSteps = 100;
  static constexpr std::size_t MaxSize = 100;
  if (Value.size() > MaxSize)
    return std::nullopt;
  if (auto Linear = boundsOfLinear(Value, [&](const auto &Name) { return rangeOfSymbol(Name); }))
    return Linear;
  std::set<std::string> Symbols;
  Value.collectSymbols(Symbols);
  SymbolBounds Ranges;
  for (const std::string &Name : Symbols)
    Ranges.emplace(Name, rangeOfSymbol(Name));
  auto Result = boundsOf(Value, Ranges, MaxSteps);
  return Result ? std::optional(*Result) : std::nullopt;
}

/// True where \p S is shifted right by a possible 0, or divided by a possible 1: the result may
/// then be no signed number.
static bool isShiftedDown(const llvm::SCEV *S, llvm::ScalarEvolution &SE) {
  if (auto *Division = dyn_cast<llvm::SCEVUDivExpr>(S))
    return SE.getUnsignedRangeMin(Division->getRHS()).ule(1);
  auto *Leaf = dyn_cast<llvm::SCEVUnknown>(S);
  auto *I = Leaf ? dyn_cast<Instruction>(Leaf->getValue()) : nullptr;
  return I && I->getOpcode() == Instruction::LShr;
}

/// True where \p S was computed without wrapping, as a signed or as an unsigned number.
static bool neverWraps(const llvm::SCEV *S, bool IsSigned, llvm::ScalarEvolution &SE) {
  switch (S->getSCEVType()) {
  case llvm::scAddExpr:
  case llvm::scMulExpr:
  case llvm::scAddRecExpr: {
    auto *Several = cast<llvm::SCEVNAryExpr>(S);
    return (IsSigned ? Several->hasNoSignedWrap() : Several->hasNoUnsignedWrap()) &&
           llvm::all_of(Several->operands(), [&](const llvm::SCEV *Operand) {
             return neverWraps(Operand, IsSigned, SE);
           });
  }
  case llvm::scTruncate:
    return false;
  case llvm::scUDivExpr:
    return !(IsSigned && isShiftedDown(S, SE));
  case llvm::scUnknown: {
    auto *I = dyn_cast<Instruction>(cast<llvm::SCEVUnknown>(S)->getValue());
    auto *Computed = dyn_cast_or_null<llvm::OverflowingBinaryOperator>(I);
    if (Computed)
      return IsSigned ? Computed->hasNoSignedWrap() : Computed->hasNoUnsignedWrap();
    if (isa_and_nonnull<llvm::PHINode, llvm::SelectInst>(I) || (IsSigned && isShiftedDown(S, SE)))
      return false;
    auto *Bits = dyn_cast_or_null<llvm::BinaryOperator>(I);
    return !Bits || llvm::all_of(Bits->operands(), [&](llvm::Value *Operand) {
      return !SE.isSCEVable(Operand->getType()) || neverWraps(SE.getSCEV(Operand), IsSigned, SE);
    });
  }
  case llvm::scSMaxExpr:
  case llvm::scUMaxExpr:
  case llvm::scSMinExpr:
  case llvm::scUMinExpr:
  case llvm::scSequentialUMinExpr:
    return llvm::all_of(cast<llvm::SCEVNAryExpr>(S)->operands(), [&](const llvm::SCEV *Operand) {
      return neverWraps(Operand, IsSigned, SE);
    });
  default:
    return true;
  }
}

/// True where \p Value contains a symbol of an unsigned type of at least `int` size.
bool ScevToExpr::hasUnsigned(const Expr &Value) const {
  return Value.hasSymbol([&](const std::string &Name) { return Names.isUnsignedWord(Name); });
}

/// True where the sign bit of \p S is clear at the point of the query.
bool ScevToExpr::hasClearSign(const llvm::SCEV *S) {
  if (SE.isKnownNonNegative(S))
    return true;
  ++ContextUses;
  if (!AskedAt)
    return false;
  return SE.isBasicBlockEntryGuardedByCond(AskedAt->getParent(), llvm::CmpInst::ICMP_SGE, S,
                                           SE.getZero(S->getType()));
}

/// Puts the summands of \p S into \p Added, and its subtrahends into \p Taken.
static void splitSigns(const llvm::SCEV *S, llvm::ScalarEvolution &SE,
                       SmallVectorImpl<const llvm::SCEV *> &Added,
                       SmallVectorImpl<const llvm::SCEV *> &Taken) {
  auto IsNegative = [](const llvm::SCEV *Factor) {
    auto *Number = dyn_cast<llvm::SCEVConstant>(Factor);
    return Number && Number->getAPInt().isNegative() && !Number->getAPInt().isMinSignedValue();
  };
  if (auto *Sum = dyn_cast<llvm::SCEVAddExpr>(S)) {
    for (const llvm::SCEV *Operand : Sum->operands())
      splitSigns(Operand, SE, Added, Taken);
  } else if (auto *Moves = dyn_cast<llvm::SCEVAddRecExpr>(S);
             Moves && Moves->isAffine() && !Moves->getStart()->isZero()) {
    splitSigns(Moves->getStart(), SE, Added, Taken);
    const llvm::SCEV *Step = Moves->getStepRecurrence(SE);
    const bool Falls = IsNegative(Step);
    (Falls ? Taken : Added)
        .push_back(SE.getAddRecExpr(SE.getZero(S->getType()),
                                    Falls ? SE.getNegativeSCEV(Step) : Step, Moves->getLoop(),
                                    llvm::SCEV::FlagAnyWrap));
  } else if (auto *Product = dyn_cast<llvm::SCEVMulExpr>(S);
             IsNegative(S) || (Product && IsNegative(Product->getOperand(0)))) {
    Taken.push_back(SE.getNegativeSCEV(S));
  } else {
    Added.push_back(S);
  }
}

/// True where \p S is a difference whose minuend is known to be at least the subtrahend, so that
/// nothing wraps. Scalar evolution knows it for unsigned numbers: the expressions must be these.
bool ScevToExpr::isOrdered(const llvm::SCEV *S, bool IsSigned, const llvm::Loop *Scope) {
  SmallVector<const llvm::SCEV *, 4> Added, Taken;
  splitSigns(S, SE, Added, Taken);
  if (Added.empty() || Taken.empty())
    return false;
  const llvm::SCEV *Larger = SE.getAddExpr(Added), *Smaller = SE.getAddExpr(Taken);
  const auto AtMost = IsSigned ? llvm::CmpInst::ICMP_SLE : llvm::CmpInst::ICMP_ULE;
  if (!SE.isKnownPredicate(AtMost, Smaller, Larger)) {
    ++ContextUses;
    if (!AskedAt ||
        !SE.isBasicBlockEntryGuardedByCond(AskedAt->getParent(), AtMost, Smaller, Larger))
      return false;
  }
  return IsSigned || llvm::all_of(ArrayRef{Smaller, Larger}, [&](const llvm::SCEV *Side) {
           auto Value = numberOf(Side, Scope);
           return Value && Value->IsNatural;
         });
}

void ScevToExpr::mustLieIn(const Expr &Value, const Bounds &Allowed,
                           const std::optional<Bounds> &Range) {
  if (Range && Range->Low >= Allowed.Low && Range->High <= Allowed.High)
    return;
  ++ContextUses;
  if (!AskedAt || IsOfAddress)
    return;
  if (std::ranges::none_of(Checks, [&](const RangeCheck &Check) {
        return Check.Value == Value && Check.Allowed.Low == Allowed.Low &&
               Check.Allowed.High == Allowed.High;
      }))
    Checks.push_back({nearestLocation(*AskedAt), Value, Allowed});
}

std::optional<ScevToExpr::Number> ScevToExpr::numberOf(const llvm::SCEV *S,
                                                       const llvm::Loop *Scope) {
  // A truncation that removes nothing.
  while (auto *Cut = dyn_cast<llvm::SCEVTruncateExpr>(S)) {
    if (SE.getUnsignedRangeMax(Cut->getOperand()).getActiveBits() >
            SE.getTypeSizeInBits(S->getType()) ||
        visitField(S))
      break;
    S = Cut->getOperand();
  }
  auto Value = visit(S, Scope);
  if (!Value)
    return std::nullopt;
  const unsigned Bits = unsigned(SE.getTypeSizeInBits(S->getType()));
  Number Result{std::move(*Value), Bits, true, true};
  if (Bits == 1 && isa<llvm::SCEVAddRecExpr, llvm::SCEVTruncateExpr>(S))
    Result.Value = lowBits(Result.Value, 1); // it toggles
  if (S->getType()->isPointerTy() || Bits == 1 || Names.hasAddress(Result.Value) ||
      isFactorWidth(Bits))
    return Result;
  const Rational Half = twoTo(Bits - 1), &All = twoTo(Bits);
  if (auto Constant = Result.Value.constant()) {
    if (*Constant < 0)
      Result.Value = Expr(*Constant + All);
    Result.IsNarrow = *Constant >= 0 && *Constant < Half;
    return Result;
  }
  const auto Range = rangeOf(Result.Value);
  const bool InSigned = Range && Range->Low >= -Half && Range->High < Half;
  const bool IsSigned = !hasUnsigned(Result.Value) && !isShiftedDown(S, SE);
  const bool IsClear = IsTrusted || hasClearSign(S);
  const auto Least = lowerBound(Result.Value);
  Result.IsNatural = IsClear || isa<llvm::SCEVUDivExpr>(S) || (Range && Range->Low >= 0) ||
                     (Least && *Least >= 0) || isOrdered(S, IsSigned, Scope);
  Result.IsNarrow = InSigned;
  if (Bits < 32) {
    if (Range && Range->Low >= -All && Range->High < All)
      return Result;
    if (!(Result.IsNatural && neverWraps(S, false, SE)))
      Result.Value = lowBitsOf(Result.Value, Bits);
    Result.IsNatural = true;
    return Result;
  }
  if (InSigned)
    return Result;
  Result.IsNarrow = IsClear || IsSigned;
  if ((IsSigned && neverWraps(S, true, SE)) || (Result.IsNatural && neverWraps(S, false, SE)))
    return Result;
  mustLieIn(Result.Value,
            {IsSigned || Result.IsNatural ? -Half : -All,
             (IsSigned && !IsClear ? Half : All) - Rational(1)},
            Range);
  return Result;
}

Expr ScevToExpr::Number::asUnsigned() const {
  return IsNatural ? Value : Value + Expr(twoTo(Bits)) * negated(isNonNegative(Value));
}

std::optional<Expr> ScevToExpr::unsignedNumber(const llvm::SCEV *S, const llvm::Loop *Scope) {
  auto Result = numberOf(S, Scope);
  return Result ? std::optional(Result->asUnsigned()) : std::nullopt;
}

std::optional<ScevToExpr::Number> ScevToExpr::numberOf(llvm::Value *V, const llvm::Loop *Scope) {
  if (!SE.isSCEVable(V->getType()))
    return std::nullopt;
  auto Result = numberOf(SE.getSCEVAtScope(SE.getSCEV(V), Scope), Scope);
  return Result && !Names.hasAddress(Result->Value) ? Result : std::nullopt;
}

std::optional<Expr> ScevToExpr::unsignedNumber(llvm::Value *V, const llvm::Loop *Scope) {
  auto Result = numberOf(V, Scope);
  return Result ? std::optional(Result->asUnsigned()) : std::nullopt;
}

std::optional<Expr> ScevToExpr::naturalNumber(llvm::Value *V, const llvm::Loop *Scope) {
  auto Result = numberOf(V, Scope);
  if (!Result)
    return std::nullopt;
  if (!Result->IsNatural)
    mustLieIn(Result->Value, {0, twoTo(Result->Bits) - Rational(1)});
  return Result->Value;
}

std::optional<Expr> ScevToExpr::signedNumber(llvm::Value *V, const llvm::Loop *Scope) {
  if (!SE.isSCEVable(V->getType()))
    return std::nullopt;
  auto Result = signedNumber(SE.getSCEVAtScope(SE.getSCEV(V), Scope), Scope);
  return Result && !Names.hasAddress(*Result) ? Result : std::nullopt;
}

std::optional<Expr> ScevToExpr::signedNumber(const llvm::SCEV *S, const llvm::Loop *Scope) {
  auto Value = visit(S, Scope);
  const unsigned Bits = unsigned(SE.getTypeSizeInBits(S->getType()));
  if (!Value || S->getType()->isPointerTy() || isFactorWidth(Bits) || Names.hasAddress(*Value))
    return Value;
  if (Bits == 1) // the one bit is the sign
    return -(isa<llvm::SCEVAddRecExpr, llvm::SCEVTruncateExpr>(S) ? lowBits(*Value, 1) : *Value);
  const Rational Half = twoTo(Bits - 1), All = twoTo(Bits);
  if (auto Constant = Value->constant())
    return *Constant < Half ? Value : std::optional(Expr(*Constant - All));
  const auto Range = rangeOf(*Value);
  if (Range && Range->Low >= -Half && Range->High < Half)
    return Value;
  if (Bits < 32) {
    // A source variable that a loop changes is not expected to wrap around.
    const bool IsVariable = Bits == 8 || Bits == 16;
    auto *Moves = dyn_cast<llvm::SCEVAddRecExpr>(S);
    if (Moves && IsVariable && !countsAround(S)) {
      auto Start = visit(Moves->getStart(), Scope);
      auto SignedStart = Start ? signedNumber(Moves->getStart(), Scope) : std::nullopt;
      if (!SignedStart)
        return std::nullopt;
      *Value += *SignedStart - *Start;
      if (!neverWraps(S, true, SE))
        mustLieIn(*Value, {-Half, Half - Rational(1)});
      return Value;
    }
    return lowBitsOf(*Value + Expr(Half), Bits) - Expr(Half);
  }
  if (!hasUnsigned(*Value) && neverWraps(S, true, SE))
    return Value;
  mustLieIn(*Value,
            {-Half, (!hasUnsigned(*Value) && SE.isKnownNonNegative(S) ? All : Half) - Rational(1)},
            Range);
  return Value;
}

std::vector<unsigned> ScevToExpr::wrappingArguments(const CallBase &Site,
                                                    ArrayRef<std::optional<Expr>> Values,
                                                    const llvm::Loop *Scope) {
  static constexpr unsigned LeastBits = 32; // the formula truncates narrower ones
  std::vector<unsigned> Result;
  for (unsigned I = 0; I != Values.size(); ++I) {
    llvm::Value *Passed = Site.getArgOperand(I);
    if (Values[I] && !Values[I]->constant() && !Values[I]->asAtom() &&
        SE.isSCEVable(Passed->getType()) && Passed->getType()->isIntegerTy() &&
        SE.getTypeSizeInBits(Passed->getType()) >= LeastBits &&
        !neverWraps(SE.getSCEVAtScope(Passed, Scope), true, SE))
      Result.push_back(I);
  }
  return Result;
}

/// Reads a constant next to a signed number as signed, which is easier to compare.
static void matchConstant(ScevToExpr::Number &Constant, const ScevToExpr::Number &Other) {
  if (Constant.IsNarrow || !Other.IsNarrow || Other.IsNatural || !Constant.Value.constant())
    return;
  Constant.Value -= Expr(twoTo(Constant.Bits));
  Constant.IsNarrow = true;
  Constant.IsNatural = false;
}

Expr ScevToExpr::isBelow(Number Left, Number Right, bool OrEqual) {
  matchConstant(Left, Right);
  matchConstant(Right, Left);
  auto Below = [&](const Expr &L, const Expr &R) { return isAtLeast(R, OrEqual ? L : L + 1); };
  const Expr Ordered = Below(Left.Value, Right.Value);
  if (Left.IsNatural && Right.IsNatural)
    return Ordered;
  // As unsigned numbers, negative ones are above all others.
  const bool Narrow = Left.IsNarrow && Right.IsNarrow;
  const Expr LeftNatural = Left.IsNatural ? Expr(1) : isNonNegative(Left.Value);
  const Expr RightNatural = Right.IsNatural ? Expr(1) : isNonNegative(Right.Value);
  const Expr LeftNegative = Left.IsNatural ? Expr() : negated(LeftNatural);
  const Expr RightNegative = Right.IsNatural ? Expr() : negated(RightNatural);
  const Expr All{twoTo(Left.Bits)};
  // Above a number that is not negative none is negative, and below a negative one all are.
  Expr Result = LeftNatural * Ordered + RightNegative * Ordered;
  if (!Narrow)
    Result = LeftNatural * RightNatural * Ordered + LeftNegative * RightNegative * Ordered;
  Result += LeftNatural * RightNegative * (Narrow ? Expr(1) : Below(Left.Value, Right.Value + All));
  if (!Narrow)
    Result += LeftNegative * RightNatural * Below(Left.Value + All, Right.Value);
  return simplifyConditions(Result);
}

/// Equal modulo 2^Bits; only a few multiples are possible.
Expr ScevToExpr::isSame(Number Left, Number Right) {
  matchConstant(Left, Right);
  matchConstant(Right, Left);
  const Expr Distance = Left.Value - Right.Value;
  const bool Ordinary = (Left.IsNatural && Right.IsNatural) || (Left.IsNarrow && Right.IsNarrow);
  const auto Range = rangeOf(Distance);
  if (Ordinary && Range && Range->Low >= 0) // one indicator is enough
    return isNonNegative(-Distance);
  const Rational All = twoTo(Left.Bits);
  Expr Result;
  for (int Turns : {-1, 0, 1})
    if (const Rational Multiple = All * Rational(Turns);
        Turns == 0 ||
        (!Ordinary && (!Range || (Range->Low <= Multiple && Multiple <= Range->High))))
      Result += isEqual(Distance, Expr(Multiple));
  return Result;
}

ScevToExpr::Number ScevToExpr::caseNumber(const llvm::ConstantInt &Value) {
  const unsigned Bits = Value.getBitWidth();
  const bool IsNarrow = !Value.getValue().isNegative();
  if (Value.getValue().getActiveBits() <= 64)
    return {Expr(Rational(Value.getZExtValue())), Bits, true, IsNarrow};
  llvm::SmallString<40> Digits;
  Value.getValue().toStringUnsigned(Digits);
  return {Expr(Rational::ofDigits(Digits.str())), Bits, true, IsNarrow};
}

/// The minimum or maximum of unsigned numbers.
ScevToExpr::Number ScevToExpr::extremum(Number Left, Number Right, bool IsMin) {
  matchConstant(Left, Right);
  matchConstant(Right, Left);
  Expr (*Join)(const Expr &, const Expr &) = IsMin ? min : max;
  Number Result = Left;
  Result.IsNatural = IsMin ? Left.IsNatural || Right.IsNatural : Left.IsNatural && Right.IsNatural;
  Result.IsNarrow = Left.IsNarrow && Right.IsNarrow;
  if (Left.IsNatural && Right.IsNatural) {
    Result.Value = Join(Left.Value, Right.Value);
    return Result;
  }
  if (!Result.IsNarrow) {
    const Expr IsLess = isBelow(Left, Right, false);
    const Expr First = Left.asUnsigned(), Second = Right.asUnsigned();
    Result.Value = IsMin ? Second + IsLess * (First - Second) : First + IsLess * (Second - First);
    Result.IsNatural = true;
    return Result;
  }
  const Expr LeftNatural = Left.IsNatural ? Expr(1) : isNonNegative(Left.Value);
  const Expr RightNatural = Right.IsNatural ? Expr(1) : isNonNegative(Right.Value);
  const Expr LeftNegative = Left.IsNatural ? Expr() : negated(LeftNatural);
  const Expr RightNegative = Right.IsNatural ? Expr() : negated(RightNatural);
  const Expr &IfRightNegative = IsMin ? Left.Value : Right.Value;
  const Expr &IfLeftNegative = IsMin ? Right.Value : Left.Value;
  Result.Value =
      (LeftNatural * RightNatural + LeftNegative * RightNegative) * Join(Left.Value, Right.Value) +
      LeftNatural * RightNegative * IfRightNegative + LeftNegative * RightNatural * IfLeftNegative;
  return Result;
}

std::optional<Expr> ScevToExpr::visitUnsignedExtremum(const llvm::SCEVNAryExpr *S,
                                                      const llvm::Loop *Scope) {
  const bool IsMin = !isa<llvm::SCEVUMaxExpr>(S);
  if (S->getType()->isPointerTy())
    return visitOperands(S, Scope, IsMin ? min : max);
  std::optional<Number> Result;
  for (const llvm::SCEV *Operand : S->operands()) {
    auto Next = numberOf(Operand, Scope);
    if (!Next)
      return std::nullopt;
    Result = Result ? extremum(*Result, *Next, IsMin) : *Next;
    if (isTooLarge(Result->Value))
      return std::nullopt;
  }
  return Result->Value;
}

} // namespace ergon
