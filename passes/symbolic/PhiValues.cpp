//===- PhiValues.cpp - values that depend on control flow -----------------===//
//
// Where paths join, a PHI node has one value for each. If the branch conditions are expressions, so
// is its value: the sum over the paths of the value times the indicator that the path was taken.
// The remainder loops of the vectorizer and the unroller start with such values. In a loop header
// the paths are the loop's entry and its back edge.
//
//===----------------------------------------------------------------------===//

#include "passes/symbolic/MultipliedInduction.h"
#include "passes/symbolic/ScevToExpr.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace ergon {

namespace {
/// The paths from a block's immediate dominator to the block, given that it is reached.
class Ways {
public:
  Ways(const BasicBlock &From, const BasicBlock &To, const llvm::LoopInfo &LI,
       ScevToExpr &Translate, const llvm::Loop *Scope)
      : From(From), To(To), Around(LI.getLoopFor(&To)), LI(LI), Translate(Translate), Scope(Scope) {
  }

  /// False where the region is too large, or enters the outer loop from elsewhere.
  bool find();
  /// 1 where the path enters To from \p Last, else 0.
  std::optional<Expr> through(const BasicBlock &Last) { return leaving(Last, To); }

private:
  const BasicBlock &From, &To;
  const llvm::Loop *Around;
  const llvm::LoopInfo &LI;
  ScevToExpr &Translate;
  const llvm::Loop *Scope;
  llvm::SmallSetVector<const BasicBlock *, 16> Visited;
  llvm::DenseMap<const BasicBlock *, std::optional<Expr>> Reached;
  static constexpr std::size_t MaxBlocks = 64;

  bool leadsOn(const BasicBlock *B) const { return B == &To || Visited.contains(B); }
  const llvm::Loop *innerLoop(const BasicBlock &B) const;
  std::optional<Expr> reached(const BasicBlock &B);
  std::optional<Expr> leaving(const BasicBlock &B, const BasicBlock &Target);
  std::optional<Expr> share(const BasicBlock &B, const BasicBlock &Target);
};
} // namespace

bool Ways::find() {
  if (LI.getLoopFor(&From) != Around)
    return false;
  Visited.insert(&From);
  SmallVector<const BasicBlock *, 16> Work(llvm::predecessors(&To));
  while (!Work.empty()) {
    const BasicBlock *B = Work.pop_back_val();
    if (!Visited.insert(B))
      continue;
    if (Visited.size() > MaxBlocks)
      return false;
    llvm::append_range(Work, llvm::predecessors(B));
  }
  return true;
}

/// The outermost loop within the current one that contains \p B; null if there is none.
const llvm::Loop *Ways::innerLoop(const BasicBlock &B) const {
  const llvm::Loop *L = LI.getLoopFor(&B);
  while (L && L != Around && L->getParentLoop() != Around)
    L = L->getParentLoop();
  return L == Around ? nullptr : L;
}

std::optional<Expr> Ways::reached(const BasicBlock &B) {
  if (&B == &From)
    return Expr(1);
  if (auto Found = Reached.find(&B); Found != Reached.end())
    return Found->second;
  Reached[&B] = std::nullopt; // in a cycle that is no loop
  const llvm::Loop *Inner = innerLoop(B);
  std::optional<Expr> Result = Expr();
  llvm::SmallPtrSet<const BasicBlock *, 4> Seen; // a switch may reach it by several edges
  for (const BasicBlock *P : llvm::predecessors(&B)) {
    if ((Inner && Inner->contains(P)) || !Seen.insert(P).second)
      continue;
    auto Part = leaving(*P, B);
    if (!Part) {
      Result.reset();
      break;
    }
    *Result += *Part;
  }
  return Reached[&B] = Result;
}

