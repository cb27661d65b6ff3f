//===- CacheRemains.cpp - what caches hold when a program ends ------------===//

#include "model/TrafficAnalysis.h"

#include <algorithm>

namespace ergon {

/// Goes on to a run before those that \p Into knows. False, and nothing is done, where a part of
/// it does not stay: then it should be looked at in smaller parts, if there are.
bool TrafficAnalysis::keep(const Touched &Run, std::size_t Level, Remains &Into,
                           bool HasParts) const {
  LineSet Wider = Into.Window;
  Wider |= Run.Lines;
  const std::uint64_t Sets = Caches[Level].sets();
  const unsigned Ways = Caches[Level].Ways;
  LineSet Kept = Run.Stores;
  if (!plainlyFits(Wider, Sets, Ways)) {
    const CrowdedSets Crowded(Wider, Sets, Ways);
    if (HasParts && !Crowded.none())
      return false;
    Kept -= Crowded.linesOf(Kept);
    Into.IsFull = CrowdedSets(Wider, Sets, Ways - 1).all();
  }
  Into.Dirty |= Kept;
  Into.Window = std::move(Wider);
  return true;
}

/// What of the last iteration of \p Of, and of those before it, a level holds in the end.
void TrafficAnalysis::walkBack(const LoopForm &Of, const Iteration &Around, std::size_t Level,
                               Remains &Into) const {
  bool IsBody = &Of == &Form.body();
  std::int64_t Trips = IsBody ? 1 : lastOf(Of, Around) + 1;
  if (Trips <= 0)
    return;
  const unsigned First = Of.Items.front().FirstAccess, End = Of.Items.back().EndAccess;
  Iteration At = Around;
  if (!IsBody)
    At.push_back(Trips - 1);
  for (std::size_t I = Of.Items.size(); I != 0 && !Into.IsFull; --I) {
    const LoopForm::Item &Item = Of.Items[I - 1];
    const bool HasParts = Item.Inner != nullptr;
    const bool Stays =
        IsBody ? keep(Roots[I - 1], Level, Into, HasParts)
               : keep(touchAll(Item.FirstAccess, Item.EndAccess, {At}), Level, Into, HasParts);
    if (!Stays && hold(Item.Conditions, At))
      walkBack(*Item.Inner, At, Level, Into);
  }
  // Where the caches are nearly full, steps are small; a few of them will do.
  unsigned Halvings = 12;
  for (std::int64_t Until = Trips - 1; !Into.IsFull && Until > 0;) {
    std::int64_t From = std::max<std::int64_t>(0, Until - 1 - (Trips - Until) / 4);
    while (Halvings != 0 && From < Until - 1 &&
           !keep(touchAll(First, End, {Around, Iterations{From, Until - 1}}), Level, Into, true)) {
      From += (Until - From) / 2;
      --Halvings;
    }
    if (Halvings == 0 || From == Until - 1)
      keep(touchAll(First, End, {Around, Iterations{From, Until - 1}}), Level, Into, false);
    Until = From;
  }
}

/// What is dirty in the end was never written back: of an object's stores, from all alike.
void TrafficAnalysis::takeRemains(std::size_t Level, std::vector<double> &Dirtied) const {
  Remains Left;
  walkBack(Form.body(), {}, Level, Left);
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
