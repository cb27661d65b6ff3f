//===- ExecutionCounts.cpp - how often code runs --------------------------===//

#include "passes/ExecutionCounts.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace ergon {

using llvm::BasicBlock;
using llvm::dyn_cast;

ExecutionCounts::ExecutionCounts(const llvm::Function &F, llvm::ScalarEvolution &SE,
                                 const llvm::LoopInfo &LI, const llvm::DominatorTree &DT,
                                 ScevToExpr &Translate, SourceNames &Names)
    : F(F), SE(SE), LI(LI), DT(DT), Translate(Translate), Names(Names), Profile(F, LI, DT) {
  llvm::ReversePostOrderTraversal<const llvm::Function *> Traversal(&F);
  Order.assign(Traversal.begin(), Traversal.end());
  findCold();
}

/// Cold: every way on ends in `unreachable` (a throw, an abort, a failed
/// assertion) or the block catches an exception. Counts are of runs that return.
void ExecutionCounts::findCold() {
  for (const BasicBlock *B : llvm::reverse(Order)) {
    bool Dead = llvm::isa<llvm::UnreachableInst>(B->getTerminator()) || B->isEHPad();
    if (!Dead && !llvm::succ_empty(B))
      Dead = llvm::all_of(llvm::successors(B), [&](const BasicBlock *S) { return Cold.count(S); });
    if (Dead)
      Cold.insert(B);
  }
  if (Cold.count(&F.getEntryBlock()))
    Cold.clear(); // a function that never returns is counted to its end
}

bool ExecutionCounts::isLiveExit(const llvm::Loop &L, const BasicBlock *From) const {
  return llvm::any_of(llvm::successors(From),
                      [&](const BasicBlock *S) { return !L.contains(S) && !Cold.count(S); });
}

/// The number of the last iteration: that of the exit that comes first.
void ExecutionCounts::countTrips(const llvm::Loop &L) {
  Trips &R = TripCounts[&L];
  llvm::SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  bool All = true, TooLong = false;
  std::optional<ExitTime> First;
  for (BasicBlock *From : Exiting) {
    if (!isLiveExit(L, From))
      continue;
    auto Time = LoopExits(SE, LI, DT, Translate, Names).timeOf(L, From);
    if (!Time) {
      All = false;
      continue;
    }
    if (!TooLong)
      First = First ? firstOf(*First, *Time) : Time;
    TooLong |= !First;
    ExitTimes[From] = std::move(*Time);
  }
  if (First) // a loop ends by one of its exits
    std::tie(R.Last, R.How) = std::tie(First->At, First->How);
  if (All && First) {
    if (R.How == Known::Exact)
      Translate.setLast(L, R.Last);
    return;
  }
  bool Any = First.has_value();
  std::string Why =
      Any       ? "the loop also ends on a condition that depends on data; it runs at most " +
                      toPretty(R.Last + 1) + " times"
      : TooLong ? "the loop has more exits than one formula can tell apart"
                : "how often the loop runs depends on data";
  SourceLocation At = locationOf(L.getStartLoc());
  if (!At.isValid())
    At = nearestLocation(*L.getHeader()->getTerminator());
  R.Last =
      Names.unknown("trips", std::move(At), "mean iterations each time the loop is entered: " + Why,
                    Profile.trips(L)) -
      1;
  R.How = Known::Exact; // the symbol says how it is known
}

/// Where a reader finds \p B.
static std::string placeOf(const BasicBlock &B) {
  SourceLocation At = nearestLocation(*B.getTerminator());
  return At.isValid() ? At.text() : "one of its targets (compile with -g to see which)";
}

/// A case's value as `translateUnsigned` has it.
static long caseNumber(const llvm::ConstantInt &Value) {
  return Value.getBitWidth() < 32 ? long(Value.getZExtValue()) : long(Value.getSExtValue());
}