/// 1 where the path takes the edge from \p B to \p Target.
std::optional<Expr> Ways::leaving(const BasicBlock &B, const BasicBlock &Target) {
  const llvm::Loop *Inner = innerLoop(B);
  if (!Inner) {
    auto Current = reached(B), Share = share(B, Target);
    return Current && Share ? std::optional(*Current * *Share) : std::nullopt;
  }
  // A run that enters an inner loop leaves it.
  SmallVector<llvm::Loop::Edge, 4> Exits;
  Inner->getExitEdges(Exits);
  auto Entered = reached(*Inner->getHeader());
  if (llvm::count_if(Exits, [&](const llvm::Loop::Edge &E) { return leadsOn(E.second); }) == 1)
    return Entered;
  auto Share = Translate.shareOf(B, Target);
  return Entered && Share ? std::optional(*Entered * *Share) : std::nullopt;
}

/// The share of the runs of \p B on paths to To that continue to \p Target.
std::optional<Expr> Ways::share(const BasicBlock &B, const BasicBlock &Target) {
  if (llvm::all_of(llvm::successors(&B),
                   [&](const BasicBlock *S) { return S == &Target || !leadsOn(S); }))
    return Expr(1);
  auto *Branch = dyn_cast<llvm::BranchInst>(B.getTerminator());
  if (!Branch)
    return std::nullopt;
  auto Taken = Translate.condition(Branch->getCondition(), Scope);
  if (!Taken)
    return std::nullopt;
  return Branch->getSuccessor(0) == &Target ? *Taken : Expr(1) - *Taken;
}

/// True where \p Difference is a multiple of \p Zero.
static bool vanishesWith(const Expr &Difference, const Expr &Zero) {
  if (Difference.isZero() || Zero.isZero())
    return Difference.isZero();
  Rational Ratio = Difference.terms()[0].Coefficient / Zero.terms()[0].Coefficient;
  return Difference == Zero * Expr(Ratio);
}

/// A remainder loop is skipped where the remainder is zero, and would then leave the same value: `x
/// == y ? v : v + (x - y)` is the second operand.
std::optional<Expr> ScevToExpr::visitSkipped(const llvm::PHINode *Phi, const BasicBlock &From,
                                             const llvm::Loop *Scope) {
  auto *Branch = dyn_cast<llvm::BranchInst>(From.getTerminator());
  auto *Compare = Branch && Branch->isConditional()
                      ? dyn_cast<llvm::ICmpInst>(Branch->getCondition())
                      : nullptr;
  if (!Compare || !Compare->isEquality() || Phi->getNumIncomingValues() != 2)
    return std::nullopt;
  const BasicBlock *IfEqual =
      Branch->getSuccessor(Compare->getPredicate() == llvm::CmpInst::ICMP_EQ ? 0 : 1);
  unsigned Skipped = Phi->getIncomingBlock(0) == &From ? 0 : 1;
  if (Phi->getIncomingBlock(Skipped) != &From || IfEqual != Phi->getParent())
    return std::nullopt;
  auto Before = visit(Phi->getIncomingValue(Skipped), Scope),
       After = visit(Phi->getIncomingValue(1 - Skipped), Scope),
       Left = translate(Compare->getOperand(0), Scope),
       Right = translate(Compare->getOperand(1), Scope);
  if (Before && After && Left && Right && vanishesWith(*After - *Before, *Left - *Right))
    return After;
  return std::nullopt;
}

/// One of the values that meet in \p Phi, where they are equal: the optimizer computes a value
/// again on the paths that lack it.
static llvm::Value *sameOnAllWays(const llvm::PHINode &Phi, llvm::ScalarEvolution &SE) {
  llvm::Value *First = Phi.getIncomingValue(0);
  if (!SE.isSCEVable(Phi.getType()) || llvm::is_contained(Phi.incoming_values(), &Phi))
    return nullptr;
  const llvm::SCEV *Value = SE.getSCEV(First);
  return llvm::all_of(Phi.incoming_values(),
                      [&](llvm::Value *Incoming) { return SE.getSCEV(Incoming) == Value; })
             ? First
             : nullptr;
}

