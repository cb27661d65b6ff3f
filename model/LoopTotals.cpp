//===- LoopTotals.cpp - what one loop of a function costs -----------------===//

#include "model/Program.h"

namespace ergon {

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
