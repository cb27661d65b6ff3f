//===- Program.cpp - totals over loops, calls and threads -----------------===//

#include "model/Program.h"

#include <algorithm>

namespace ergon {

/// Symbols of unknowns have a source position or a function in them; parameters,
/// launch dimensions and iteration numbers do not.
static bool isUnknownSymbol(const std::string &Symbol) {
  return Symbol.find('@') != std::string::npos;
}

static void collectUnknowns(const Expr &Formula, std::set<std::string> &Into) {
  std::set<std::string> Symbols;
  Formula.collectSymbols(Symbols);
  for (const std::string &Symbol : Symbols)
    if (isUnknownSymbol(Symbol))
      Into.insert(Symbol);
}

static Expr launchDimension(const char *Prefix, char Axis, const Substitution &Bound) {
  std::string Name = std::string(Prefix) + Axis;
  auto Found = Bound.find(Name);
  return Found == Bound.end() ? Expr::symbol(std::move(Name)) : Found->second;
}

Expr sumOverThreads(const Expr &PerThread, const Substitution &Bound) {
  Expr Result = PerThread;
  for (char Axis : {'x', 'y', 'z'}) {
    std::string BlockIndex = std::string("blockIdx.") + Axis;
    std::string ThreadIndex = std::string("threadIdx.") + Axis;
    Expr Grid = launchDimension("grid.", Axis, Bound);
    Expr BlockSize = launchDimension("block.", Axis, Bound);
    bool ByThread = Result.dependsOn(ThreadIndex);
    if (!ByThread && !Result.dependsOn(BlockIndex)) {
      Result *= Grid * BlockSize;
      continue;
    }
    if (ByThread) {
      // Where both stand only in blockIdx·blockDim + threadIdx, that is one index.
      std::string Global = std::string("thread.") + Axis;
      Expr Fused = Result.substitute(
          {{ThreadIndex, Expr::symbol(Global) - Expr::symbol(BlockIndex) * BlockSize}});
      if (!Fused.dependsOn(BlockIndex)) {
        Result = sum(Global, 0, Grid * BlockSize - 1, Fused);
        continue;
      }
    }
    Result = sum(ThreadIndex, 0, BlockSize - 1, Result);
    Result = sum(BlockIndex, 0, Grid - 1, Result);
  }
  return Result;
}

void TotalsBuilder::addCall(const Call &Site, const Block &Where, const Function &Owner,
                            std::vector<Item> &Into) {
  Expr Runs = bind(Where.Runs);
  std::set<std::string> Rests;
  collectUnknowns(Where.Runs, Rests);
  auto Open = [&](std::string Name, const Expr &Times) {
    Into.push_back({Times, {}, Rests, Known::Exact, std::move(Name)});
  };
  if (Site.Callee.empty())
    return Open("call@" + (Site.At.isValid() ? Site.At.text() : Owner.Name), Runs);
  const Function *Callee = Site.IsLaunch ? nullptr : Find(Site.Callee, Owner);
  if (!Callee)
    return Open((Site.IsLaunch ? "launch:" : "call:") + Site.Callee, Runs);
  if (Active.contains(Callee))
    return Open("recursion:" + Site.Callee, Runs);

  const Totals &Inner = ofOneThread(*Callee);
  Substitution Actual;
  for (std::size_t I = 0; I != Callee->Parameters.size(); ++I) {
    const std::string &Formal = Callee->Parameters[I].Name;
    if (I < Site.Arguments.size() && Site.Arguments[I])
      Actual.emplace(Formal, bind(*Site.Arguments[I]));
    else // an unknown of its own where the callee's cost depends on it
      Actual.emplace(Formal, Expr::symbol("value@" + Site.At.text() + ":" + Formal));
  }
  for (const auto &[Class, Amount] : Inner.Values) {
    Item Next;
    Next.Times = Runs * bind(Amount.substitute(Actual));
    Next.Each.add(Class, Expr(1));
    Next.Rests = Rests;
    collectUnknowns(Amount.substitute(Actual), Next.Rests);
    if (auto Found = Inner.Rests.find(Class); Found != Inner.Rests.end())
      Next.Rests.insert(Found->second.begin(), Found->second.end());
    if (auto Found = Inner.KnownAs.find(Class); Found != Inner.KnownAs.end())
      Next.How = Found->second;
    Into.push_back(std::move(Next));
  }
  for (const auto &[Name, Times] : Inner.OpenCalls)
    Open(Name, Runs * bind(Times.substitute(Actual)));
}

std::vector<TotalsBuilder::Item> TotalsBuilder::itemsOf(const Loop &Region,
                                                        const Function &Owner) {
  std::vector<Item> Items;
  for (const Block &Each : Region.Blocks) {
    Item Constant;
    Constant.Times = bind(Each.Runs);
    collectUnknowns(Each.Runs, Constant.Rests);
    for (const auto &[Class, Amount] : Each.PerRun) {
      if (Amount.constant()) {
        Constant.Each.add(Class, Amount);
        continue;
      }
      Item Varying{Constant.Times * bind(Amount), {}, Constant.Rests, Known::Exact, {}};
      Varying.Each.add(Class, Expr(1));
      collectUnknowns(Amount, Varying.Rests);
      Items.push_back(std::move(Varying));
    }
    if (!Constant.Each.empty())
      Items.push_back(std::move(Constant));
    for (const Call &Site : Each.Calls)
      addCall(Site, Each, Owner, Items);
  }
  for (const Loop &Inner : Region.Loops) {
    Expr Entries = bind(Inner.Entries);
    for (Item &Each : itemsOf(Inner, Owner)) {
      Each.Times *= Entries;
      collectUnknowns(Inner.Entries, Each.Rests);
      Items.push_back(std::move(Each));
    }
  }
  if (Region.Last.isZero())
    return Items;
  Expr Last = bind(Region.Last);
  for (Item &Each : Items) {
    Each.Times = sum(Region.Variable, 0, Last, Each.Times);
    collectUnknowns(Region.Last, Each.Rests);
    Each.How = std::max(Each.How, Region.TripsKnown);
  }
  return Items;
}

const Totals &TotalsBuilder::ofOneThread(const Function &Which) {
  if (auto Found = Done.find(&Which); Found != Done.end())
    return Found->second;
  // A function's own symbols are bound by its caller, so only the entry's
  // totals are computed with values put for them.
  Substitution Saved;
  bool IsEntry = Active.empty();
  if (!IsEntry)
    std::swap(Saved, Bound);
  Active.insert(&Which);
  Totals Result;
  for (const Item &Each : itemsOf(Which.Body, Which)) {
    if (!Each.OpenCall.empty()) {
      Result.OpenCalls[Each.OpenCall] += Each.Times;
      continue;
    }
    for (const auto &[Class, Amount] : Each.Each) {
      Result.Values.add(Class, Amount * Each.Times);
      Result.Rests[Class].insert(Each.Rests.begin(), Each.Rests.end());
      Known &How = Result.KnownAs[Class];
      How = std::max(How, Each.How);
    }
  }
  Active.erase(&Which);
  if (!IsEntry)
    std::swap(Saved, Bound);
  return Done.emplace(&Which, std::move(Result)).first->second;
}

Totals TotalsBuilder::of(const Function &Entry) {
  Totals Result = ofOneThread(Entry);
  auto Whole = [&](const Expr &PerThread) {
    return simplifyConditions(Entry.IsKernel ? sumOverThreads(PerThread, Bound) : PerThread);
  };
  Counts Summed;
  for (const auto &[Class, Amount] : Result.Values)
    Summed.add(Class, Whole(Amount));
  Result.Values = std::move(Summed);
  for (auto &[Name, Times] : Result.OpenCalls)
    Times = Whole(Times);
  return Result;
}

static bool totalsInside(const Loop &Region, const Loop &Wanted, Counts &Result) {
  Counts Inner;
  bool Found = &Region == &Wanted;
  auto AddBlocks = [](const Loop &Of, Counts &Into, auto &&Self) -> void {
    for (const Block &Each : Of.Blocks)
      Into += Each.PerRun * Each.Runs;
    for (const Loop &Child : Of.Loops) {
      Counts Nested;
      Self(Child, Nested, Self);
      for (const auto &[Class, Amount] : Nested)
        Into.add(Class, sum(Child.Variable, 0, Child.Last, Amount) * Child.Entries);
    }
  };
  if (Found) {
    AddBlocks(Region, Inner, AddBlocks);
  } else {
    for (const Loop &Child : Region.Loops)
      if (totalsInside(Child, Wanted, Inner)) {
        Found = true;
        Inner = Inner * Child.Entries;
        break;
      }
  }
  for (const auto &[Class, Amount] : Inner)
    Result.add(Class, Region.Last.isZero() ? Amount : sum(Region.Variable, 0, Region.Last, Amount));
  return Found;
}

Counts totalsOfLoop(const Function &Owner, const Loop &Region) {
  Counts Inside, Result;
  totalsInside(Owner.Body, Region, Inside);
  for (const auto &[Class, Amount] : Inside)
    Result.add(Class, simplifyConditions(Owner.IsKernel ? sumOverThreads(Amount, {}) : Amount));
  return Result;
}

} // namespace ergon
