//===- StreamRunner.cpp - a stream's accesses go through caches -----------===//

#include "model/traffic/AccessStream.h"

#include <algorithm>
#include <limits>

namespace ergon {

StreamRunner::StreamRunner(const AccessStream &Of, CacheSimulator &Through)
    : Values(Of.Variables), Stream(Of), Caches(Through), Due(Of.TimesNumbers), Draws(Of.Accesses),
      Rooms(Of.Variables) {}

double StreamRunner::meanTimes(const StreamTimes &Of) const {
  if (!Of.Formula)
    return 1;
  return std::max(double((*Of.Formula)(Values)) / double(Of.Divisor), 0.0);
}

std::int64_t StreamRunner::times(const StreamTimes &Of) {
  if (!Of.Formula)
    return 1;
  const std::int64_t Amount = std::max<std::int64_t>((*Of.Formula)(Values), 0);
  if (Of.Divisor == 1)
    return Amount;
  // Bresenham's line, that starts in the middle of a pixel.
  std::int64_t &Rest = Due[Of.Number];
  const std::int64_t Sum = Amount + Rest + Of.Divisor / 2, Whole = Sum / Of.Divisor;
  Rest = Sum - Whole * Of.Divisor - Of.Divisor / 2;
  return Whole;
}

/// A number that looks like any from 0 on: G. L. Steele, D. Lea and C. H. Flood, "Fast splittable
/// pseudorandom number generators", 2014, section 5 (SplitMix64's mix).
static std::uint64_t scramble(std::uint64_t Number) {
  Number *= 0x9E3779B97F4A7C15;
  Number = (Number ^ Number >> 30) * 0xBF58476D1CE4E5B9;
  Number = (Number ^ Number >> 27) * 0x94D049BB133111EB;
  return Number ^ Number >> 31;
}

std::uint64_t StreamRunner::addressOf(const StreamAccess &Of) {
  std::int64_t At = Of.At.Constant;
  for (auto [Variable, Step] : Of.At.Steps)
    At += Step * Values[Variable];
  if (Of.At.Offset)
    At += (*Of.At.Offset)(Values);
  if (Of.At.Places != 0) {
    std::uint64_t Draw;
    if (const auto &From = Of.At.From) {
      Draw = From->Number;
      for (unsigned I = 0; I != From->Outer; ++I)
        Draw = scramble(Draw + std::uint64_t(Values[I]));
    } else {
      Draw = ++Draws[Of.Number] * Stream.Accesses + Of.Number;
    }
    At += std::int64_t(scramble(Draw) % Of.At.Places * Of.Bytes);
  }
  return std::uint64_t(At);
}

void StreamRunner::perform(Access::Kind What, const CacheSimulator::Reference &Of) {
  if (What != Access::Kind::Store)
    Caches.load(Of);
  if (What != Access::Kind::Load)
    Caches.store(Of);
}

/// As often as is due.
void StreamRunner::run(const StreamItem &Of) {
  for (std::int64_t Times = times(Of.Runs); Times > 0; --Times) {
    if (const auto *Inner = std::get_if<StreamNest>(&Of.What)) {
      run(*Inner, 0, times(Inner->Trips));
      continue;
    }
    const auto &One = std::get<StreamAccess>(Of.What);
    const CacheSimulator::Reference Reference{One.Number, addressOf(One), One.Bytes};
    if (One.NonTemporal)
      Caches.bypass(Reference);
    else
      perform(One.What, Reference);
  }
}

/// How often it can step and still be in the same lines.
std::uint64_t StreamRunner::Moving::stay(unsigned LineBytes) const {
  if (Step == 0)
    return std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t Mask = LineBytes - 1, First = Reference.Address & Mask,
                      Last = (Reference.Address + Reference.Bytes - 1) & Mask;
  if (Step > 0)
    return (Mask - std::max(First, Last)) / std::uint64_t(Step);
  return std::min(First, Last) / -std::uint64_t(Step);
}

/// Where all accesses of an iteration hit, the next ones that are in the same lines hit too, and
/// leave the caches as they are: the same lines are used in the same order.
void StreamRunner::runPlain(const StreamNest &Of, std::int64_t First, std::int64_t End) {
  std::vector<Moving> &All = Rooms[Of.Variable].Plain;
  All.clear();
  Values[Of.Variable] = First;
  bool MayStay = true;
  for (const StreamItem *Each : Rooms[Of.Variable].Active) {
    const auto &What = std::get<StreamAccess>(Each->What);
    All.push_back(
        {What.What, {What.Number, addressOf(What), What.Bytes}, What.At.stepOf(Of.Variable)});
    MayStay &= std::max(All.back().Step, -All.back().Step) < Caches.lineBytes();
  }
  for (auto Left = std::uint64_t(End - First); Left != 0; --Left) {
    const std::uint64_t Before = Caches.misses();
    for (const Moving &Each : All)
      perform(Each.What, Each.Reference);
    std::uint64_t Same = 0;
    if (MayStay && Caches.misses() == Before) {
      Same = Left - 1;
      for (const Moving &Each : All)
        Same = std::min(Same, Each.stay(Caches.lineBytes()));
    }
    for (Moving &Each : All) {
      if (Same != 0 && Each.What != Access::Kind::Store)
        Caches.repeat(Each.Reference, false, Same);
      if (Same != 0 && Each.What != Access::Kind::Load)
        Caches.repeat(Each.Reference, true, Same);
      Each.Reference.Address += std::uint64_t(Each.Step) * (Same + 1);
    }
    Left -= Same;
  }
}

/// Where in the iterations from \p First on its conditions hold.
StreamRunner::Range StreamRunner::rangeOf(const StreamItem &Of, std::int64_t First,
                                          std::int64_t End) const {
  for (const StreamCondition &Each : Of.Conditions) {
    const std::int64_t Rest = Each.Rest(Values);
    if (Each.Slope > 0)
      First = std::max(First, -floorQuotient(Rest, Each.Slope));
    else if (Each.Slope < 0)
      End = std::min(End, floorQuotient(Rest, -Each.Slope) + 1);
    else if (Rest < 0)
      End = First; // never
  }
  return {&Of, std::min(First, End), End};
}

/// Iterations in which the same items run.
void StreamRunner::runActive(const StreamNest &Of, std::int64_t First, std::int64_t End) {
  const auto &Active = Rooms[Of.Variable].Active;
  if (std::ranges::all_of(Active, &StreamItem::isPlain))
    return runPlain(Of, First, End);
  for (std::int64_t I = First; I < End; ++I) {
    Values[Of.Variable] = I;
    for (const StreamItem *Each : Active)
      run(*Each);
  }
}

void StreamRunner::run(const StreamNest &Of, std::int64_t First, std::int64_t Count) {
  if (Count <= 0)
    return;
  auto &[Plain, Ranges, Cuts, Active] = Rooms[Of.Variable];
  Ranges.clear();
  Values[Of.Variable] = 0; // what conditions have beside it does not depend on it
  for (const StreamItem &Each : Of.Items)
    Ranges.push_back(rangeOf(Each, First, First + Count));
  Cuts.clear();
  for (const Range &Each : Ranges)
    Cuts.insert(Cuts.end(), {Each.First, Each.End});
  std::ranges::sort(Cuts);
  Cuts.erase(std::ranges::unique(Cuts).begin(), Cuts.end());
  for (std::size_t I = 1; I < Cuts.size(); ++I) {
    Active.clear();
    for (const Range &Each : Ranges)
      if (Each.First < Cuts[I] && Each.End > Cuts[I - 1])
        Active.push_back(Each.What);
    runActive(Of, Cuts[I - 1], Cuts[I]);
  }
}

double StreamRunner::meanTimes(const StreamItem &Of, unsigned Variable) const {
  for (const StreamCondition &Each : Of.Conditions)
    if (Each.Slope * Values[Variable] + Each.Rest(Values) < 0)
      return 0;
  return meanTimes(Of.Runs);
}

} // namespace ergon