/// Where the runs of \p B go on to, as shares that add up to 1.
std::vector<std::pair<const BasicBlock *, Expr>> ExecutionCounts::shares(const BasicBlock &B,
                                                                         const Region &R) {
  std::vector<const BasicBlock *> Live;
  for (const BasicBlock *S : llvm::successors(&B))
    if (!Cold.count(S) && !llvm::is_contained(Live, S))
      Live.push_back(S);
  if (Live.empty())
    return {};
  if (Live.size() == 1)
    return {{Live[0], Expr(1)}};

  const llvm::Instruction &Terminator = *B.getTerminator();
  std::vector<std::pair<const BasicBlock *, Expr>> Result;
  auto *Branch = dyn_cast<llvm::BranchInst>(&Terminator);
  // An exit whose count is known is taken in that iteration; the only exit of a
  // loop is taken in the last one.
  if (R.Of && Branch && R.Of->contains(Live[0]) != R.Of->contains(Live[1])) {
    bool FirstStays = R.Of->contains(Live[0]);
    Expr Happens(1);
    std::optional<Expr> Until;
    if (auto Known = ExitTimes.find(&B); Known != ExitTimes.end())
      std::tie(Until, Happens) = std::tie(Known->second.At, Known->second.Happens);
    else if (llvm::SmallVector<BasicBlock *, 4> Exiting;
             R.Of->getExitingBlocks(Exiting),
             llvm::count_if(Exiting, [&](BasicBlock *E) { return isLiveExit(*R.Of, E); }) == 1)
      Until = R.Last;
    if (Until) {
      Expr Stays = isAtLeast(*Until, Expr::symbol(Names.loop(*R.Of)) + 1);
      Expr Leaves = Happens * negated(Stays);
      Stays = negated(Leaves);
      // The branch's own condition says the same, at times in fewer terms.
      if (auto Taken = Translate.condition(Branch->getCondition(), R.Of);
          Taken && Stays.terms().size() > 2)
        if (Expr Own = FirstStays ? *Taken : negated(*Taken);
            Own.terms().size() < Stays.terms().size()) {
          Leaves = negated(Own);
          Stays = std::move(Own);
        }
      return {{Live[0], FirstStays ? Stays : Leaves}, {Live[1], FirstStays ? Leaves : Stays}};
    }
  }
  if (Branch) {
    auto Taken = Translate.condition(Branch->getCondition(), R.Of);
    if (!Taken)
      Taken = Names.unknown("taken", nearestLocation(Terminator),
                            "share of its runs in which the branch goes on to " +
                                placeOf(*Live[0]) + ": the condition depends on data",
                            Profile.share(B, *Live[0], Live));
    return {{Live[0], *Taken}, {Live[1], negated(*Taken)}};
  }
  // A switch on something affine; what no case takes goes to the default.
  Expr Rest(1);
  auto *Switch = dyn_cast<llvm::SwitchInst>(&Terminator);
  auto Value = Switch ? Translate.translateUnsigned(Switch->getCondition(), R.Of) : std::nullopt;
  auto Add = [&](const BasicBlock *To, const Expr &Share) {
    auto Found = std::ranges::find(Result, To, &std::pair<const BasicBlock *, Expr>::first);
    if (Found == Result.end())
      Result.emplace_back(To, Share);
    else
      Found->second += Share;
    Rest -= Share;
  };
  if (Value && !Cold.count(Switch->getDefaultDest())) {
    for (const auto &Case : Switch->cases())
      if (!Cold.count(Case.getCaseSuccessor()))
        Add(Case.getCaseSuccessor(), isEqual(*Value, Expr(caseNumber(*Case.getCaseValue()))));
    Expr Left = Rest;
    Add(Switch->getDefaultDest(), Left);
    return Result;
  }
  for (std::size_t I = 0; I + 1 < Live.size(); ++I)
    Add(Live[I], Names.unknown("taken", nearestLocation(Terminator),
                               "share of its runs in which the branch goes on to " +
                                   placeOf(*Live[I]) + ": the value depends on data",
                               Profile.share(B, *Live[I], Live)));
  Expr Left = Rest;
  Add(Live.back(), Left);
  return Result;
}