std::optional<Expr> ScevToExpr::visitJoin(const llvm::PHINode *Phi, const llvm::Loop *Scope) {
  const BasicBlock *B = Phi->getParent();
  const llvm::Loop *Around = LI.getLoopFor(B);
  if (Around && (Around->getHeader() == B || !Around->contains(Scope)))
    return std::nullopt; // it differs in each iteration
  const llvm::DomTreeNode *Node = DT.getNode(B);
  if (!Node || !Node->getIDom())
    return std::nullopt;
  if (llvm::Value *Same = sameOnAllWays(*Phi, SE))
    return visit(Same, Scope);
  const BasicBlock &From = *Node->getIDom()->getBlock();
  if (auto Skipped = visitSkipped(Phi, From, Scope))
    return Skipped;
  Ways Taken(From, *B, LI, *this, Scope);
  if (!Taken.find())
    return std::nullopt;
  auto ValueOf = [&](llvm::Value *Incoming) {
    return Incoming->getType()->isIntegerTy(1)        ? condition(Incoming, Scope)
           : Incoming->getType()->isFloatingPointTy() ? realNumber(Incoming, Scope)
                                                      : visit(Incoming, Scope);
  };
  // Stops early where a value has no formula. New symbols are created only for values on known
  // paths.
  if (!NewSymbols && llvm::any_of(Phi->incoming_values(), [&](llvm::Value *Incoming) {
        return !isa<llvm::UndefValue>(Incoming) && !ValueOf(Incoming);
      }))
    return std::nullopt;
  Expr Result;
  llvm::SmallPtrSet<const BasicBlock *, 4> Seen;
  for (unsigned I = 0; I != Phi->getNumIncomingValues(); ++I) {
    if (!Seen.insert(Phi->getIncomingBlock(I)).second)
      continue;
    llvm::Value *Incoming = Phi->getIncomingValue(I);
    if (isa<llvm::UndefValue>(Incoming)) // it is never read
      continue;
    auto Value = ValueOf(Incoming);
    auto Way = Value ? Taken.through(*Phi->getIncomingBlock(I)) : std::nullopt;
    if (!Way)
      return std::nullopt;
    Result += *Value * *Way;
    if (isTooLarge(Result))
      return std::nullopt;
  }
  return simplifyConditions(Result);
}

/// The value where paths meet that have written different ones.
std::optional<Expr> ScevToExpr::valueAtJoin(const Place &Wanted, const llvm::MemoryPhi &Phi,
                                            const llvm::Loop *Scope) {
  const BasicBlock &B = *Phi.getBlock();
  const llvm::Loop *Around = LI.getLoopFor(&B);
  if (Around && Around->getHeader() == &B)
    return valueAtHeader(Wanted, Phi, *Around);
  std::vector<std::optional<Expr>> Values;
  for (const llvm::Use &Incoming : Phi.incoming_values()) {
    Values.push_back(valueAt(Wanted, cast<llvm::MemoryAccess>(Incoming.get()), Scope));
    if (!Values.back())
      return std::nullopt;
  }
  if (llvm::all_equal(Values))
    return Values.front();
  const llvm::DomTreeNode *Node = DT.getNode(&B);
  if (!Node || !Node->getIDom())
    return std::nullopt;
  Ways Taken(*Node->getIDom()->getBlock(), B, LI, *this, Scope);
  if (!Taken.find())
    return std::nullopt;
  Expr Result;
  llvm::SmallPtrSet<const BasicBlock *, 4> Seen;
  for (unsigned I = 0; I != Values.size(); ++I) {
    if (!Seen.insert(Phi.getIncomingBlock(I)).second)
      continue;
    auto Way = Taken.through(*Phi.getIncomingBlock(I));
    if (!Way)
      return std::nullopt;
    Result += *Values[I] * *Way;
  }
  return simplifyConditions(Result);
}

