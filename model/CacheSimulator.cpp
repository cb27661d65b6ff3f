//===- CacheSimulator.cpp - caches that accesses run through --------------===//

#include "model/CacheSimulator.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace ergon {

CacheSimulator::CacheSimulator(const CacheHierarchy &Through, unsigned Accesses)
    : NumLevels(Through.size()), LineShift(unsigned(std::countr_zero(Through.front().LineBytes))),
      OwnerBits(unsigned(std::bit_width(Accesses))),
      Traffic(std::size_t(Accesses) * Through.size()) {
  for (const CacheLevel &Each : Through)
    Levels.push_back({.Entries = std::vector<std::uint64_t>(Each.lines()),
                      .Sets = Each.sets(),
                      .Ways = Each.Ways,
                      .WriteThrough = Each.WriteThrough,
                      .WriteAllocate = Each.WriteAllocate,
                      .SetsArePower = std::has_single_bit(Each.sets())});
}

std::uint64_t CacheSimulator::addressLimit() const {
  // A line's number is one more than the address says.
  const unsigned Bits = 63 - OwnerBits + LineShift;
  return std::uint64_t(1) << std::min(Bits, 62U);
}

CacheSimulator::State CacheSimulator::state() const {
  State Held;
  for (const Level &Each : Levels)
    Held.push_back(Each.Entries);
  return Held;
}

void CacheSimulator::restore(const State &Held) {
  for (std::size_t I = 0; I != Levels.size(); ++I)
    Levels[I].Entries = Held[I];
}

std::uint64_t CacheSimulator::lines() const {
  std::uint64_t Sum = 0;
  for (const Level &Each : Levels)
    Sum += Each.Entries.size();
  return Sum;
}

/// Makes \p Line the one that was used last. Where it was not there, it is now, clean, and
/// the entry that had to leave is in \p Evicted.
bool CacheSimulator::use(Level &In, std::uint64_t Line, std::uint64_t &Evicted) const {
  std::uint64_t *Set = In.setOf(Line).data();
  const std::uint64_t Clean = Line << OwnerBits, Owners = (std::uint64_t(1) << OwnerBits) - 1;
  std::uint64_t Moved = Set[0];
  if ((Moved ^ Clean) <= Owners)
    return true;
  // Those in front move back, up to where it was.
  for (unsigned I = 1; I != In.Ways; ++I) {
    const std::uint64_t Next = Set[I];
    Set[I] = Moved;
    Moved = Next;
    if ((Moved ^ Clean) <= Owners) {
      Set[0] = Moved;
      return true;
    }
  }
  Set[0] = Clean;
  Evicted = Moved;
  return false;
}

bool CacheSimulator::contains(Level &In, std::uint64_t Line) const {
  return std::ranges::any_of(In.setOf(Line),
                             [&](std::uint64_t Each) { return Each >> OwnerBits == Line; });
}

/// An access gets to level \p At: it \p Writes what is to be written there, or it only asks
/// for the lines, as a level does that will write them itself.
void CacheSimulator::reach(std::size_t At, const Span &Of, bool IsStore, bool Writes) {
  if (At == NumLevels)
    return;
  Level &In = Levels[At];
  LevelTraffic &Count = countsOf(Of.Access, At);
  (IsStore ? Count.Stores : Count.Loads) += 1;
  const bool Allocates = In.WriteAllocate || !Writes;
  std::uint64_t Missed = 0;
  // An access is no longer than a line, so it has two at most.
  std::array<std::uint64_t, 2> Evicted{};
  for (std::uint64_t Line = Of.First; Line <= Of.Last; ++Line) {
    if (!Allocates && !contains(In, Line)) {
      ++Missed;
      continue;
    }
    Missed += !use(In, Line, Evicted[Line - Of.First]);
    if (Writes && !In.WriteThrough)
      In.setOf(Line)[0] = Line << OwnerBits | (Of.Access + 1);
  }
  Misses += Missed;
  const bool GoesOn = Writes && (In.WriteThrough || (Missed && !Allocates));
  if (GoesOn)
    Count.Bypassed += Of.Bytes;
  if (Missed && Allocates)
    (IsStore ? Count.StoreMisses : Count.LoadMisses) += 1;
  if (Missed || GoesOn)
    reach(At + 1, Of, IsStore, GoesOn);
  for (std::uint64_t Each : Evicted)
    writeBack(At, Each);
}

/// What leaves level \p From is written to the next one, which needs no old data for it.
void CacheSimulator::writeBack(std::size_t From, std::uint64_t Entry) {
  const std::uint64_t Owner = Entry & ((std::uint64_t(1) << OwnerBits) - 1),
                      Line = Entry >> OwnerBits;
  if (Owner == 0)
    return;
  const auto Access = unsigned(Owner - 1);
  countsOf(Access, From).WriteBacks += 1;
  for (std::size_t At = From + 1; At != Levels.size(); ++At) {
    Level &In = Levels[At];
    std::uint64_t Evicted = 0;
    const bool Keeps = In.WriteAllocate || contains(In, Line);
    if (Keeps)
      Misses += !use(In, Line, Evicted);
    if (Keeps && !In.WriteThrough)
      In.setOf(Line)[0] = Entry;
    if (Evicted)
      writeBack(At, Evicted);
    if (Keeps && !In.WriteThrough)
      return;
    countsOf(Access, At).Bypassed += lineBytes();
  }
}

void CacheSimulator::bypass(const Reference &Of) {
  const Span Lines = spanOf(Of);
  for (std::size_t At = 0; At != Levels.size(); ++At) {
    for (std::uint64_t Line = Lines.First; Line <= Lines.Last; ++Line)
      if (auto Set = Levels[At].setOf(Line); contains(Levels[At], Line)) {
        std::uint64_t Unused = 0;
        use(Levels[At], Line, Unused);
        std::uint64_t Dropped = Set[0];
        std::shift_left(Set.begin(), Set.end(), 1);
        Set.back() = 0;
        writeBack(At, Dropped);
      }
    LevelTraffic &Count = countsOf(Of.Access, At);
    Count.Stores += 1;
    Count.Bypassed += Of.Bytes;
  }
}

void CacheSimulator::repeat(const Reference &Of, bool IsStore, std::uint64_t Times) {
  for (std::size_t At = 0; At != Levels.size(); ++At) {
    LevelTraffic &Count = countsOf(Of.Access, At);
    (IsStore ? Count.Stores : Count.Loads) += double(Times);
    if (!IsStore || !Levels[At].WriteThrough)
      return;
    Count.Bypassed += double(Times) * Of.Bytes;
  }
}

} // namespace ergon
