//===- ExecutionCounts.cpp - execution counts of code ---------------------===//

#include "passes/tripcount/ExecutionCounts.h"
#include "passes/tripcount/MathBranches.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

#include <algorithm>
#include <tuple>

namespace ergon {

ExecutionCounts::ExecutionCounts(AnalysisContext &Context)
    : Context(Context), Profile(Context.F, Context.LI, Context.DT),
      Ends(Context, Profile, Order, Cold) {
  llvm::ReversePostOrderTraversal<const llvm::Function *> Traversal(&Context.F);
  Order.assign(Traversal.begin(), Traversal.end());
  for (const BasicBlock *B : Order) {
    const llvm::Loop *L = Context.LI.getLoopFor(B);
    Own[L].push_back(B);
    if (L && L->getHeader() == B)
      Own[L->getParentLoop()].push_back(B);
  }
  findCold();
}

/// Whether \p B ends the program as a run that succeeds does: `exit(0)`, Fortran's `stop`.
static bool endsProgram(const BasicBlock &B) {
  const Instruction *Last = B.getTerminator();
  auto *Site =
      isa<llvm::UnreachableInst>(Last) ? dyn_cast_or_null<CallBase>(Last->getPrevNode()) : nullptr;
  const llvm::Function *Callee = Site ? Site->getCalledFunction() : nullptr;
  if (!Callee || Site->arg_empty() ||
      !llvm::is_contained({"exit", "_exit", "_Exit", "quick_exit", "_FortranAStopStatement"},
                          Callee->getName()))
    return false;
  auto *Status = dyn_cast<llvm::ConstantInt>(Site->getArgOperand(0));
  return !Status || Status->isZero();
}

/// Whether \p Value, which main returns, says that the program has failed.
static bool isFailure(const llvm::Value *Value) {
  auto IsNotZero = [](const llvm::Value *Each) {
    auto *Status = dyn_cast_or_null<llvm::ConstantInt>(Each);
    return Status && !Status->isZero();
  };
  auto *Merged = dyn_cast_or_null<llvm::PHINode>(Value);
  return Merged ? llvm::all_of(Merged->incoming_values(), IsNotZero) : IsNotZero(Value);
}

/// Whether a run that succeeds may return, on a way without cold blocks.
bool ExecutionCounts::mayReturn() const {
  const bool IsMain = Context.F.getName() == "main";
  llvm::SmallSetVector<const BasicBlock *, 16> Seen;
  if (!Cold.count(&Context.F.getEntryBlock()))
    Seen.insert(&Context.F.getEntryBlock());
  for (std::size_t I = 0; I != Seen.size(); ++I) {
    auto *Return = dyn_cast<llvm::ReturnInst>(Seen[I]->getTerminator());
    if (Return && !(IsMain && isFailure(Return->getReturnValue())))
      return true;
    for (const BasicBlock *To : llvm::successors(Seen[I]))
      if (!Cold.count(To))
        Seen.insert(To);
  }
  return false;
}

/// Finds cold blocks: every path ends in `unreachable` (a throw, an abort, a failed assertion), or
/// the block catches an exception. Counts are for runs that return; where none does that succeeds,
/// for those that end the program.
void ExecutionCounts::findCold() {
  auto Find = [&](bool WithEnds) {
    Cold.clear();
    for (const BasicBlock *B : llvm::reverse(Order)) {
      const bool IsEnd = WithEnds && endsProgram(*B);
      bool Dead = (isa<llvm::UnreachableInst>(B->getTerminator()) && !IsEnd) || B->isEHPad();
      if (!Dead && !llvm::succ_empty(B))
        Dead =
            llvm::all_of(llvm::successors(B), [&](const BasicBlock *S) { return Cold.count(S); });
      if (Dead)
        Cold.insert(B);
    }
  };
  Find(/*WithEnds=*/false);
  if (!mayReturn())
    Find(/*WithEnds=*/true);
  if (Cold.count(&Context.F.getEntryBlock()))
    Cold.clear(); // a function that never returns is counted to its end
}

/// The source position of \p B for people.
static std::string positionText(const BasicBlock &B) {
  SourceLocation Position = nearestLocation(*B.getTerminator());
  return Position.isValid() ? Position.text() : "one of its targets (compile with -g to see which)";
}

static Edges edgesFrom(const BasicBlock &B, ArrayRef<const BasicBlock *> To) {
  Edges Result;
  for (const BasicBlock *Successor : To)
    Result.push_back({&B, Successor});
  return Result;
}

/// Why \p Condition is no formula.
static const char *whyUnknown(const llvm::Value &Condition) {
  static constexpr unsigned MaxValues = 16;
  llvm::SmallSetVector<const llvm::Value *, MaxValues> Behind;
  Behind.insert(&Condition);
  for (std::size_t I = 0; I != Behind.size() && I != MaxValues; ++I) {
    auto *Computed = dyn_cast<Instruction>(Behind[I]);
    if (!Computed || isa<llvm::PHINode, llvm::LoadInst, CallBase>(Computed))
      continue;
    const bool IsOfAddresses =
        isa<llvm::PtrToIntInst>(Computed) ||
        (isa<llvm::ICmpInst>(Computed) && Computed->getOperand(0)->getType()->isPointerTy() &&
         !isa<llvm::Constant>(Computed->getOperand(1)));
    if (IsOfAddresses)
      return "the condition depends on where objects lie in memory";
    Behind.insert(Computed->op_begin(), Computed->op_end());
  }
  return "the condition depends on data";
}

/// The successors of \p B with their shares of its \p Runs.
std::vector<std::pair<const BasicBlock *, Expr>>
ExecutionCounts::shares(const BasicBlock &B, const Expr &Runs, const Region &R) {
  llvm::SmallSetVector<const BasicBlock *, 4> LiveSet;
  for (const BasicBlock *S : llvm::successors(&B))
    if (!Cold.count(S))
      LiveSet.insert(S);
  auto Live = LiveSet.takeVector();
  if (Live.empty())
    return {};
  if (Live.size() == 1)
    return {{Live[0], Runs}};

  const Instruction &Terminator = *B.getTerminator();
  ScevToExpr::Question Asks(Context.Translate, Terminator);
  std::vector<std::pair<const BasicBlock *, Expr>> Result;
  auto *Branch = dyn_cast<llvm::BranchInst>(&Terminator);
  // An exit with a known iteration is taken in that iteration.
  if (R.Loop && Branch && R.Loop->contains(Live[0]) != R.Loop->contains(Live[1])) {
    bool FirstStays = R.Loop->contains(Live[0]);
    const BasicBlock *Inner = Live[FirstStays ? 0 : 1], *Out = Live[FirstStays ? 1 : 0];
    if (auto AtEnd = Ends.leavesAtEnd(*R.Loop, B, *Out))
      return {{Inner, Runs - *AtEnd}, {Out, *AtEnd}};
    if (auto Leaves = Ends.leavesIn(*R.Loop, B)) {
      Expr Stays = negated(*Leaves);
      // The branch's own condition is equivalent, sometimes with fewer terms.
      if (auto Taken = Context.Translate.condition(Branch->getCondition(), R.Loop);
          Taken && Stays.terms().size() > 2)
        if (Expr Own = FirstStays ? *Taken : negated(*Taken);
            Own.terms().size() < Stays.terms().size()) {
          Leaves = negated(Own);
          Stays = std::move(Own);
        }
      return {{Inner, Runs * Stays}, {Out, Runs * *Leaves}};
    }
  }
  if (Branch) {
    auto Taken = Context.Translate.condition(Branch->getCondition(), R.Loop);
    if (const BasicBlock *Ordinary = Taken ? nullptr : ordinaryWay(*Branch)) {
      Context.Names.assume(
          nearestLocation(Terminator),
          "the arguments of math functions are ordinary: no infinities, nothing that is "
          "no number, no huge angles");
      Taken = Expr(Ordinary == Live[0] ? 1 : 0);
    }
    // Without a formula, an unknown share runs the guarded code.
    if (!Taken && partingBefore(*Live[0], R.Loop) == &B)
      std::swap(Live[0], Live[1]);
    if (!Taken)
      return unknownShares(*Branch, {Live[0], Live[1]}, Runs, R);
    return {{Live[0], Runs * *Taken}, {Live[1], Runs * negated(*Taken)}};
  }
  return switchShares(B, Live, Runs, R);
}

/// \p Condition where numbers are ordinary; nothing where that is no formula.
std::optional<Expr> ExecutionCounts::usualCondition(llvm::Value &Condition, const Region &R) {
  using namespace llvm::PatternMatch;
  if (auto Holds = ordinarily(&Condition))
    return Expr(*Holds ? 1 : 0);
  llvm::Value *Left, *Right;
  const bool IsOr = match(&Condition, m_LogicalOr(m_Value(Left), m_Value(Right)));
  if (!IsOr && !match(&Condition, m_LogicalAnd(m_Value(Left), m_Value(Right))))
    return Context.Translate.condition(&Condition, R.Loop);
  auto One = usualCondition(*Left, R), Other = One ? usualCondition(*Right, R) : std::nullopt;
  if (!Other)
    return std::nullopt;
  return IsOr ? negated(negated(*One) * negated(*Other)) : *One * *Other;
}

/// The same for a branch whose condition is no formula. It has one where records of other units
/// tell what calls return.
std::vector<std::pair<const BasicBlock *, Expr>>
ExecutionCounts::unknownShares(const llvm::BranchInst &Branch,
                               std::array<const BasicBlock *, 2> Live, const Expr &Runs,
                               const Region &R) {
  const BasicBlock &B = *Branch.getParent();
  std::optional<Expr> Formula;
  if (!R.Loop || (R.Loop->contains(Live[0]) && R.Loop->contains(Live[1]))) {
    const ScevToExpr::WithReturned Returned(Context.Translate);
    Formula = Context.Translate.condition(Branch.getCondition(), R.Loop);
  }
  // The share is that of the way on, so that what follows several checks is one product.
  if (Formula && !Live[0]->getSinglePredecessor() && Live[1]->getSinglePredecessor())
    std::swap(Live[0], Live[1]);
  Expr Share =
      Context.Names.unknown("taken", nearestLocation(Branch),
                            "share of its runs in which the branch goes on to " +
                                positionText(*Live[0]) + ": " + whyUnknown(*Branch.getCondition()),
                            Probe{{{&B, Live[0]}}, edgesFrom(B, Live)}, Profile.shares(B, Live)[0]);
  const bool IsIfTrue = Branch.getSuccessor(0) == Live[0];
  auto OfShare = [&](const Expr &IfTrue) { return IsIfTrue ? IfTrue : negated(IfTrue); };
  if (Formula)
    Context.Names.explain(Share, OfShare(*Formula));
  else if (auto Holds = ordinarily(Branch.getCondition()))
    Context.Names.estimate(Share, *Holds == IsIfTrue ? 1 : 0,
                           "and numbers are seldom equal to a given one, or of extreme size");
  else if (auto Usual = usualCondition(*Branch.getCondition(), R))
    Context.Names.usually(Share, OfShare(*Usual));
  return {{Live[0], Runs * Share}, {Live[1], Runs * (Expr(1) - Share)}};
}

/// The same for a switch on something affine; the default case gets the rest.
std::vector<std::pair<const BasicBlock *, Expr>>
ExecutionCounts::switchShares(const BasicBlock &B, ArrayRef<const BasicBlock *> Live,
                              const Expr &Runs, const Region &R) {
  const Instruction &Terminator = *B.getTerminator();
  auto *Switch = dyn_cast<llvm::SwitchInst>(&Terminator);
  auto Value = Switch ? Context.Translate.numberOf(Switch->getCondition(), R.Loop) : std::nullopt;
  llvm::MapVector<const BasicBlock *, std::vector<Expr>> Parts;
  std::vector<Expr> All;
  auto Add = [&](const BasicBlock *To, const Expr &Share) {
    Parts[To].push_back(Runs * Share);
    All.push_back(Share);
  };
  auto Rest = [&] { return Expr(1) - sumOf(All); };
  if (Value) {
    for (const auto &Case : Switch->cases())
      if (!Cold.count(Case.getCaseSuccessor()))
        Add(Case.getCaseSuccessor(),
            Context.Translate.isSame(*Value, ScevToExpr::caseNumber(*Case.getCaseValue())));
    if (!Cold.count(Switch->getDefaultDest()))
      Add(Switch->getDefaultDest(), Rest());
  } else {
    // A block with many cases takes the sum from the block's runs.
    static constexpr std::size_t Many = 64;
    const Edges E = Live.size() > Many ? Edges{{nullptr, &B}} : edgesFrom(B, Live);
    const auto Measured = Profile.shares(B, Live);
    for (std::size_t I = 0; I + 1 < Live.size(); ++I)
      Add(Live[I], Context.Names.unknown("taken", nearestLocation(Terminator),
                                         "share of its runs in which the branch goes on to " +
                                             positionText(*Live[I]) + ": the value depends on data",
                                         Probe{{{&B, Live[I]}}, E}, Measured[I]));
    Add(Live.back(), Rest());
  }
  std::vector<std::pair<const BasicBlock *, Expr>> Result;
  for (const auto &[To, Part] : Parts)
    Result.emplace_back(To, sumOf(Part));
  return Result;
}

void ExecutionCounts::leaveBlock(const BasicBlock &B, const Expr &Runs, const Region &R,
                                 Flow &Result, std::vector<LoopExit> &Exits) {
  auto Stays = [&](const BasicBlock *S) { return !R.Loop || R.Loop->contains(S); };
  auto GoesOn = [&](const BasicBlock *S) {
    return Stays(S) && !(R.Loop && S == R.Loop->getHeader());
  };
  auto Leaves = [&](const BasicBlock *S) { return !Stays(S) && !Cold.count(S); };
  bool IsExit = llvm::any_of(llvm::successors(&B), Leaves);
  bool GoesOnHere = llvm::any_of(llvm::successors(&B), GoesOn);
  Result.Leaked |=
      llvm::succ_empty(&B) || IsExit ||
      llvm::any_of(llvm::successors(&B), [&](auto *S) { return Stays(S) && !GoesOn(S); });
  // An exit with a known iteration needs no count of its own.
  bool IsTimed = IsExit && Ends.timeOf(*R.Loop, B);
  if (IsTimed)
    for (const BasicBlock *S : llvm::successors(&B))
      if (Leaves(S))
        Exits.push_back({&B, S});
  // If all successors stay in the loop and lead to the next iteration, nothing has to be shared.
  if (R.Loop && !GoesOnHere && (!IsExit || IsTimed))
    return;
  for (const auto &[To, Share] : shares(B, Runs, R))
    if (GoesOn(To))
      Result.add(To, Share);
    else if (!IsTimed && Leaves(To))
      Exits.push_back({&B, To, Share});
}

/// The runs that enter an inner loop leave it by its exits.
void ExecutionCounts::leaveLoop(const llvm::Loop &Inner, const Expr &Entries,
                                std::vector<LoopExit> InnerExits, const llvm::Loop *L, Flow &Result,
                                std::vector<LoopExit> &Exits) {
  auto Leaves = [&](const LoopExit &Exit) { return L && !L->contains(Exit.To); };
  auto ShareOf = [&](const LoopExit &Exit) {
    auto Share = Ends.share(Inner, Exit, InnerExits);
    return Share ? *Share : Ends.unknownShare(Inner, {Exit.From, Exit.To});
  };
  std::vector<Expr> Others; // all but the last target
  llvm::MapVector<const BasicBlock *, std::vector<const LoopExit *>> Targets;
  for (const LoopExit &Exit : InnerExits) {
    if (!Leaves(Exit)) {
      Targets[Exit.To].push_back(&Exit);
      continue;
    }
    auto AtEnd = Ends.leavesAtEnd(*L, *Exit.From, *Exit.To);
    Exits.push_back({Exit.From, Exit.To, AtEnd ? *AtEnd : Entries * ShareOf(Exit)});
    Others.push_back(Exits.back().Runs);
    Result.Leaked = true;
  }
  for (const auto &[To, From] : Targets) {
    Expr Runs;
    if (To == Targets.back().first) {
      Runs = Entries - sumOf(Others);
    } else {
      std::vector<Expr> Ways;
      for (const LoopExit *Exit : From)
        Ways.push_back(Entries * ShareOf(*Exit));
      Others.push_back(Runs = sumOf(Ways));
    }
    if (L && To == L->getHeader())
      Result.Leaked = true;
    else
      Result.add(To, Runs);
  }
}

/// Bounds the effort: formulas that grow too large are replaced by a symbol.
Expr ExecutionCounts::bounded(Expr Runs, const BasicBlock &B, const llvm::Loop *L) {
  if (Runs.size() <= MaxSize &&
      (Runs.terms().size() <= MaxUnknownTerms || !Context.Names.hasOpenUnknown(Runs)))
    return Runs;
  return Context.Names.unknown(
      "runs", nearestLocation(*B.getTerminator()),
      "mean runs of this code in one iteration of what is around it: it hangs "
      "on too many conditions",
      Probe{{{nullptr, &B}}, {{nullptr, L ? L->getHeader() : &Context.F.getEntryBlock()}}});
}

/// Rewrites a large count as one condition, which does not grow in products: without an unknown
/// share a block runs once or not at all.
Expr ExecutionCounts::shortened(const Expr &Runs) {
  return Runs.terms().size() > 1 && Runs.size() > MaxPlainSize && !restsOnUnknown(Runs)
             ? isAtLeast(Runs, Expr(1))
             : Runs;
}

/// The block in the same iteration of \p L that \p B is control-equivalent to: all paths to \p B
/// come from it and all its paths lead to \p B. For an inner loop its header. Null where some paths
/// may leave or reach the next iteration before.
const BasicBlock *ExecutionCounts::partingBefore(const BasicBlock &B, const llvm::Loop *L) const {
  static constexpr std::size_t MaxBlocks = 200;
  const llvm::DomTreeNode *Node = Context.DT.getNode(&B)->getIDom();
  if (!Node)
    return nullptr;
  const BasicBlock *Parting = Node->getBlock();
  const llvm::Loop *Inner = Context.LI.getLoopFor(Parting);
  for (; Inner && Inner != L; Inner = Inner->getParentLoop())
    Parting = Inner->getHeader();
  if (Inner != L || Parting == &B)
    return nullptr;
  llvm::SmallSetVector<const BasicBlock *, 16> Worklist;
  Worklist.insert(Parting);
  for (std::size_t I = 0; I != Worklist.size(); ++I) {
    if (llvm::succ_empty(Worklist[I]) || Worklist.size() > MaxBlocks)
      return nullptr;
    for (const BasicBlock *S : llvm::successors(Worklist[I])) {
      if (S == &B || Cold.count(S))
        continue;
      if (L && (!L->contains(S) || S == L->getHeader()))
        return nullptr;
      Worklist.insert(S);
    }
  }
  return Parting;
}

Region ExecutionCounts::walk(const llvm::Loop *L, const Expr &Condition,
                             std::vector<LoopExit> &Exits) {
  Region R;
  R.Loop = L;
  Flow Runs;
  Runs.add(L ? L->getHeader() : &Context.F.getEntryBlock(), Expr(1));
  for (const BasicBlock *B : Own.find(L)->second) {
    auto Found = Runs.Arriving.find(B);
    if (Found == Runs.Arriving.end() || Cold.count(B))
      continue;
    std::vector<Expr> Arriving = std::move(Found->second);
    Runs.Arriving.erase(Found);
    Runs.Pending.erase(B);
    if (std::ranges::all_of(Arriving, &Expr::isZero))
      continue;
    // Where all paths join and none has left, the block always runs.
    const bool IsAll = Runs.Pending.empty() && !Runs.Leaked;
    Expr E = IsAll ? Expr(1) : sumOf(Arriving);
    if (E.isZero())
      continue;
    if (const BasicBlock *Parting = !IsAll && E.terms().size() > 1 ? partingBefore(*B, L) : nullptr)
      E = Runs.Runs.lookup(Parting);
    E = bounded(simplifyConditions(E), *B, L);
    Runs.Runs[B] = E;
    Expr Short = shortened(E);
    const llvm::Loop *Holds = Context.LI.getLoopFor(B);
    if (Holds == L) {
      R.Blocks.emplace_back(B, Short);
      // The parts of a branch add up where its paths join.
      leaveBlock(*B, B->getUniqueSuccessor() ? E : Short, R, Runs, Exits);
      continue;
    }
    // The header of a loop directly inside this region.
    std::vector<LoopExit> InnerExits;
    if (Short.terms().size() > 1)
      Short = simplifyConditions(assuming(Short, Condition));
    Expr Entered = Short.terms().size() == 1 ? Condition * Short : Condition;
    Ends.enter(*Holds, Short, Entered, !restsOnUnknown(Short));
    Region Inner = walk(Holds, Entered, InnerExits);
    Ends.settle(*Holds, Entered, InnerExits);
    std::tie(Inner.Last, Inner.TripsKnown) =
        std::tie(Ends.trips(*Holds).Last, Ends.trips(*Holds).How);
    Inner.Entries = Short;
    Inner.After = R.Blocks.size();
    if (const BasicBlock *Guard = Ends.openGuard(*Holds))
      Inner.Entries = std::ranges::find(R.Blocks.rbegin(), R.Blocks.rend(), Guard,
                                        &std::pair<const BasicBlock *, Expr>::first)
                          ->second;
    leaveLoop(*Holds, E, std::move(InnerExits), L, Runs, Exits);
    R.Loops.push_back(std::move(Inner));
  }
  return R;
}

/// Makes each block's runs a symbol.
Region ExecutionCounts::blockByBlock(const char *Why) {
  Region R;
  for (const BasicBlock *B : Order)
    if (!Cold.count(B))
      R.Blocks.emplace_back(
          B, B == &Context.F.getEntryBlock()
                 ? Expr(1)
                 : Context.Names.unknown(
                       "runs", nearestLocation(*B->getTerminator()), Why,
                       Probe{{{nullptr, B}}, {{nullptr, &Context.F.getEntryBlock()}}}));
  return R;
}

Region ExecutionCounts::compute(bool ByBlock) {
  if (ByBlock)
    return blockByBlock("mean runs of this code in a call of a function that calls itself");
  if (llvm::containsIrreducibleCFG<const BasicBlock *>(Order, Context.LI))
    return blockByBlock("runs of this code in one call: jumps into loops leave no loop structure");
  Ends.count();
  std::vector<LoopExit> Exits;
  return walk(nullptr, 1, Exits);
}

} // namespace ergon