/// The value that \p V copies, apart from bits above an `int`'s.
static llvm::Value *widthOnly(llvm::Value *V) {
  using namespace llvm::PatternMatch;
  llvm::Value *Inner;
  if (match(V, m_CombineOr(m_ZExtOrSExt(m_Value(Inner)), m_Trunc(m_Value(Inner)))))
    return Inner->getType()->getIntegerBitWidth() >= 32 && V->getType()->getIntegerBitWidth() >= 32
               ? Inner
               : nullptr;
  if (V->getType()->isIntegerTy(64) &&
      match(V, m_AShr(m_Shl(m_Value(Inner), m_SpecificInt(32)), m_SpecificInt(32))))
    return Inner;
  return nullptr;
}

/// \p V without such copies: an `int` updated by 64 bits, `i += grid.size()`, is the remainder of a
/// sum for scalar evolution.
static llvm::Value *anyWidth(llvm::Value *V) {
  while (llvm::Value *Inner = widthOnly(V))
    V = Inner;
  return V;
}

/// What \p L adds to \p Phi in each iteration: the same, or a number that grows evenly with the
/// iteration. Unlike scalar evolution, this includes steps loaded again in each iteration, such as
/// `gridDim.x`.
std::optional<Expr> ScevToExpr::stepOf(llvm::PHINode &Phi, const llvm::Loop &L) {
  using namespace llvm::PatternMatch;
  const BasicBlock *Latch = L.getLoopLatch();
  if (!Latch || !L.getLoopPredecessor() || Phi.getParent() != L.getHeader() ||
      !Phi.getType()->isIntegerTy())
    return std::nullopt;
  llvm::Value *Next = anyWidth(Phi.getIncomingValueForBlock(Latch)), *From, *Added;
  if (auto *Join = dyn_cast<llvm::PHINode>(Next); Join && Join->getParent() != L.getHeader())
    if (llvm::Value *Same = sameOnAllWays(*Join, SE))
      Next = anyWidth(Same);
  const llvm::SCEV *Changed = SE.getSCEV(&Phi);
  auto *Sum = dyn_cast<llvm::SCEVAddExpr>(SE.getSCEV(Next));
  bool Adds = match(Next, m_Add(m_Value(From), m_Value(Added)));
  if (Adds && anyWidth(Added) == &Phi)
    std::swap(From, Added);
  std::optional<Expr> Step;
  auto Once = [&](auto Translate) {
    if (!Stepping.insert(&Phi).second) // a cyclic step
      return;
    Step = Translate();
    Stepping.erase(&Phi);
  };
  if ((Adds || match(Next, m_Sub(m_Value(From), m_Value(Added)))) && anyWidth(From) == &Phi)
    Once([&] { return translate(Added, &L); });
  else if (Sum && isa<llvm::SCEVUnknown>(Changed) && llvm::is_contained(Sum->operands(), Changed)) {
    Adds = true;
    Once([&] { return formula(visit(SE.getMinusSCEV(Sum, Changed), &L)); });
  }
  return Step && !Adds ? -*Step : Step;
}

/// The sum of \p Step, which may depend on the iteration of \p L, over all iterations before.
std::optional<Expr> ScevToExpr::sumOfSteps(const Expr &Step, const llvm::Loop &L) {
  const Expr Iteration = Expr::symbol(Names.loop(L));
  if (!Step.dependsOn(Names.loop(L)))
    return Iteration * Step;
  const Expr First = Step.substitute({{Names.loop(L), Expr(0)}});
  const Expr Growth = Step.substitute({{Names.loop(L), Expr(1)}}) - First;
  if (Step != First + Iteration * Growth)
    return std::nullopt;
  return Iteration * First + Iteration * (Iteration - 1) * Growth * Expr(Rational(1, 2));
}

