//===- CacheSimulator.cpp - caches that accesses run through --------------===//

#include "model/traffic/CacheSimulator.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

namespace ergon {

CacheSimulator::CacheSimulator(const CacheHierarchy &Through, unsigned Accesses,
                               const HiddenMemory &Beside)
    : NumLevels(Through.size()), LineShift(unsigned(std::countr_zero(Through.front().LineBytes))),
      OwnerBits(unsigned(std::bit_width(Accesses))),
      Traffic(std::size_t(Accesses) * Through.size()) {
  for (const CacheLevel &Each : Through) {
    // The first level has data alone.
    const unsigned Stack = linesOf(Beside.StackBytes),
                   Code = Levels.empty() ? 0 : linesOf(Beside.CodeBytes);
    const std::uint64_t Taken = (Stack + Code + Each.sets() - 1) / Each.sets();
    Levels.push_back({.Entries = std::vector<std::uint64_t>(Each.lines()),
                      .Sets = Each.sets(),
                      .Ways = Each.Ways,
                      .WriteThrough = Each.WriteThrough,
                      .WriteAllocate = Each.WriteAllocate,
                      .SetsArePower = std::has_single_bit(Each.sets()),
                      .Stack = Stack,
                      .Code = Code,
                      // The line used last is there in any case.
                      .Safe = Taken < Each.Ways ? Each.Ways - unsigned(Taken) : 1,
                      .Marginal = std::vector<std::uint64_t>(Each.sets())});
  }
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
/// By the inclusion property of LRU, a set of fewer ways holds those that were used last of what
/// is here (Mattson et al., "Evaluation techniques for storage hierarchies", 1970).
bool CacheSimulator::use(Level &In, std::uint64_t Line, LevelTraffic &Count,
                         std::uint64_t &Evicted) const {
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
      if (I >= In.Safe) {
        const unsigned Lines = Moved == Clean ? 1 : 2;
        Count.Marginal += Lines;
        In.Marginal[In.setNumber(Line)] += Lines;
      }
      return true;
    }
  }
  Set[0] = Clean;
  Evicted = Moved;
  return false;
}

/// The largest sum over so many neighbouring sets, of at most \p Most of each.
static std::uint64_t mostIn(const std::vector<std::uint64_t> &Of, std::size_t Width,
                            std::uint64_t Most) {
  Width = std::min(Width, Of.size());
  std::uint64_t Here = 0, Found = 0;
  for (std::size_t I = 0; I != Of.size() + Width; ++I) {
    Here += std::min(Of[I % Of.size()], Most);
    if (I >= Width)
      Here -= std::min(Of[I - Width], Most);
    Found = std::max(Found, Here);
  }
  return Found;
}

double CacheSimulator::hiddenHarm(std::size_t Level) const {
  const auto &Of = Levels[Level];
  double Counted = 0;
  for (std::size_t I = Level; I < Traffic.size(); I += NumLevels)
    Counted += Traffic[I].Marginal;
  const double Seen = double(std::reduce(Of.Marginal.begin(), Of.Marginal.end()));
  if (Seen == 0)
    return 0;
  // A line that is touched once, as one of code is that stays in its own first level, leaves when
  // the others of its set have been touched, so that it costs each of them one miss.
  const std::uint64_t Unlimited = std::uint64_t(-1);
  return std::min(Counted, double(mostIn(Of.Marginal, Of.Stack, Unlimited)) * Counted / Seen +
                               double(mostIn(Of.Marginal, Of.Code, 2 * Of.Ways)));
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
    Missed += !use(In, Line, Count, Evicted[Line - Of.First]);
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
      Misses += !use(In, Line, countsOf(Access, At), Evicted);
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
        use(Levels[At], Line, countsOf(Of.Access, At), Unused);
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
