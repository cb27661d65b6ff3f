//===- LoopExits.cpp - in which iteration a loop is left ------------------===//

#include "passes/tripcount/LoopExits.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

namespace ergon {

using llvm::CmpInst;

std::optional<ExitTime> firstOf(const ExitTime &Time, const ExitTime &Other) {
  auto First =
      firstOf(static_cast<const Occurrence &>(Time), static_cast<const Occurrence &>(Other));
  return First ? std::optional(ExitTime{*First, std::max(Time.How, Other.How)}) : std::nullopt;
}

/// Scalar evolution's counts are unsigned: 1 - n for n = 2 is the largest machine number.
std::optional<ExitTime> LoopExits::translateCount(const llvm::SCEV *Count,
                                                  const llvm::Loop *Scope) {
  if (isa<llvm::SCEVCouldNotCompute>(Count))
    return std::nullopt;
  auto Result = Context.Translate.unsignedNumber(Context.SE.getSCEVAtScope(Count, Scope), Scope);
  return Result && !Context.Names.hasAddress(*Result) ? std::optional(ExitTime{{*Result}})
                                                      : std::nullopt;
}

std::optional<ExitTime> LoopExits::timeOf(const llvm::Loop &L, const BasicBlock *From) {
  // Only exits tested exactly once per iteration have a time.
  const BasicBlock *Latch = L.getLoopLatch();
  if (!Latch || Context.LI.getLoopFor(From) != &L || !Context.DT.dominates(From, Latch))
    return std::nullopt;
  ScevToExpr::Question Asks(Context.Translate, *L.getHeader()->getTerminator());
  auto *Branch = dyn_cast<llvm::BranchInst>(From->getTerminator());
  if (Branch && Branch->isConditional())
    if (auto Time =
            byCondition(L, *Branch, Branch->getCondition(), L.contains(Branch->getSuccessor(0)),
                        L.getExitingBlock() != nullptr))
      return Time;
  const llvm::Loop *Around = L.getParentLoop();
  if (!Branch) // a switch
    if (auto Exact = translateCount(Context.SE.getExitCount(&L, From), Around))
      return Exact;
  // A count that assumes no wrap-around of the induction variable, and that an equality is met.
  auto *Compare = Branch && Branch->isConditional()
                      ? dyn_cast<llvm::ICmpInst>(Branch->getCondition())
                      : nullptr;
  bool MayMiss = Compare && Compare->isEquality() && !L.getExitingBlock();
  SmallVector<const llvm::SCEVPredicate *, 4> Predicates;
  if (auto Count = MayMiss ? std::nullopt
                           : translateCount(
                                 Context.SE.getPredicatedExitCount(&L, From, &Predicates), Around))
    return ExitTime{*Count, Known::Assumed};
  return Branch && Branch->isConditional()
             ? whenHolds(L, Branch->getCondition(), L.contains(Branch->getSuccessor(0)))
             : std::nullopt;
}

/// For any other condition that is a formula of the iteration.
std::optional<ExitTime> LoopExits::whenHolds(const llvm::Loop &L, llvm::Value *Condition,
                                             bool StaysIfTrue) {
  auto Holds = Context.Translate.condition(Condition, &L);
  auto When = Holds ? waysOf(StaysIfTrue ? negated(*Holds) : *Holds) : std::nullopt;
  auto First = When ? firstOf(*When, Context.Names.loop(L)) : std::nullopt;
  if (!First)
    return std::nullopt;
  // The only exit, if it is not certain to be taken before a variable wraps around.
  const bool MayMiss = L.getExitingBlock() && !(First->Happens == Expr(1));
  return ExitTime{*First, MayMiss ? Known::Assumed : Known::Exact};
}

/// Whether a test compares an unsigned number with one so large that it is meant to wrap around:
/// `x - 2 < 2^32 - 3` holds for all x but -1, 0 and 1.
static bool isAtWrap(llvm::CmpInst::Predicate Stays, const llvm::SCEV *Right) {
  auto *Bound = dyn_cast<llvm::SCEVConstant>(Right);
  return CmpInst::isUnsigned(Stays) && Bound && Bound->getAPInt().isNegative();
}

/// The same test as a signed one, where the numbers that leave are the least or the greatest of
/// those that there are: `x > 1`, of an x that is not negative.
LoopExits::Test LoopExits::inOrder(const Test &ExitTest, const llvm::Loop &L) {
  llvm::ScalarEvolution &SE = Context.SE;
  auto *Sum = dyn_cast<llvm::SCEVAddExpr>(ExitTest.Left);
  auto *Added = Sum ? dyn_cast<llvm::SCEVConstant>(Sum->getOperand(0)) : nullptr;
  const llvm::APInt &Bound = cast<llvm::SCEVConstant>(ExitTest.Right)->getAPInt();
  const llvm::SCEV *X = Added ? SE.getMinusSCEV(ExitTest.Left, Added) : ExitTest.Left;
  const llvm::APInt Less = Added ? Added->getAPInt() : llvm::APInt::getZero(Bound.getBitWidth());
  const auto Leaving =
      llvm::ConstantRange::makeExactICmpRegion(CmpInst::getInversePredicate(ExitTest.Stays), Bound)
          .subtract(Less);
  llvm::ConstantRange All = SE.getSignedRange(X);
  if (auto Number = Context.Translate.numberOf(X, &L); Number && Number->IsNatural)
    All =
        All.intersectWith(llvm::ConstantRange(llvm::APInt::getZero(Bound.getBitWidth()),
                                              llvm::APInt::getSignedMinValue(Bound.getBitWidth())));
  const llvm::ConstantRange Left = All.intersectWith(Leaving);
  if (All.isSignWrappedSet() || Leaving.isSignWrappedSet() || Left.isEmptySet())
    return ExitTest;
  if (Left.getSignedMin() == All.getSignedMin())
    return {CmpInst::ICMP_SGT, X, SE.getConstant(Left.getSignedMax()), ExitTest.IsOnly};
  if (Left.getSignedMax() == All.getSignedMax())
    return {CmpInst::ICMP_SLT, X, SE.getConstant(Left.getSignedMin()), ExitTest.IsOnly};
  return ExitTest;
}

std::optional<ExitTime> LoopExits::byCondition(const llvm::Loop &L, const llvm::BranchInst &Exit,
                                               llvm::Value *Condition, bool StaysIfTrue,
                                               bool IsOnly, unsigned Depth) {
  using namespace llvm::PatternMatch;
  static constexpr unsigned MaxDepth = 8;
  // Two exits merged by the optimizer: the first that holds ends the loop.
  llvm::Value *V, *Other;
  if (StaysIfTrue ? match(Condition, m_LogicalAnd(m_Value(V), m_Value(Other)))
                  : match(Condition, m_LogicalOr(m_Value(V), m_Value(Other)))) {
    if (Depth == MaxDepth)
      return std::nullopt;
    auto First = byCondition(L, Exit, V, StaysIfTrue, false, Depth + 1);
    auto Second = First ? byCondition(L, Exit, Other, StaysIfTrue, false, Depth + 1) : First;
    return Second ? firstOf(*First, *Second) : std::nullopt;
  }
  if (match(Condition, m_Not(m_Value(V))))
    return Depth == MaxDepth ? std::nullopt
                             : byCondition(L, Exit, V, !StaysIfTrue, IsOnly, Depth + 1);
  auto *Compare = dyn_cast<llvm::ICmpInst>(Condition);
  if (!Compare || !Context.SE.isSCEVable(Compare->getOperand(0)->getType()))
    return whenHolds(L, Condition, StaysIfTrue);
  Test ExitTest{StaysIfTrue ? Compare->getPredicate() : Compare->getInversePredicate(),
                Context.SE.getSCEV(Compare->getOperand(0)),
                Context.SE.getSCEV(Compare->getOperand(1)), IsOnly};
  const bool Wraps = isAtWrap(ExitTest.Stays, ExitTest.Right);
  if (Wraps)
    ExitTest = inOrder(ExitTest, L);
  if (CmpInst::isRelational(ExitTest.Stays))
    for (const llvm::SCEV **Side : {&ExitTest.Left, &ExitTest.Right})
      *Side = widened(*Side, CmpInst::isSigned(ExitTest.Stays), Context.SE);
  if (ExitTest.Stays == CmpInst::ICMP_NE)
    if (auto Time = whenEqual(L, ExitTest))
      return Time;
  if (ExitTest.Stays == CmpInst::ICMP_NE)
    if (auto Time = whenFlipped(L, *Compare))
      return Time;
  if (ExitTest.Stays == CmpInst::ICMP_EQ)
    if (auto Time = whenUnequal(L, ExitTest))
      return Time;
  // For variable strides scalar evolution's answers are longer.
  auto *Moves = dyn_cast<llvm::SCEVAddRecExpr>(ExitTest.Left);
  if (CmpInst::isRelational(ExitTest.Stays) && Moves && Moves->isAffine() &&
      !isa<llvm::SCEVConstant>(Moves->getOperand(1)))
    if (auto Time = whenOrdered(L, ExitTest))
      return Time;
  // Scalar evolution solves an equality modulo the machine's word.
  if (ExitTest.Stays != CmpInst::ICMP_NE || IsOnly) {
    // It caches the answer for the whole condition, for later queries of exit values.
    const llvm::SCEV *Count =
        Condition == Exit.getCondition()
            ? Context.SE.getExitCount(&L, Exit.getParent())
            : Context.SE.computeExitLimitFromCond(&L, Condition, !StaysIfTrue, IsOnly)
                  .ExactNotTaken;
    if (auto Exact = translateCount(Count, L.getParentLoop()))
      return Exact;
  }
  if (!CmpInst::isRelational(ExitTest.Stays))
    return std::nullopt;
  if (auto Time = whenOrdered(L, ExitTest))
    return Time;
  if (auto Time = whenHolds(L, Condition, StaysIfTrue))
    return Time;
  auto Time = Wraps ? std::nullopt : whenOrdered(L, ExitTest, /*AreNatural=*/true);
  if (Time)
    Time->How = Known::Assumed;
  return Time;
}

/// The unroller's remainder count 3 - x for a two-bit x, which the optimizer turns into x ^ 3, and
/// its comparison with i into i ^ x == 3.
std::optional<ExitTime> LoopExits::whenFlipped(const llvm::Loop &L, const llvm::ICmpInst &Compare) {
  using namespace llvm::PatternMatch;
  llvm::Value *Count, *Flipped;
  const llvm::APInt *Mask;
  if (!match(Compare.getOperand(1), m_APInt(Mask)) || !Mask->isMask() ||
      !match(Compare.getOperand(0), m_Xor(m_Value(Count), m_Value(Flipped))))
    return std::nullopt;
  if (Context.SE.isLoopInvariant(Context.SE.getSCEV(Count), &L))
    std::swap(Count, Flipped);
  const llvm::SCEV *Bits = Context.SE.getSCEV(Flipped);
  if (!Context.SE.isLoopInvariant(Bits, &L) || Context.SE.getUnsignedRangeMax(Bits).ugt(*Mask))
    return std::nullopt;
  auto *Counter = dyn_cast<llvm::SCEVAddRecExpr>(Context.SE.getSCEV(Count));
  if (!Counter || Counter->getLoop() != &L || !Counter->getStepRecurrence(Context.SE)->isOne())
    return std::nullopt;
  return translateCount(
      Context.SE.getMinusSCEV(Context.SE.getMinusSCEV(Context.SE.getConstant(*Mask), Bits),
                              Counter->getStart()),
      L.getParentLoop());
}

/// \p Left - \p Right in the iterations of \p L.
std::optional<Expr> LoopExits::difference(const llvm::SCEV *Left, const llvm::SCEV *Right,
                                          const llvm::Loop &L) {
  // First as one SCEV: untranslatable parts may cancel. With few bits this would be a remainder.
  const bool IsNarrow =
      Left->getType()->isIntegerTy() && Context.SE.getTypeSizeInBits(Left->getType()) < 32;
  if (auto Result = IsNarrow
                        ? std::nullopt
                        : Context.Translate.translate(Context.SE.getMinusSCEV(Left, Right), &L))
    return Result;
  return Context.Translate.difference(Left, Right, &L);
}

/// How far the left side of \p ExitTest is ahead of the right one, provided that the variable moved
/// by \p L reaches the other side without wrapping around; scalar evolution assumes this of values
/// on both sides.
std::optional<Expr> LoopExits::distanceInOrder(const llvm::Loop &L, const Test &ExitTest) {
  if (ExitTest.Left->getType()->isPointerTy())
    return difference(ExitTest.Left, ExitTest.Right, L);
  auto Left = Context.Translate.numberOf(Context.SE.getSCEVAtScope(ExitTest.Left, &L), &L);
  auto Right = Context.Translate.numberOf(Context.SE.getSCEVAtScope(ExitTest.Right, &L), &L);
  if (!Left || !Right)
    return difference(ExitTest.Left, ExitTest.Right, L); // only their distance is known
  auto NeverWraps = [&](llvm::SCEV::NoWrapFlags Flag) {
    return llvm::all_of(ArrayRef{ExitTest.Left, ExitTest.Right}, [&](const llvm::SCEV *Side) {
      auto *Moves = dyn_cast<llvm::SCEVAddRecExpr>(Side);
      return Moves && Moves->getLoop() == &L
                 ? Moves->getNoWrapFlags(Flag) != llvm::SCEV::FlagAnyWrap
                 : Context.SE.isLoopInvariant(Side, &L);
    });
  };
  const bool AreSigned = Left->IsNarrow && Right->IsNarrow;
  if (AreSigned && NeverWraps(llvm::SCEV::FlagNSW))
    return difference(ExitTest.Left, ExitTest.Right, L);
  if (!Left->IsNatural || !Right->IsNatural || !NeverWraps(llvm::SCEV::FlagNUW))
    return std::nullopt;
  return AreSigned ? difference(ExitTest.Left, ExitTest.Right, L) : Left->Value - Right->Value;
}

/// Stays until a variable with step ±1 equals the other side, which always happens: after as many
/// iterations as their unsigned distance.
std::optional<ExitTime> LoopExits::whenMet(const llvm::Loop &L, const Test &ExitTest) {
  auto *Moves =
      dyn_cast<llvm::SCEVAddRecExpr>(Context.SE.getMinusSCEV(ExitTest.Left, ExitTest.Right));
  if (!Moves || Moves->getLoop() != &L || !Moves->isAffine())
    return std::nullopt;
  const llvm::SCEV *Step = Moves->getStepRecurrence(Context.SE);
  const bool GoesUp = Step->isOne();
  if (!GoesUp && !Step->isAllOnesValue())
    return std::nullopt;
  return translateCount(GoesUp ? Context.SE.getNegativeSCEV(Moves->getStart()) : Moves->getStart(),
                        L.getParentLoop());
}

/// Stays until both sides are equal: d + s·i = 0 for i = -d/s.
std::optional<ExitTime> LoopExits::whenEqual(const llvm::Loop &L, const Test &ExitTest) {
  auto Distance = distanceInOrder(L, ExitTest);
  const bool IsInOrder = Distance.has_value();
  if (!IsInOrder) {
    if (auto Time = whenMet(L, ExitTest))
      return Time;
    Distance = difference(ExitTest.Left, ExitTest.Right, L);
  }
  if (!Distance)
    return std::nullopt;
  const std::string &Iteration = Context.Names.loop(L);
  auto Coefficients = Distance->coefficientsOf(Iteration);
  if (!Coefficients || Coefficients->size() != 2) {
    // A variable that is multiplied or divided reaches the other side, or the loop never ends.
    if (!ExitTest.IsOnly)
      return std::nullopt;
    for (const Expr &Ahead : {*Distance, -*Distance})
      if (auto Last = lastWhere(Ahead - 1, Iteration)) {
        const Expr Past = max(Expr(0), *Last + 1);
        const Expr Missed = Distance->substitute({{Iteration, Past}});
        Context.Translate.mustLieIn(Missed, {0, 0});
        return ExitTime{{Past}};
      }
    return std::nullopt;
  }
  Expr Start = (*Coefficients)[0], Step = (*Coefficients)[1];
  if (auto Bound = lowerBound(Step); Bound && *Bound > 0)
    Start = -Start;
  else if (auto Opposite = lowerBound(-Step); Opposite && *Opposite > 0)
    Step = -Step;
  else
    return std::nullopt;
  ExitTime Result{{floorDiv(Start, Step)}};
  if (!IsInOrder)
    Result.How = Known::Assumed;
  if (ExitTest.IsOnly)
    return Result; // a loop that ends reaches it
  Result.Happens = isNonNegative(Start) * isAtLeast(Result.Index * Step, Start);
  return Result;
}

/// Stays while both sides are equal: leaves at once where they differ, and in the next iteration
/// where one of them changes.
std::optional<ExitTime> LoopExits::whenUnequal(const llvm::Loop &L, const Test &ExitTest) {
  auto Distance = difference(ExitTest.Left, ExitTest.Right, L);
  auto Coefficients = Distance ? Distance->coefficientsOf(Context.Names.loop(L)) : std::nullopt;
  if (!Coefficients || Coefficients->size() > 2)
    return std::nullopt;
  Expr Equal = isEqual(Coefficients->empty() ? Expr() : (*Coefficients)[0], 0);
  if (Coefficients->size() < 2)
    return ExitTime{{Expr(0), Expr(1) - Equal}};
  auto Step = (*Coefficients)[1].constant();
  return Step ? std::optional(ExitTime{{Equal}}) : std::nullopt;
}

/// True where a variable of \p Side that \p L moves may wrap around, including a narrow one that is
/// extended.
static bool mayWrap(const llvm::SCEV *Side, const llvm::Loop &L, bool IsSigned,
                    llvm::ScalarEvolution &SE) {
  return llvm::SCEVExprContains(Side, [&](const llvm::SCEV *Part) {
    if (isa<llvm::SCEVUnknown>(Part)) // a variable without a SCEV
      return !SE.isLoopInvariant(Part, &L);
    auto *Moves = dyn_cast<llvm::SCEVAddRecExpr>(Part);
    return Moves && Moves->getLoop() == &L &&
           !(IsSigned ? Moves->hasNoSignedWrap() : Moves->hasNoUnsignedWrap());
  });
}

/// Stays while one side is less than the other, where the model knows the direction of their
/// distance. \p AreNatural: assumes that unsigned numbers are not negative where that is unknown.
std::optional<ExitTime> LoopExits::whenOrdered(const llvm::Loop &L, const Test &ExitTest,
                                               bool AreNatural) {
  const llvm::SCEV *Smaller = ExitTest.Left, *Larger = ExitTest.Right;
  CmpInst::Predicate Stays = ExitTest.Stays;
  if (llvm::ICmpInst::isGT(Stays) || llvm::ICmpInst::isGE(Stays)) {
    std::swap(Smaller, Larger);
    Stays = CmpInst::getSwappedPredicate(Stays);
  }
  for (const llvm::SCEV **Side : {&Smaller, &Larger})
    *Side = Context.SE.getSCEVAtScope(*Side, &L);
  auto Distance = Context.Translate.difference(Larger, Smaller, &L);
  if (!Distance)
    return std::nullopt;
  if (CmpInst::isUnsigned(Stays) && !Smaller->getType()->isPointerTy()) {
    auto Left = Context.Translate.numberOf(Smaller, &L),
         Right = Context.Translate.numberOf(Larger, &L);
    if (!Left || !Right || !(AreNatural || (Left->IsNatural && Right->IsNatural)))
      return std::nullopt; // the distance of signed numbers is inconclusive
    *Distance = Right->Value - Left->Value;
  } else if (CmpInst::isSigned(Stays)) {
    auto Left = Context.Translate.signedNumber(Smaller, &L),
         Right = Context.Translate.signedNumber(Larger, &L);
    if (Left && Right)
      *Distance = *Right - *Left;
  }
  // Not negative as long as the loop stays.
  Expr Ahead = *Distance - (llvm::ICmpInst::isLE(Stays) ? 0 : 1);
  const std::string &Iteration = Context.Names.loop(L);
  if (auto Last = lastWhere(Ahead, Iteration))
    return ExitTime{{max(Expr(0), *Last + 1)}};
  const bool IsSigned = CmpInst::isSigned(Stays);
  const bool ComesBack =
      mayWrap(Smaller, L, IsSigned, Context.SE) || mayWrap(Larger, L, IsSigned, Context.SE);
  if (!Ahead.dependsOn(Iteration)) // leaves at once, or never by this exit
    return ExitTime{{Expr(0), Expr(1) - isNonNegative(Ahead)},
                    ComesBack ? Known::Assumed : Known::Exact};
  // Where it grows: at once or never, unless it wraps around.
  if (lastWhere(-Ahead, Iteration))
    return ExitTime{{Expr(0), Expr(1) - isNonNegative(Ahead.substitute({{Iteration, Expr(0)}}))},
                    ComesBack ? Known::Assumed : Known::Exact};
  auto Time = whenExhausted(Ahead, Iteration, ExitTest.IsOnly);
  if (Time && ComesBack)
    Time->How = Known::Assumed;
  return Time;
}

/// For a start a and a step -s of unknown sign: where a loop that ends reaches its second
/// iteration, s is positive. Otherwise at once or never.
std::optional<ExitTime> LoopExits::whenExhausted(const Expr &Ahead, const std::string &Iteration,
                                                 bool IsOnly) {
  auto Coefficients = Ahead.coefficientsOf(Iteration);
  if (!Coefficients || Coefficients->size() != 2)
    return std::nullopt;
  Expr Start = (*Coefficients)[0], Step = -(*Coefficients)[1];
  ExitTime Result{};
  if (!IsOnly)
    Result.Happens = Expr(1) - isNonNegative(Start) * isNonNegative(-Step);
  // The same number in both; where the step is not positive the start stays negative.
  if (const Atom *Symbol = Step.asAtom(); Symbol && Symbol->What == Atom::Kind::Symbol) {
    auto InStart = Start.coefficientsOf(Symbol->Name);
    auto Slope = InStart && InStart->size() == 2 ? (*InStart)[1].constant() : std::nullopt;
    if (Slope && *Slope < 0)
      Start = Start.substitute({{Symbol->Name, max(Expr(1), Step)}});
  }
  Result.Index = max(Expr(0), floorDiv(Start, max(Expr(1), Step)) + 1);
  return Result;
}

} // namespace ergon
