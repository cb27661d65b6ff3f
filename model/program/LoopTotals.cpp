//===- LoopTotals.cpp - counts of one loop of a function ------------------===//

#include "model/program/LoopTotals.h"
#include "model/program/Program.h"

namespace ergon {

LoopTotals::LoopTotals(const Function &Owner) : Owner(Owner) { addLoops(Owner.Body); }

void LoopTotals::addLoops(const Loop &Region) {
  for (const Loop &Child : Region.Loops) {
    Around.emplace(&Child, &Region);
    addLoops(Child);
  }
}

/// \p Amount summed over the iterations of \p Region; a body has one.
static Expr sumOver(const Loop &Region, const Expr &Amount) {
  return Region.Last.isZero() ? Amount : sum(Region.Variable, 0, Region.Last, Amount);
}

const Counts &LoopTotals::oneIteration(const Loop &Region) {
  if (auto Found = Iterations.find(&Region); Found != Iterations.end())
    return Found->second;
  Counts Result;
  for (const Block &B : Region.Blocks)
    Result += B.PerRun * B.Runs;
  for (const Loop &Child : Region.Loops)
    for (const auto &[Class, Amount] : oneIteration(Child))
      Result.add(Class, sum(Child.Variable, 0, Child.Last, Amount) * Child.Entries);
  return Iterations.emplace(&Region, std::move(Result)).first->second;
}

bool LoopTotals::restsOnLoopsAround(const Expr &Value, const Loop &Region) const {
  for (auto It = Around.find(&Region); It != Around.end(); It = Around.find(It->second))
    if (!It->second->Variable.empty() && Value.dependsOn(It->second->Variable))
      return true;
  return false;
}

/// \p PerRun of each run of \p Region, over all runs.
Expr LoopTotals::timesAround(const Expr &PerRun, const Loop &Region) {
  auto Outer = Around.find(&Region);
  if (Outer == Around.end())
    return PerRun;
  if (!restsOnLoopsAround(PerRun, Region))
    return PerRun * runs(Region);
  return timesAround(sumOver(*Outer->second, PerRun * Region.Entries), *Outer->second);
}

/// How often \p Region, within a loop or the body, is entered.
const Expr &LoopTotals::runs(const Loop &Region) {
  if (auto Found = Runs.find(&Region); Found != Runs.end())
    return Found->second;
  const Loop &Outer = *Around.at(&Region);
  Expr Result = timesAround(sumOver(Outer, Region.Entries), Outer);
  return Runs.emplace(&Region, std::move(Result)).first->second;
}

Counts LoopTotals::of(const Loop &Region) {
  Counts Result;
  for (const auto &[Class, Amount] : oneIteration(Region)) {
    const Expr All = timesAround(sumOver(Region, Amount), Region);
    Result.add(Class, simplifyConditions(Owner.IsKernel ? sumOverThreads(All, {}) : All));
  }
  return Result;
}

Counts totalsOfLoop(const Function &Owner, const Loop &Region) {
  return LoopTotals(Owner).of(Region);
}

} // namespace ergon