/// An index that goes around: x becomes (x + step) mod m in each iteration, as where columns start
/// after each other at other distances from aligned data. With m = 2, and from 0 on, it may have an
/// upper bound, which is 0 or does not matter.
std::optional<Expr> ScevToExpr::valueAround(const llvm::PHINode &Phi, const llvm::Loop &L) {
  using namespace llvm::PatternMatch;
  const BasicBlock *Latch = L.getLoopLatch(), *Before = L.getLoopPredecessor();
  if (!Latch || !Before || !Phi.getType()->isIntegerTy())
    return std::nullopt;
  llvm::Value *Next = Phi.getIncomingValueForBlock(Latch), *Bound = nullptr, *Added;
  const llvm::APInt *Modulus;
  if (auto *Least = dyn_cast<llvm::IntrinsicInst>(Next);
      Least && Least->getIntrinsicID() == llvm::Intrinsic::smin) {
    const unsigned Side = match(Least->getArgOperand(0), m_SRem(m_Value(), m_Value())) ? 0 : 1;
    Next = Least->getArgOperand(Side);
    Bound = Least->getArgOperand(1 - Side);
  }
  if (!match(Next, m_SRem(m_c_Add(m_Specific(&Phi), m_Value(Added)), m_APInt(Modulus))) ||
      !Modulus->isStrictlyPositive() || (Bound && *Modulus != 2) ||
      !SE.isKnownNonNegative(SE.getSCEV(Added)) || !L.isLoopInvariant(Added) ||
      (Bound && !L.isLoopInvariant(Bound)))
    return std::nullopt;
  const llvm::Loop *Outside = L.getParentLoop();
  auto Start = translate(Phi.getIncomingValueForBlock(Before), Outside);
  auto Step = translate(Added, Outside);
  auto Most = Bound ? translate(Bound, Outside) : std::nullopt;
  const Rational Number = integerExpr(*Modulus).constant().value();
  const auto Range = Start ? rangeOf(*Start) : std::nullopt;
  if (!Step || !Range || Range->Low < 0 || Range->High >= Number || (Bound && !Most) ||
      (Bound && !Start->isZero()))
    return std::nullopt;
  const Expr Turned = *Start + *Step * Expr::symbol(Names.loop(L));
  Expr Result = Turned - Expr(Number) * floorDiv(Turned, Expr(Number));
  return Bound ? min(*Most, Result) : Result;
}

/// The value of \p Phi from the second iteration of \p L on, where it is an induction variable's
/// value of the previous iteration: the left neighbour in a ring.
std::optional<Expr> ScevToExpr::valueBefore(const llvm::PHINode &Phi, const llvm::Loop &L) {
  const BasicBlock *Latch = L.getLoopLatch();
  if (!Latch || !Phi.getType()->isIntegerTy())
    return std::nullopt;
  llvm::Value *Next = Phi.getIncomingValueForBlock(Latch);
  auto *Induction = dyn_cast<llvm::SCEVAddRecExpr>(SE.getSCEV(Next));
  auto *Other = dyn_cast<llvm::PHINode>(Next); // two iterations back
  bool IsOther = Other && Other->getParent() == Phi.getParent();
  if ((!IsOther && !(Induction && Induction->getLoop() == &L)) || !Stepping.insert(&Phi).second)
    return std::nullopt;
  auto Value = translate(Next, &L);
  Stepping.erase(&Phi);
  if (!Value)
    return std::nullopt;
  const std::string &Variable = Names.loop(L);
  return Value->substitute({{Variable, Expr::symbol(Variable) - 1}});
}

/// The loads of what \p Next is the sum of, and \p Added, on all ways to it within \p L; false
/// where it is something else on one.
static bool findReloads(llvm::Value *Next, const llvm::Loop &L, llvm::Value *&Added,
                        llvm::SmallSetVector<llvm::LoadInst *, 4> &Loads) {
  using namespace llvm::PatternMatch;
  static constexpr std::size_t MaxWays = 8;
  llvm::SmallSetVector<llvm::Value *, 8> Open;
  Open.insert(Next);
  for (std::size_t I = 0; I != Open.size(); ++I) {
    llvm::Value *Loaded, *Other;
    if (auto *Join = dyn_cast<llvm::PHINode>(Open[I]); Join && L.contains(Join)) {
      Open.insert_range(Join->incoming_values());
      if (Open.size() > MaxWays)
        return false;
      continue;
    }
    if (!match(Open[I], m_Add(m_Value(Loaded), m_Value(Other))))
      return false;
    auto *Load = dyn_cast<llvm::LoadInst>(Loaded);
    if (!Load || !L.contains(Load) || !L.isLoopInvariant(Other) || (Added && Added != Other))
      return false;
    Added = Other;
    Loads.insert(Load);
  }
  return true;
}