void ExecutionCounts::leaveBlock(const BasicBlock &B, const Expr &Runs, const Region &R, Flow &Into,
                                 std::vector<Exit> &Exits) {
  Into.Leaked |= llvm::succ_empty(&B);
  for (const BasicBlock *S : llvm::successors(&B)) {
    bool Leaves = R.Of && !R.Of->contains(S) && !Cold.count(S);
    if (Leaves)
      Exits.push_back({&B, S});
    Into.Leaked |= Leaves || (R.Of && S == R.Of->getHeader());
  }
  // Where all ways stay and lead to the next iteration there is nothing to share.
  if (R.Of && llvm::all_of(llvm::successors(&B), [&](const BasicBlock *S) {
        return S == R.Of->getHeader() || !R.Of->contains(S);
      }))
    return;
  for (const auto &[To, Share] : shares(B, R))
    if (!R.Of || (R.Of->contains(To) && To != R.Of->getHeader()))
      Into.add(To, Runs * Share);
}

/// 1 where an inner loop is left by the exit at \p From before all others, which are
/// tested one after the other in each iteration; nothing where one depends on data.
std::optional<Expr> ExecutionCounts::leavesFirst(const BasicBlock *From,
                                                 const std::vector<Exit> &InnerExits) {
  auto Own = ExitTimes.find(From);
  if (Own == ExitTimes.end())
    return std::nullopt;
  Expr Result = Own->second.Happens;
  bool IsBefore = true;
  for (const Exit &Each : InnerExits) {
    if (Each.From == From) {
      IsBefore = false;
      continue;
    }
    auto Other = ExitTimes.find(Each.From);
    if (Other == ExitTimes.end())
      return std::nullopt;
    const auto &[At, Happens, How] = Other->second;
    Result *= negated(Happens * isAtLeast(Own->second.At, At + (IsBefore ? 0 : 1)));
    static constexpr std::size_t MaxSize = 80; // a factor may double the terms
    if (Result.size() > MaxSize)
      return std::nullopt;
  }
  return Result;
}

/// The runs that an inner loop was entered with leave it by its exits.
void ExecutionCounts::leaveLoop(const Region &Inner, const Expr &Entries,
                                const std::vector<Exit> &InnerExits, const llvm::Loop *L,
                                Flow &Into, std::vector<Exit> &Exits) {
  std::vector<const BasicBlock *> Targets;
  for (const Exit &Each : InnerExits)
    if (!llvm::is_contained(Targets, Each.To))
      Targets.push_back(Each.To);
  Expr Left = Entries;
  for (std::size_t I = 0; I != Targets.size(); ++I) {
    Expr Share = Left;
    if (I + 1 != Targets.size()) {
      std::optional<Expr> Part = Expr();
      const BasicBlock *From = nullptr;
      for (const Exit &Each : InnerExits) {
        if (Each.To != Targets[I])
          continue;
        From = Each.From;
        auto First = leavesFirst(From, InnerExits);
        Part = First && Part ? std::optional(*Part + *First) : std::nullopt;
      }
      if (!Part)
        Part = Names.unknown("taken", nearestLocation(*From->getTerminator()),
                             "share of the loop's runs that leave it here: the loop has several "
                             "exits",
                             Profile.leaves(*Inner.Of, *Targets[I]));
      Share = Entries * *Part;
      Left -= Share;
    }
    bool Leaves = L && !L->contains(Targets[I]);
    bool Ends = L && Targets[I] == L->getHeader();
    Into.Leaked |= Leaves || Ends;
    if (Leaves)
      Exits.push_back({Inner.Of->getHeader(), Targets[I]});
    else if (!Ends)
      Into.add(Targets[I], Share);
  }
}

static bool restsOnUnknown(const Expr &Runs) {
  std::set<std::string> Symbols;
  Runs.collectSymbols(Symbols);
  return std::ranges::any_of(Symbols, isUnknownSymbol);
}

/// A bounded effort: runs that have grown beyond any use get a name of their own.
Expr ExecutionCounts::bounded(Expr Runs, const BasicBlock &B) {
  if (Runs.size() <= MaxSize && (Runs.terms().size() <= MaxUnknownTerms || !restsOnUnknown(Runs)))
    return Runs;
  return Names.unknown("runs", nearestLocation(*B.getTerminator()),
                       "mean runs of this code in one iteration of what is around it: it hangs "
                       "on too many conditions");
}

