//===- LoopEnds.cpp - trip counts and exits of loops ----------------------===//

#include "passes/tripcount/LoopEnds.h"
#include "passes/tripcount/MathBranches.h"
#include "passes/tripcount/RetryLoops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

namespace ergon {

Expr sumOf(const std::vector<Expr> &Parts) {
  static constexpr std::size_t Few = 8;
  if (Parts.size() <= Few) {
    Expr Result;
    for (const Expr &Part : Parts)
      Result += Part;
    return Result;
  }
  std::vector<Term> Terms;
  for (const Expr &Part : Parts)
    Terms.insert(Terms.end(), Part.terms().begin(), Part.terms().end());
  return Expr::fromTerms(std::move(Terms));
}

void LoopEnds::count() {
  // Inner loops first; sibling loops in program order.
  auto InOrder = llvm::to_vector(llvm::reverse(Context.LI.getLoopsInReverseSiblingPreorder()));
  if (!InOrder.empty())
    for (const BasicBlock *B : Order)
      Position.try_emplace(B, Position.size());
  for (const llvm::Loop *L : Context.LI.getLoopsInPreorder()) {
    Context.Names.loop(*L);
    Loops[L]; // references to the others stay valid from here on
  }
  // Values that trip counts depend on get symbols, so that conditions on the same values are exact
  // in these.
  Context.Translate.allowNewSymbols(true);
  for (const llvm::Loop *L : InOrder) {
    State &LoopState = Loops[L];
    findExits(*L, LoopState);
    findTimes(*L, LoopState);
    if (!LoopState.IsOpen && !LoopState.IsPending)
      conclude(*L, LoopState);
  }
  Context.Translate.allowNewSymbols(false);
}

void LoopEnds::findExits(const llvm::Loop &L, State &LoopState) {
  SmallVector<llvm::Loop::Edge, 4> All;
  L.getExitEdges(All);
  llvm::SmallDenseSet<Edge, 4> Seen;
  for (const auto &[From, To] : All)
    if (!Cold.count(To) && Seen.insert({From, To}).second)
      LoopState.Edges.push_back({From, To});
  if (LoopState.Edges.size() < 2)
    return;
  auto PositionOf = [&](const Edge &E) {
    return std::pair(Position.lookup(E.first), Position.lookup(E.second));
  };
  llvm::sort(LoopState.Edges, [&](auto &A, auto &B) { return PositionOf(A) < PositionOf(B); });
}

/// Whether \p From leaves \p L on a condition without a formula.
bool LoopEnds::hangsOnData(const llvm::Loop &L, const BasicBlock *From) const {
  for (const llvm::Loop *Inner = Context.LI.getLoopFor(From); Inner != &L;
       Inner = Inner->getParentLoop())
    if (Loops.find(Inner)->second.IsOpen)
      return true;
  return false;
}

void LoopEnds::findTimes(const llvm::Loop &L, State &LoopState) {
  llvm::SmallDenseMap<const BasicBlock *, unsigned, 4> Ways;
  for (const auto &[From, To] : LoopState.Edges)
    ++Ways[From];
  for (const auto &[From, To] : LoopState.Edges) {
    bool IsOwn = Context.LI.getLoopFor(From) == &L;
    if (!IsOwn) {
      (hangsOnData(L, From) ? LoopState.IsOpen : LoopState.IsPending) = true;
      continue;
    }
    // A switch may leave to several blocks.
    if (Ways.lookup(From) != 1) {
      LoopState.IsOpen = true;
      continue;
    }
    if (auto Time = Exits.timeOf(L, From)) {
      LoopState.Times[From] = std::move(*Time);
      continue;
    }
    auto *Branch = dyn_cast<llvm::BranchInst>(From->getTerminator());
    bool IsKnown = Branch && Context.Translate.condition(Branch->getCondition(), &L);
    (IsKnown ? LoopState.IsPending : LoopState.IsOpen) = true;
  }
}

/// Determines the last iteration: that of the earliest exit.
void LoopEnds::conclude(const llvm::Loop &L, State &LoopState) {
  bool TooLong = false, All = !LoopState.IsOpen;
  std::optional<ExitTime> First;
  for (const auto &[From, To] : LoopState.Edges) {
    auto Time = LoopState.Times.find(From);
    if (Time == LoopState.Times.end()) {
      All = false;
      continue;
    }
    if (!TooLong)
      First = First ? firstOf(*First, Time->second) : Time->second;
    TooLong |= !First;
    // Which exit is taken depends on that too.
    if (Time->second.How == Known::Assumed && LoopState.Edges.size() > 1)
      Context.Names.assume(
          locationOf(L.getStartLoc()),
          "no variable that ends the loop wraps around before one of its exits is taken");
  }
  const bool NeverEnds = First && First->Happens.isZero(); // unless something wraps around
  if (All && First && !NeverEnds) {                        // a loop ends by one of its exits
    LoopState.Count = {First->Index, First->How};
    LoopState.Happens = First->Happens;
    if (First->How == Known::Exact)
      Context.Translate.setLast(L, First->Index);
    std::vector<LoopExit> Exits;
    for (const auto &[From, To] : LoopState.Edges)
      Exits.push_back({From, To});
    for (const LoopExit &Exit : Exits)
      if (auto Share = Exits.size() > 1 ? timedShare(LoopState, Exit, Exits) : std::nullopt)
        Context.Translate.setShare(*Exit.From, *Exit.To, *Share);
    return;
  }
  LoopState.Count = unknownTrips(
      L, LoopState,
      L.hasNoExitBlocks() ? "the loop has no end"
      : NeverEnds         ? "the loop ends where a variable wraps around, if ever"
      : First   ? "the loop also ends on a condition that depends on data; it runs at most " +
                      toPretty(First->Index + 1) + " times"
      : TooLong ? "the loop has more exits than one formula can tell apart"
                : "how often the loop runs depends on data");
}

/// Edges from a block of the loop that stay in it, or lead to the outside.
static Edges edgesFrom(const llvm::Loop &L, const BasicBlock &From, bool Stays) {
  Edges Result;
  for (const BasicBlock *To : llvm::successors(&From))
    if (L.contains(To) == Stays && !llvm::is_contained(Result, Edge(&From, To)))
      Result.push_back({&From, To});
  return Result;
}

static Edges edgesInto(const llvm::Loop &L) {
  Edges Result;
  for (const BasicBlock *From : llvm::predecessors(L.getHeader()))
    if (!L.contains(From) && !llvm::is_contained(Result, Edge(From, L.getHeader())))
      Result.push_back({From, L.getHeader()});
  return Result;
}

/// How often the latch of \p L goes on at most, by exits that do not depend on data; nothing where
/// that is no formula.
std::optional<Expr> LoopEnds::mostIterations(const llvm::Loop &L) const {
  const llvm::SCEV *Most = Context.SE.getSymbolicMaxBackedgeTakenCount(&L);
  if (isa<llvm::SCEVCouldNotCompute>(Most))
    return std::nullopt;
  // Scalar evolution's counts are unsigned numbers; a negative one is of a loop that is not
  // entered.
  auto IsNotNegative = [&](const llvm::SCEV *S) {
    return Context.SE.isKnownNonNegative(Context.SE.applyLoopGuards(S, &L)) ||
           Context.SE.isLoopEntryGuardedByCond(&L, llvm::CmpInst::ICMP_SGE, S,
                                               Context.SE.getZero(S->getType()));
  };
  std::optional<ScevToExpr::Trust> NotNegative;
  if (IsNotNegative(Most) && !llvm::SCEVExprContains(Most, [&](const llvm::SCEV *S) {
        auto *Extended = dyn_cast<llvm::SCEVZeroExtendExpr>(S);
        return Extended && !IsNotNegative(Extended->getOperand());
      }))
    NotNegative.emplace(Context.Translate);
  auto Result = Context.Translate.unsignedNumber(Context.SE.getSCEVAtScope(Most, L.getParentLoop()),
                                                 L.getParentLoop());
  return Result && !Context.Names.hasAddress(*Result) ? Result : std::nullopt;
}

/// Whether \p Value is the same in all iterations of loops around \p L.
bool LoopEnds::isSameAround(const llvm::Loop &L, const Expr &Value) const {
  for (const llvm::Loop *Around = L.getParentLoop(); Around; Around = Around->getParentLoop())
    if (Value.dependsOn(Context.Names.loop(*Around)))
      return false;
  return true;
}

/// Whether \p L goes on at the end of \p From where numbers are ordinary.
static bool ordinarilyStays(const llvm::Loop &L, const BasicBlock &From) {
  auto *Branch = dyn_cast<llvm::BranchInst>(From.getTerminator());
  const auto Holds = Branch && Branch->isConditional()
                         ? ordinarily(Branch->getCondition(), /*HaveSign=*/true)
                         : std::nullopt;
  return Holds && L.contains(Branch->getSuccessor(*Holds ? 0 : 1));
}

/// Whether it does so at all exits without a time.
bool LoopEnds::ordinarilyGoesOn(const llvm::Loop &L, const State &LoopState) {
  return llvm::all_of(LoopState.Edges, [&](const Edge &E) {
    return LoopState.Times.contains(E.first) || ordinarilyStays(L, *E.first);
  });
}

/// The mean trip count of a loop tested before each iteration covers all runs that reach the test,
/// even where the optimizer has rotated the loop.
LoopEnds::Trips LoopEnds::unknownTrips(const llvm::Loop &L, const State &LoopState,
                                       const std::string &Why) {
  const BasicBlock *Header = L.getHeader(), *Guard = LoopState.Guard;
  bool IsTestedFirst =
      L.getLoopLatch() != Header &&
      llvm::all_of(LoopState.Edges, [&](const Edge &E) { return E.first == Header; });
  auto Measured = Profile.trips(L);
  if (Measured && IsTestedFirst)
    Measured = *Measured - 1;
  if (Guard && Measured) {
    SmallVector<const BasicBlock *, 2> Ways(llvm::successors(Guard));
    bool IsFirst = Ways[0] == Header || Ways[0]->getSingleSuccessor() == Header;
    const BasicBlock *Inside = Ways[IsFirst ? 0 : 1];
    auto Share = Profile.share(*Guard, *Inside, Ways);
    Measured = Share ? std::optional(*Share * *Measured) : std::nullopt;
  }
  SourceLocation Position = locationOf(L.getStartLoc());
  if (!Position.isValid())
    Position = nearestLocation(*Header->getTerminator());
  std::string Verb = IsTestedFirst || Guard ? "reached" : "entered";
  Expr Count = Context.Names.unknown(
      L.hasNoExitBlocks() ? "endless" : "trips", std::move(Position),
      "mean iterations each time the loop is " + Verb + ": " + Why,
      Probe{IsTestedFirst ? edgesFrom(L, *Header, true) : Edges{{nullptr, Header}},
            Guard ? Edges{{nullptr, Guard}} : edgesInto(L)},
      Measured, Context.SE.getSmallConstantMaxTripCount(&L));
  if (!Measured && retriesUpdate(L))
    Context.Names.usually(Count, Expr(1));
  if (auto Most = mostIterations(L)) {
    const Expr Trips = IsTestedFirst ? *Most : *Most + 1;
    if (!Trips.constant() && isSameAround(L, Trips))
      Context.Names.limit(Count, Trips);
    if (!Measured && ordinarilyGoesOn(L, LoopState))
      Context.Names.usually(Count, Trips);
  }
  return {IsTestedFirst ? Count : Count - 1, Known::Exact}; // the symbol's name says how it is
                                                            // known
}

/// The guard of a data-dependent loop \p L, if the guard is data-dependent too.
const BasicBlock *LoopEnds::findGuard(const llvm::Loop &L) const {
  const llvm::Loop *Around = L.getParentLoop();
  const BasicBlock *Before = L.getLoopPredecessor(), *Behind = L.getUniqueExitBlock();
  if (!Before || !Behind)
    return nullptr;
  if (Before->getSingleSuccessor())
    Before = Before->getSinglePredecessor();
  auto *Guard = Before ? dyn_cast<llvm::BranchInst>(Before->getTerminator()) : nullptr;
  if (!Guard || !Guard->isConditional() || Context.LI.getLoopFor(Before) != Around)
    return nullptr;
  // The path around the loop joins the loop's exit.
  if (!llvm::is_contained(llvm::successors(Guard), Behind) &&
      !llvm::is_contained(llvm::successors(Guard), Behind->getSingleSuccessor()))
    return nullptr;
  for (const BasicBlock *Way : llvm::successors(Guard))
    if (Cold.count(Way) || (Around && (!Around->contains(Way) || Way == Around->getHeader())))
      return nullptr;
  bool IsKnown = Context.Translate.condition(Guard->getCondition(), Around) || ordinaryWay(*Guard);
  return IsKnown ? nullptr : Before;
}

void LoopEnds::enter(const llvm::Loop &L, const Expr &Entries, const Expr &Condition,
                     bool IsPlain) {
  State &LoopState = Loops.find(&L)->second;
  LoopState.Entries = Entries;
  if (LoopState.IsOpen) {
    LoopState.Guard = findGuard(L);
    conclude(L, LoopState);
  }
  // Conditions that hold at the loop's entry simplify its counts.
  LoopState.Count.Last = assuming(LoopState.Count.Last, Condition);
  for (auto &[From, Time] : LoopState.Times) {
    Time.Index = assuming(Time.Index, Condition);
    Time.Happens = assuming(Time.Happens, Condition);
  }
  if (LoopState.IsOpen)
    findShares(L, LoopState, IsPlain);
  else if (!LoopState.IsPending)
    mustEnd(L, LoopState, Condition);
}

/// Notes a range check: a run that reaches \p L where \p Condition holds takes one of its exits;
/// otherwise a variable wraps around, or the loop never ends.
void LoopEnds::mustEnd(const llvm::Loop &L, const State &LoopState, const Expr &Condition) {
  if (LoopState.IsOpen || LoopState.Count.How != Known::Exact)
    return;
  const Expr Stays = negated(assuming(LoopState.Happens, Condition));
  const Expr Goes =
      Stays.isZero() ? Stays : simplifyConditions(Condition * LoopState.Entries * Stays);
  ScevToExpr::Question Asks(Context.Translate, *L.getHeader()->getTerminator());
  Context.Translate.mustLieIn(Goes, {0, 0});
}

/// 1 in the last iteration, else 0.
Expr LoopEnds::atEnd(const llvm::Loop &L) const {
  return isAtLeast(Expr::symbol(Context.Names.loop(L)), trips(L).Last);
}

/// For a data-dependent loop: an exit that also leaves the outer loop is taken as often as in that
/// loop's last iteration; each other data-dependent exit gets a symbol. The rest goes to the first
/// exit with a known iteration.
void LoopEnds::findShares(const llvm::Loop &L, State &LoopState, bool IsPlain) {
  const llvm::Loop *Around = L.getParentLoop();
  std::vector<Expr> Others; // so far
  std::vector<LoopExit> Timed;
  SmallVector<Edge, 4> Unknown;
  for (const auto &[From, To] : LoopState.Edges) {
    auto Outer = Around && IsPlain && !Around->contains(To) ? leavesAtEnd(*Around, *From, *To)
                                                            : std::nullopt;
    if (Outer)
      Others.push_back(LoopState.Shares[{From, To}] = *Outer);
    else if (LoopState.Times.contains(From))
      Timed.push_back({From, To});
    else
      Unknown.push_back({From, To});
  }
  for (const Edge &Way : Unknown) {
    bool IsRest = Timed.empty() && Way == Unknown.back();
    Others.push_back(LoopState.Shares[Way] =
                         IsRest ? Expr(1) - sumOf(Others) : unknownShare(L, Way));
  }
  const Expr ByTime = Expr(1) - sumOf(Others);
  Expr Left = ByTime;
  for (const LoopExit &Exit : Timed) {
    Expr Share = Left;
    if (&Exit != &Timed.back()) {
      auto First = timedShare(LoopState, Exit, Timed);
      Share = First ? ByTime * *First : unknownShare(L, {Exit.From, Exit.To});
    }
    Left -= LoopState.Shares[{Exit.From, Exit.To}] = Share;
  }
}

void LoopEnds::settle(const llvm::Loop &L, const Expr &Condition, ArrayRef<LoopExit> Leaving) {
  State &LoopState = Loops.find(&L)->second;
  if (LoopState.IsOpen || !LoopState.IsPending)
    return;
  for (const LoopExit &Exit : Leaving) {
    if (LoopState.Times.contains(Exit.From))
      continue;
    const llvm::Loop *Inner = Context.LI.getLoopFor(Exit.From);
    while (Inner != &L && Inner->getParentLoop() != &L)
      Inner = Inner->getParentLoop();
    auto When = Inner == &L ? waysOf(Exit.Runs) : waysOut(*Inner, Exit.From);
    if (auto Time = When ? firstOf(*When, Context.Names.loop(L)) : std::nullopt)
      LoopState.Times[Exit.From] = {
          {assuming(Time->Index, Condition), assuming(Time->Happens, Condition)},
          Inner == &L ? Known::Exact : trips(*Inner).How};
  }
  conclude(L, LoopState);
  mustEnd(L, LoopState, Condition);
}

/// When \p Inner is entered, and left from \p From before all its other exits.
std::optional<Ways> LoopEnds::waysOut(const llvm::Loop &Inner, const BasicBlock *From) const {
  const State &LoopState = Loops.find(&Inner)->second;
  auto Own = LoopState.Times.find(From);
  if (Own == LoopState.Times.end())
    return std::nullopt;
  auto Result = bothOf(waysOf(LoopState.Entries), waysOf(Own->second.Happens));
  bool IsBefore = true;
  for (const auto &[Block, To] : LoopState.Edges) {
    if (Block == From) {
      IsBefore = false;
      continue;
    }
    auto Other = LoopState.Times.find(Block);
    if (Other == LoopState.Times.end())
      return std::nullopt;
    Expr Ahead = Other->second.Index - Own->second.Index - (IsBefore ? 1 : 0);
    Result =
        bothOf(Result, eitherOf(waysOf(negated(Other->second.Happens)), waysNonNegative(Ahead)));
  }
  return Result;
}

const ExitTime *LoopEnds::timeOf(const llvm::Loop &L, const BasicBlock &From) const {
  const State &LoopState = Loops.find(&L)->second;
  auto Found = LoopState.Times.find(&From);
  return Found == LoopState.Times.end() ? nullptr : &Found->second;
}

/// \p Iteration, or a simpler form that is equal where it is not negative.
static Expr whereNatural(const Expr &Iteration) {
  const Expr Constant(constantTerm(Iteration));
  const Expr Varying = Iteration - Constant;
  const Atom *Max = Varying.asAtom();
  if (!Max || Max->What != Atom::Kind::Max || Max->Operands.size() != 2)
    return Iteration;
  for (std::size_t I : {0, 1})
    if (auto Least = (Max->Operands[I] + Constant).constant(); Least && *Least <= 0)
      return Max->Operands[1 - I] + Constant;
  return Iteration;
}

std::optional<Expr> LoopEnds::leavesIn(const llvm::Loop &L, const BasicBlock &From) const {
  const ExitTime *Time = timeOf(L, From);
  if (!Time)
    return std::nullopt;
  Expr Stays = isAtLeast(whereNatural(Time->Index), Expr::symbol(Context.Names.loop(L)) + 1);
  return Time->Happens * negated(Stays);
}

std::optional<Expr> LoopEnds::leavesAtEnd(const llvm::Loop &L, const BasicBlock &From,
                                          const BasicBlock &To) const {
  const State &LoopState = Loops.find(&L)->second;
  auto Found = LoopState.Shares.find({&From, &To});
  return Found == LoopState.Shares.end() ? std::nullopt : std::optional(atEnd(L) * Found->second);
}

/// 1 where the loop is left by \p Exit before \p All others, which are tested in order in each
/// iteration; nothing where an exit's iteration is unknown.
std::optional<Expr> LoopEnds::timedShare(const State &LoopState, const LoopExit &Exit,
                                         ArrayRef<LoopExit> All) {
  auto Own = LoopState.Times.find(Exit.From);
  if (Own == LoopState.Times.end())
    return std::nullopt;
  Expr Result = Own->second.Happens;
  bool IsBefore = true;
  for (const LoopExit &Alternative : All) {
    if (Alternative.From == Exit.From) {
      IsBefore = false;
      continue;
    }
    auto Other = LoopState.Times.find(Alternative.From);
    if (Other == LoopState.Times.end())
      return std::nullopt;
    const ExitTime &Time = Other->second;
    Result *= negated(Time.Happens * isAtLeast(Own->second.Index, Time.Index + (IsBefore ? 0 : 1)));
    static constexpr std::size_t MaxSize = 80; // a factor may double the terms
    if (Result.size() > MaxSize)
      return std::nullopt;
  }
  return Result;
}

std::optional<Expr> LoopEnds::share(const llvm::Loop &L, const LoopExit &Exit,
                                    ArrayRef<LoopExit> All) const {
  const State &LoopState = Loops.find(&L)->second;
  if (!LoopState.IsOpen)
    return timedShare(LoopState, Exit, All);
  auto Found = LoopState.Shares.find({Exit.From, Exit.To});
  return Found == LoopState.Shares.end() ? std::nullopt : std::optional(Found->second);
}

Expr LoopEnds::unknownShare(const llvm::Loop &L, const Edge &Exit) const {
  const BasicBlock &From = *Exit.first;
  const bool IsOnlyOne = edgesFrom(L, From, false).size() == 1; // a switch may have several
  const auto Measured = IsOnlyOne ? Profile.leaves(L, From) : std::nullopt;
  Expr Result = Context.Names.unknown(
      "taken", nearestLocation(*From.getTerminator()),
      "share of the loop's runs that leave it here: the loop has several exits",
      Probe{{Exit}, edgesInto(L)}, Measured);
  if (!Measured && ordinarilyStays(L, From))
    Context.Names.estimate(Result, 0, "ordinary numbers go on");
  return Result;
}

} // namespace ergon
