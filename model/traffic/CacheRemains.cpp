//===- CacheRemains.cpp - what caches hold when a program ends ------------===//

#include "model/traffic/TrafficAnalysis.h"

#include <algorithm>

namespace ergon {

/// Goes on to a run before those that \p Into knows. False, and nothing is done, where it is
/// open which of its lines stay: then it should be looked at in smaller parts, if there are.
bool TrafficAnalysis::keep(const Touched &Run, std::size_t Level, Remains &Into,
                           bool HasParts) const {
  LineSet Wider = Into.Window, Fresh = Run.Lines, Stored = Run.Stores;
  Wider |= Run.Lines;
  Fresh -= Into.Window;
  const std::uint64_t Sets = Caches[Level].sets();
  const unsigned Ways = Caches[Level].Ways;
  if (!plainlyFits(Wider, Sets, Ways)) {
    const CrowdedSets Crowded(Wider, Sets, Ways), Full(Into.Window, Sets, Ways - 1);
    Fresh -= Full.linesOf(Fresh);
    const LineSet Open = Crowded.linesOf(Fresh);
    if (HasParts && !Open.empty())
      return false;
    Fresh -= Open;
    Stored -= Crowded.linesOf(Stored);
    Into.IsFull = CrowdedSets(Wider, Sets, Ways - 1).all();
  }
  Into.Held |= Fresh;
  Into.Dirty |= Stored & Into.Held;
  Into.Window = std::move(Wider);
  return true;
}

/// What of the last of the iterations \p Some of \p Of, and of those before it, a level holds.
void TrafficAnalysis::walkBack(const LoopForm &Of, const Iteration &Around, const Iterations &Some,
                               std::size_t Level, Remains &Into) const {
  if (Into.IsFull || Some.Last < Some.First)
    return;
  const unsigned First = Of.Items.front().FirstAccess, End = Of.Items.back().EndAccess;
  if (keep(touchAll(First, End, {Around, Some}), Level, Into, true))
    return;
  if (Into.Halvings == 0) {
    // Where all go through sets alike, the last access has the last line of each.
    for (unsigned A = End; A != First; --A)
      keep(touchAll(A - 1, A, {Around, Some}), Level, Into, false);
    return;
  }
  --Into.Halvings;
  if (Some.Last != Some.First) {
    const std::int64_t Middle = Some.First + (Some.Last - Some.First) / 2;
    walkBack(Of, Around, {Middle + 1, Some.Last}, Level, Into);
    walkBack(Of, Around, {Some.First, Middle}, Level, Into);
    return;
  }
  Iteration At = Around;
  At.push_back(Some.First);
  for (std::size_t I = Of.Items.size(); I != 0 && !Into.IsFull; --I) {
    const LoopForm::Item &Item = Of.Items[I - 1];
    if (!Item.Inner)
      for (unsigned A = Item.EndAccess; A != Item.FirstAccess; --A)
        keep(touchAll(A - 1, A, {At}), Level, Into, false);
    else if (hold(Item.Conditions, At))
      walkBack(*Item.Inner, At, {0, lastOf(*Item.Inner, At)}, Level, Into);
  }
}

/// What is dirty in the end was never written back: of an object's stores, from all alike.
void TrafficAnalysis::takeRemains(std::size_t Level, std::vector<double> &Dirtied) const {
  Remains Left;
  LineSet Broken;
  for (std::size_t B = Roots.size(); B-- != 0;) {
    // What was there all the time since is as dirty as it was.
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
      All[Access.Of->Object] += Dirtied[indexOf(A, Level)];
      if (Access.Of->What == Access::Kind::Load || Left.Dirty.empty())
        continue;
      const LineSet &Lines = Roots[B].ByAccess[Access.Like - Form.body().Items[B].FirstAccess];
      Stay[Access.Of->Object] += double(Left.Dirty.take(Lines));
    }
  for (unsigned A = 0; A != Form.accesses().size(); ++A)
    if (unsigned O = Form.accesses()[A].Of->Object; All[O] > 0)
      Dirtied[indexOf(A, Level)] *= std::max(0.0, 1 - Stay[O] / All[O]);
}

} // namespace ergon