/// A variable of a Fortran loop that the loop passes to calls, and then loads again to move it: it
/// moves by the same step each time, if they only read it.
std::optional<Expr> ScevToExpr::valueReloaded(const llvm::PHINode &Phi, const llvm::Loop &L,
                                              const llvm::Loop *Scope) {
  const BasicBlock *Latch = L.getLoopLatch(), *Before = L.getLoopPredecessor();
  llvm::Value *Added = nullptr;
  llvm::SmallSetVector<llvm::LoadInst *, 4> Loads;
  if (!Latch || !Before || !Scope || !L.contains(Scope) || !Phi.getType()->isIntegerTy() ||
      !findReloads(Phi.getIncomingValueForBlock(Latch), L, Added, Loads))
    return std::nullopt;
  std::vector<PointerTaker> After;
  for (const llvm::LoadInst *Load : Loads) {
    const auto Kept = Memory.reloadedBy(*Load);
    if (!Kept || Kept->Stored != &Phi)
      return std::nullopt;
    for (const PointerTaker &Taker : Kept->After)
      if (!llvm::is_contained(After, Taker))
        After.push_back(Taker);
  }
  const auto Sees = Memory.sightOf(*Loads[0]);
  auto Start = translate(Phi.getIncomingValueForBlock(Before), L.getParentLoop()),
       Step = translate(Added, L.getParentLoop());
  if (!Sees || !Start || !Step)
    return std::nullopt;
  const Expr Value = *Start + *Step * Expr::symbol(Names.loop(L));
  const auto Bytes = unsigned(Phi.getType()->getIntegerBitWidth() / 8);
  return Names.reloaded(*Sees, Bytes, *Loads[0], Value, After);
}

/// An induction variable without a SCEV recurrence, or a join of paths.
std::optional<Expr> ScevToExpr::visitPhi(llvm::PHINode &Phi, const llvm::Loop *Scope) {
  const llvm::Loop *L = LI.getLoopFor(Phi.getParent());
  if (!L || L->getHeader() != Phi.getParent())
    return visitJoin(&Phi, Scope);
  auto Multiplied = multipliedInduction(Phi, *L, SE);
  auto Step = Multiplied ? std::nullopt : stepOf(Phi, *L);
  auto Steps = Step ? sumOfSteps(*Step, *L) : std::nullopt;
  auto Before = Multiplied || Steps ? std::nullopt : valueBefore(Phi, *L);
  if (!Multiplied && !Steps && !Before) {
    auto Around = valueAround(Phi, *L);
    return Around ? afterLoops(std::move(*Around), L, Scope) : valueReloaded(Phi, *L, Scope);
  }
  llvm::Value *First = Phi.getIncomingValueForBlock(L->getLoopPredecessor());
  auto Start = !Multiplied || !Multiplied->Divides ? translate(First, L->getParentLoop())
               : Multiplied->IsUnsigned            ? naturalNumber(First, L->getParentLoop())
                                                   : signedNumber(First, L->getParentLoop());
  if (!Start)
    return std::nullopt;
  Expr Iteration = Expr::symbol(Names.loop(*L));
  return afterLoops(Steps    ? *Start + *Steps
                    : Before ? *Start + isAtLeast(Iteration, 1) * (*Before - *Start)
                             : Multiplied->value(Iteration, *Start),
                    L, Scope);
}

} // namespace ergon