/// Long runs as one condition, which does not grow when it is multiplied: without an
/// unknown share in it a block runs once or not at all.
Expr ExecutionCounts::shortened(const Expr &Runs) {
  return Runs.terms().size() > 1 && Runs.size() > MaxPlainSize && !restsOnUnknown(Runs)
             ? isAtLeast(Runs, Expr(1))
             : Runs;
}

/// What is known where \p L is entered makes its counts simpler.
void ExecutionCounts::simplifyUnder(const llvm::Loop &L, const Expr &Condition) {
  Trips &R = TripCounts[&L];
  R.Last = assuming(R.Last, Condition);
  llvm::SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  for (BasicBlock *From : Exiting)
    if (auto Found = ExitTimes.find(From); Found != ExitTimes.end()) {
      Found->second.At = assuming(Found->second.At, Condition);
      Found->second.Happens = assuming(Found->second.Happens, Condition);
    }
}

Region ExecutionCounts::walk(const llvm::Loop *L, const Expr &Condition, std::vector<Exit> &Exits) {
  Region R;
  R.Of = L;
  if (L)
    std::tie(R.Last, R.TripsKnown) = std::tie(TripCounts[L].Last, TripCounts[L].How);
  Flow Runs;
  Runs.add(L ? L->getHeader() : &F.getEntryBlock(), Expr(1));
  for (const BasicBlock *B : Order) {
    auto Found = Runs.Runs.find(B);
    if (Found == Runs.Runs.end() || Cold.count(B))
      continue;
    Expr Here = Found->second;
    Runs.Pending.erase(B);
    if (Here.isZero())
      continue;
    // Where all ways meet again, and none has left, the block always runs.
    Here = Runs.Pending.empty() && !Runs.Leaked ? Expr(1) : bounded(std::move(Here), *B);
    Expr Short = shortened(Here);
    const llvm::Loop *Holds = LI.getLoopFor(B);
    if (Holds == L) {
      R.Blocks.emplace_back(B, Short);
      // What a branch splits adds up again where its ways meet.
      leaveBlock(*B, B->getSingleSuccessor() ? Here : Short, R, Runs, Exits);
      continue;
    }
    // The header of a loop directly inside this region.
    std::vector<Exit> InnerExits;
    if (Short.terms().size() > 1)
      Short = simplifyConditions(assuming(Short, Condition));
    Expr Entered = Short.terms().size() == 1 ? Condition * Short : Condition;
    simplifyUnder(*Holds, Entered);
    Region Inner = walk(Holds, Entered, InnerExits);
    Inner.Entries = Short;
    leaveLoop(Inner, Here, InnerExits, L, Runs, Exits);
    R.Loops.push_back(std::move(Inner));
  }
  return R;
}

/// Control flow that is no nest of loops: each block's runs are a symbol.
Region ExecutionCounts::unstructured() {
  Region R;
  for (const BasicBlock *B : Order)
    if (!Cold.count(B))
      R.Blocks.emplace_back(B, B == &F.getEntryBlock()
                                   ? Expr(1)
                                   : Names.unknown("runs", nearestLocation(*B->getTerminator()),
                                                   "runs of this code in one call: jumps into "
                                                   "loops leave no loop structure"));
  return R;
}

Region ExecutionCounts::compute() {
  llvm::ReversePostOrderTraversal<const llvm::Function *> Traversal(&F);
  if (llvm::containsIrreducibleCFG<const BasicBlock *>(Traversal, LI))
    return unstructured();
  // Trip counts first: the values that they hang on get symbols, and conditions
  // on the same values are exact in them.
  Translate.allowNewSymbols(true);
  for (const llvm::Loop *L : LI.getLoopsInPreorder())
    countTrips(*L);
  Translate.allowNewSymbols(false);
  std::vector<Exit> Exits;
  return walk(nullptr, 1, Exits);
}

} // namespace ergon
