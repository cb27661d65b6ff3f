//===- CacheRemains.cpp - what caches hold when a program ends ------------===//

#include "model/traffic/TrafficAnalysis.h"

#include <algorithm>

namespace ergon {

/// Puts a run before those in \p Result. Returns false and changes nothing where it is undecided
/// which of its lines remain: the caller should split the run.
bool TrafficAnalysis::keep(const Touched &Run, std::size_t Level, Remains &Result,
                           bool HasParts) const {
  LineSet Wider = Result.Window, Fresh = Run.Lines, Stored = Run.Stores;
  Wider |= Run.Lines;
  Fresh -= Result.Window;
  const std::uint64_t Sets = Caches[Level].sets();
  const unsigned Ways = Caches[Level].Ways;
  if (!plainlyFits(Wider, Sets, Ways)) {
    const CrowdedSets Crowded(Wider, Sets, Ways), Full(Result.Window, Sets, Ways - 1);
    Fresh -= Full.linesOf(Fresh);
    const LineSet Open = Crowded.linesOf(Fresh);
    if (HasParts && !Open.empty())
      return false;
    Fresh -= Open;
    Stored -= Crowded.linesOf(Stored);
    Result.IsFull = CrowdedSets(Wider, Sets, Ways - 1).all();
  }
  Result.Held |= Fresh;
  Result.Dirty |= Stored & Result.Held;
  Result.Window = std::move(Wider);
  return true;
}

/// What a level holds of the last iterations \p Some of \p Form and of those before.
void TrafficAnalysis::walkBack(const LoopForm &Form, const Iteration &Around,
                               const Iterations &Some, std::size_t Level, Remains &Result) const {
  if (Result.IsFull || Some.Last < Some.First)
    return;
  const unsigned First = Form.Items.front().FirstAccess, End = Form.Items.back().EndAccess;
  if (keep(touchAll(First, End, {Around, Some}), Level, Result, true))
    return;
  if (Result.Halvings == 0) {
    // Where all accesses use sets alike, the last access leaves the last line of each.
    for (unsigned A = End; A != First; --A)
      keep(touchAll(A - 1, A, {Around, Some}), Level, Result, false);
    return;
  }
  --Result.Halvings;
  if (Some.Last != Some.First) {
    const std::int64_t Middle = Some.First + (Some.Last - Some.First) / 2;
    walkBack(Form, Around, {Middle + 1, Some.Last}, Level, Result);
    walkBack(Form, Around, {Some.First, Middle}, Level, Result);
    return;
  }
  Iteration Position = Around;
  Position.push_back(Some.First);
  for (std::size_t I = Form.Items.size(); I != 0 && !Result.IsFull; --I) {
    const LoopForm::Item &Item = Form.Items[I - 1];
    if (!Item.Inner)
      for (unsigned A = Item.EndAccess; A != Item.FirstAccess; --A)
        keep(touchAll(A - 1, A, {Position}), Level, Result, false);
    else if (hold(Item.Conditions, Position))
      walkBack(*Item.Inner, Position, {0, lastOf(*Item.Inner, Position)}, Level, Result);
  }
}

/// Dirty lines at the end were never written back: subtracts them evenly from an object's stores.
void TrafficAnalysis::takeRemains(std::size_t Level, std::vector<double> &Dirtied) const {
  Remains Left;
  LineSet Broken;
  for (std::size_t B = Roots.size(); B-- != 0;) {
    // Lines that stayed resident remain as dirty as they were.
    LineSet Since = Left.Held;
    Since -= Broken;
    Left.Dirty |= Since & Roots[B].Stores;
    Broken |= RootMisses[B][Level];
    const LoopForm::Item &Item = Form.body().Items[B];
    if (!Left.IsFull && !keep(Roots[B], Level, Left, true)) {
      if (Item.Inner)
        walkBack(*Item.Inner, {}, {0, lastOf(*Item.Inner, {})}, Level, Left);
      else
        keep(Roots[B], Level, Left, false);
    }
  }
  std::vector<double> Stay(Objects), All(Objects);
  for (std::size_t B = 0; B != Roots.size(); ++B)
    for (unsigned A = Form.body().Items[B].FirstAccess; A != Form.body().Items[B].EndAccess; ++A) {
      const AccessForm &Access = Form.accesses()[A];
      All[Access.Access->Object] += Dirtied[indexOf(A, Level)];
      if (Access.Access->What == Access::Kind::Load || Left.Dirty.empty())
        continue;
      const LineSet &Lines = Roots[B].ByAccess[Access.Like - Form.body().Items[B].FirstAccess];
      Stay[Access.Access->Object] += double(Left.Dirty.take(Lines));
    }
  for (unsigned A = 0; A != Form.accesses().size(); ++A)
    if (unsigned O = Form.accesses()[A].Access->Object; All[O] > 0)
      Dirtied[indexOf(A, Level)] *= std::max(0.0, 1 - Stay[O] / All[O]);
}

} // namespace ergon
