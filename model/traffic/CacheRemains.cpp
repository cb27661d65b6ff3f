//===- CacheRemains.cpp - what caches hold when a program ends ------------===//

#include "model/traffic/TrafficAnalysis.h"

#include <algorithm>

namespace ergon {

/// Puts a run before those in \p Result. Returns false and changes nothing where it is undecided
/// which of its lines remain: the caller should split the run.
bool TrafficAnalysis::keep(const Touched &Accessed, std::size_t Level, FinalContent &Result,
                           bool HasParts) const {
  LineSet Wider = Result.Window, Fresh = Accessed.Lines, Stored = Accessed.Stores;
  Wider |= Accessed.Lines;
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
  Result.Resident |= Fresh;
  Result.Dirty |= Stored & Result.Resident;
  Result.Window = std::move(Wider);
  return true;
}

/// What a level holds of the last iterations \p Some of \p Form and of those before.
void TrafficAnalysis::collectFinalContent(const LoopForm &Form, const Iteration &Around,
                                          const Iterations &Some, std::size_t Level,
                                          FinalContent &Result) const {
  if (Result.IsFull || Some.Last < Some.First)
    return;
  const unsigned First = Form.Items.front().FirstAccess, End = Form.Items.back().EndAccess;
  if (keep(touchedLines(First, End, {Around, Some}), Level, Result, true))
    return;
  if (Result.Halvings == 0) {
    // Where all accesses use sets alike, the last access leaves the last line of each.
    for (unsigned A = End; A != First; --A)
      keep(touchedLines(A - 1, A, {Around, Some}), Level, Result, false);
    return;
  }
  --Result.Halvings;
  if (Some.Last != Some.First) {
    const std::int64_t Middle = Some.First + (Some.Last - Some.First) / 2;
    collectFinalContent(Form, Around, {Middle + 1, Some.Last}, Level, Result);
    collectFinalContent(Form, Around, {Some.First, Middle}, Level, Result);
    return;
  }
  Iteration Position = Around;
  Position.push_back(Some.First);
  for (std::size_t I = Form.Items.size(); I != 0 && !Result.IsFull; --I) {
    const LoopForm::Item &Item = Form.Items[I - 1];
    if (!Item.Inner)
      for (unsigned A = Item.EndAccess; A != Item.FirstAccess; --A)
        keep(touchedLines(A - 1, A, {Position}), Level, Result, false);
    else if (hold(Item.Conditions, Position))
      collectFinalContent(*Item.Inner, Position, {0, lastOf(*Item.Inner, Position)}, Level, Result);
  }
}

/// Dirty lines at the end were never written back: subtracts them evenly from an object's stores.
void TrafficAnalysis::subtractStillDirty(std::size_t Level, Tally &Result) const {
  FinalContent Final;
  LineSet Broken;
  for (std::size_t B = Roots.size(); B-- != 0;) {
    // Lines that stayed resident remain as dirty as they were.
    LineSet Since = Final.Resident;
    Since -= Broken;
    Final.Dirty |= Since & Roots[B]->Stores;
    if (!RootMisses[B].empty())
      Broken |= *RootMisses[B][Level];
    const LoopForm::Item &Item = Program.body().Items[B];
    if (!Final.IsFull && !keep(*Roots[B], Level, Final, true)) {
      if (Item.Inner)
        collectFinalContent(*Item.Inner, {}, {0, lastOf(*Item.Inner, {})}, Level, Final);
      else
        keep(*Roots[B], Level, Final, false);
    }
  }
  std::vector<double> Stay(Objects), All(Objects);
  for (std::size_t B = 0; B != Roots.size(); ++B)
    for (unsigned A = Program.body().Items[B].FirstAccess; A != Program.body().Items[B].EndAccess;
         ++A) {
      const AccessForm &Access = Program.accesses()[A];
      All[Access.Access->Object] += Result.Dirtied[Result.indexOf(A, Level)];
      if (Access.Access->What == Access::Kind::Load || Final.Dirty.empty())
        continue;
      const LineSet &Lines =
          Roots[B]->LinesByAccess[Access.Like - Program.body().Items[B].FirstAccess];
      Stay[Access.Access->Object] += double(Final.Dirty.take(Lines));
    }
  for (unsigned A = 0; A != Program.accesses().size(); ++A)
    if (unsigned O = Program.accesses()[A].Access->Object; All[O] > 0)
      Result.Dirtied[Result.indexOf(A, Level)] *= std::max(0.0, 1 - Stay[O] / All[O]);
}

} // namespace ergon
