//===- StreamRunner.cpp - runs a stream's accesses through caches ---------===//

#include "model/traffic/AccessStream.h"

#include <algorithm>
#include <limits>

namespace ergon {

StreamRunner::StreamRunner(const AccessStream &Stream, CacheSimulator &Through)
    : Values(Stream.Variables), Stream(Stream), Caches(Through), Due(Stream.TimesNumbers),
      Draws(Stream.Accesses), Rooms(Stream.Variables) {}

double StreamRunner::meanTimes(const StreamTimes &Times) const {
  if (!Times.Formula)
    return 1;
  return std::max(double((*Times.Formula)(Values)) / double(Times.Divisor), 0.0);
}

std::int64_t StreamRunner::times(const StreamTimes &Times) {
  if (!Times.Formula)
    return 1;
  const std::int64_t Amount = std::max<std::int64_t>((*Times.Formula)(Values), 0);
  if (Times.Divisor == 1)
    return Amount;
  // Bresenham's algorithm, which starts in the middle of a pixel.
  std::int64_t &Rest = Due[Times.Number];
  const std::int64_t Sum = Amount + Rest + Times.Divisor / 2, Whole = Sum / Times.Divisor;
  Rest = Sum - Whole * Times.Divisor - Times.Divisor / 2;
  return Whole;
}

/// A pseudorandom number: G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom
/// number generators", 2014, section 5 (SplitMix64's mix).
static std::uint64_t scramble(std::uint64_t Number) {
  Number *= 0x9E3779B97F4A7C15;
  Number = (Number ^ Number >> 30) * 0xBF58476D1CE4E5B9;
  Number = (Number ^ Number >> 27) * 0x94D049BB133111EB;
  return Number ^ Number >> 31;
}

std::uint64_t StreamRunner::addressOf(const StreamAccess &Access) {
  std::int64_t Position = Access.Address.Constant;
  for (auto [Variable, Step] : Access.Address.Steps)
    Position += Step * Values[Variable];
  if (Access.Address.Offset)
    Position += (*Access.Address.Offset)(Values);
  if (Access.Address.Places != 0) {
    std::uint64_t Draw;
    if (const auto &From = Access.Address.From) {
      Draw = From->Number;
      for (unsigned I = 0; I != From->Outer; ++I)
        Draw = scramble(Draw + std::uint64_t(Values[I]));
    } else {
      Draw = ++Draws[Access.Number] * Stream.Accesses + Access.Number;
    }
    Position += std::int64_t(scramble(Draw) % Access.Address.Places * Access.Bytes);
  }
  return std::uint64_t(Position);
}

void StreamRunner::perform(Access::Kind What, const CacheSimulator::Reference &R) {
  if (What != Access::Kind::Store)
    Caches.load(R);
  if (What != Access::Kind::Load)
    Caches.store(R);
}

/// Runs an item as often as is due.
void StreamRunner::run(const StreamItem &Item) {
  for (std::int64_t Times = times(Item.Runs); Times > 0; --Times) {
    if (const auto *Inner = std::get_if<StreamNest>(&Item.What)) {
      run(*Inner, 0, times(Inner->Trips));
      continue;
    }
    const auto &Access = std::get<StreamAccess>(Item.What);
    const CacheSimulator::Reference Reference{Access.Number, addressOf(Access), Access.Bytes};
    if (Access.NonTemporal)
      Caches.bypass(Reference);
    else
      perform(Access.What, Reference);
  }
}

/// Number of steps that remain in the same lines.
std::uint64_t StreamRunner::Moving::stay(unsigned LineBytes) const {
  if (Step == 0)
    return std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t Mask = LineBytes - 1, First = Reference.Address & Mask,
                      Last = (Reference.Address + Reference.Bytes - 1) & Mask;
  if (Step > 0)
    return (Mask - std::max(First, Last)) / std::uint64_t(Step);
  return std::min(First, Last) / -std::uint64_t(Step);
}

/// Where all accesses of an iteration hit, the next iterations on the same lines hit too and leave
/// the caches unchanged: they use the same lines in the same order.
void StreamRunner::runPlain(const StreamNest &Nest, std::int64_t First, std::int64_t End) {
  std::vector<Moving> &All = Rooms[Nest.Variable].Plain;
  All.clear();
  Values[Nest.Variable] = First;
  bool MayStay = true;
  for (const StreamItem *Item : Rooms[Nest.Variable].Active) {
    const auto &What = std::get<StreamAccess>(Item->What);
    All.push_back({What.What,
                   {What.Number, addressOf(What), What.Bytes},
                   What.Address.stepOf(Nest.Variable)});
    MayStay &= std::max(All.back().Step, -All.back().Step) < Caches.lineBytes();
  }
  for (auto Left = std::uint64_t(End - First); Left != 0; --Left) {
    const std::uint64_t Before = Caches.misses();
    for (const Moving &M : All)
      perform(M.What, M.Reference);
    std::uint64_t Value = 0;
    if (MayStay && Caches.misses() == Before) {
      Value = Left - 1;
      for (const Moving &Element : All)
        Value = std::min(Value, Element.stay(Caches.lineBytes()));
    }
    for (Moving &Entry : All) {
      if (Value != 0 && Entry.What != Access::Kind::Store)
        Caches.repeat(Entry.Reference, false, Value);
      if (Value != 0 && Entry.What != Access::Kind::Load)
        Caches.repeat(Entry.Reference, true, Value);
      Entry.Reference.Address += std::uint64_t(Entry.Step) * (Value + 1);
    }
    Left -= Value;
  }
}

/// The iterations from \p First on in which its conditions hold.
StreamRunner::Range StreamRunner::rangeOf(const StreamItem &Item, std::int64_t First,
                                          std::int64_t End) const {
  for (const StreamCondition &Condition : Item.Conditions) {
    const std::int64_t Rest = Condition.Rest(Values);
    if (Condition.Slope > 0)
      First = std::max(First, -floorQuotient(Rest, Condition.Slope));
    else if (Condition.Slope < 0)
      End = std::min(End, floorQuotient(Rest, -Condition.Slope) + 1);
    else if (Rest < 0)
      End = First; // never
  }
  return {&Item, std::min(First, End), End};
}

/// Runs iterations in which the same items are active.
void StreamRunner::runActive(const StreamNest &Nest, std::int64_t First, std::int64_t End) {
  const auto &Active = Rooms[Nest.Variable].Active;
  if (std::ranges::all_of(Active, &StreamItem::isPlain))
    return runPlain(Nest, First, End);
  for (std::int64_t I = First; I < End; ++I) {
    Values[Nest.Variable] = I;
    for (const StreamItem *Item : Active)
      run(*Item);
  }
}

void StreamRunner::run(const StreamNest &Nest, std::int64_t First, std::int64_t Count) {
  if (Count <= 0)
    return;
  auto &[Plain, Ranges, Cuts, Active] = Rooms[Nest.Variable];
  Ranges.clear();
  Values[Nest.Variable] = 0; // the rest of the conditions does not depend on it
  for (const StreamItem &Item : Nest.Items)
    Ranges.push_back(rangeOf(Item, First, First + Count));
  Cuts.clear();
  for (const Range &R : Ranges)
    Cuts.insert(Cuts.end(), {R.First, R.End});
  std::ranges::sort(Cuts);
  Cuts.erase(std::ranges::unique(Cuts).begin(), Cuts.end());
  for (std::size_t I = 1; I < Cuts.size(); ++I) {
    Active.clear();
    for (const Range &Element : Ranges)
      if (Element.First < Cuts[I] && Element.End > Cuts[I - 1])
        Active.push_back(Element.What);
    runActive(Nest, Cuts[I - 1], Cuts[I]);
  }
}

double StreamRunner::meanTimes(const StreamItem &Item, unsigned Variable) const {
  for (const StreamCondition &Condition : Item.Conditions)
    if (Condition.Slope * Values[Variable] + Condition.Rest(Values) < 0)
      return 0;
  return meanTimes(Item.Runs);
}

} // namespace ergon
