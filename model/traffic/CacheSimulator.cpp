//===- CacheSimulator.cpp - simulates caches ------------------------------===//

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
  for (const CacheLevel &Level : Through) {
    // The first level holds data only.
    const unsigned Stack = linesOf(Beside.StackBytes),
                   Code = Levels.empty() ? 0 : linesOf(Beside.CodeBytes);
    const std::uint64_t Taken = (Stack + Code + Level.sets() - 1) / Level.sets();
    Levels.push_back({.Entries = std::vector<std::uint64_t>(Level.lines()),
                      .Sets = Level.sets(),
                      .Ways = Level.Ways,
                      .WriteThrough = Level.WriteThrough,
                      .WriteAllocate = Level.WriteAllocate,
                      .SetsArePower = std::has_single_bit(Level.sets()),
                      .Stack = Stack,
                      .Code = Code,
                      // The most recent line is always resident.
                      .Safe = Taken < Level.Ways ? Level.Ways - unsigned(Taken) : 1,
                      .Marginal = std::vector<std::uint64_t>(Level.sets())});
  }
}

std::uint64_t CacheSimulator::addressLimit() const {
  // A line's number is the address's line plus one.
  const unsigned Bits = 63 - OwnerBits + LineShift;
  return std::uint64_t(1) << std::min(Bits, 62U);
}

CacheSimulator::State CacheSimulator::state() const {
  State Held;
  for (const Level &L : Levels)
    Held.push_back(L.Entries);
  return Held;
}

void CacheSimulator::restore(const State &Held) {
  for (std::size_t I = 0; I != Levels.size(); ++I)
    Levels[I].Entries = Held[I];
}

std::uint64_t CacheSimulator::lines() const {
  std::uint64_t Sum = 0;
  for (const Level &L : Levels)
    Sum += L.Entries.size();
  return Sum;
}

/// Makes \p Line the most recently used one. On a miss it is inserted clean, and \p Evicted gets
/// the entry that leaves. By the inclusion property of LRU, a set of fewer ways holds the most
/// recent lines of this one (Mattson et al., "Evaluation techniques for storage hierarchies",
/// 1970).
bool CacheSimulator::use(Level &L, std::uint64_t Line, LevelTraffic &Count,
                         std::uint64_t &Evicted) const {
  std::uint64_t *Set = L.setOf(Line).data();
  const std::uint64_t Clean = Line << OwnerBits, Owners = (std::uint64_t(1) << OwnerBits) - 1;
  std::uint64_t Moved = Set[0];
  if ((Moved ^ Clean) <= Owners)
    return true;
  // Moves the more recent lines back by one, up to its old position.
  for (unsigned I = 1; I != L.Ways; ++I) {
    const std::uint64_t Next = Set[I];
    Set[I] = Moved;
    Moved = Next;
    if ((Moved ^ Clean) <= Owners) {
      Set[0] = Moved;
      if (I >= L.Safe) {
        const unsigned Lines = Moved == Clean ? 1 : 2;
        Count.Marginal += Lines;
        L.Marginal[L.setNumber(Line)] += Lines;
      }
      return true;
    }
  }
  Set[0] = Clean;
  Evicted = Moved;
  return false;
}

/// The largest sum over that many neighbouring sets, each limited to \p Most.
static std::uint64_t mostIn(const std::vector<std::uint64_t> &Values, std::size_t Width,
                            std::uint64_t Most) {
  Width = std::min(Width, Values.size());
  std::uint64_t Current = 0, Found = 0;
  for (std::size_t I = 0; I != Values.size() + Width; ++I) {
    Current += std::min(Values[I % Values.size()], Most);
    if (I >= Width)
      Current -= std::min(Values[I - Width], Most);
    Found = std::max(Found, Current);
  }
  return Found;
}

double CacheSimulator::hiddenHarm(std::size_t Level) const {
  const auto &Simulated = Levels[Level];
  double Counted = 0;
  for (std::size_t I = Level; I < Traffic.size(); I += NumLevels)
    Counted += Traffic[I].Marginal;
  const double Seen = double(std::reduce(Simulated.Marginal.begin(), Simulated.Marginal.end()));
  if (Seen == 0)
    return 0;
  // A line touched once, such as code that stays in the first-level instruction cache, leaves after
  // the others of its set were touched: it costs each of them one miss.
  const std::uint64_t Unlimited = std::uint64_t(-1);
  return std::min(Counted,
                  double(mostIn(Simulated.Marginal, Simulated.Stack, Unlimited)) * Counted / Seen +
                      double(mostIn(Simulated.Marginal, Simulated.Code, 2 * Simulated.Ways)));
}

bool CacheSimulator::contains(Level &L, std::uint64_t Line) const {
  return std::ranges::any_of(L.setOf(Line),
                             [&](std::uint64_t Value) { return Value >> OwnerBits == Line; });
}

/// An access reaches level \p Position: it \p Writes dirty data, or it only fetches lines, as a
/// level does that will write them later.
void CacheSimulator::reach(std::size_t Position, const Span &S, bool IsStore, bool Writes) {
  if (Position == NumLevels)
    return;
  Level &L = Levels[Position];
  LevelTraffic &Count = countsOf(S.Access, Position);
  (IsStore ? Count.Stores : Count.Loads) += 1;
  const bool Allocates = L.WriteAllocate || !Writes;
  std::uint64_t Missed = 0;
  // An access is at most one line long, so it spans at most two.
  std::array<std::uint64_t, 2> Evicted{};
  for (std::uint64_t Line = S.First; Line <= S.Last; ++Line) {
    if (!Allocates && !contains(L, Line)) {
      ++Missed;
      continue;
    }
    Missed += !use(L, Line, Count, Evicted[Line - S.First]);
    if (Writes && !L.WriteThrough)
      L.setOf(Line)[0] = Line << OwnerBits | (S.Access + 1);
  }
  Misses += Missed;
  const bool GoesOn = Writes && (L.WriteThrough || (Missed && !Allocates));
  if (GoesOn)
    Count.Bypassed += S.Bytes;
  if (Missed && Allocates)
    (IsStore ? Count.StoreMisses : Count.LoadMisses) += 1;
  if (Missed || GoesOn)
    reach(Position + 1, S, IsStore, GoesOn);
  for (std::uint64_t Value : Evicted)
    writeBack(Position, Value);
}

/// Writes a line evicted from level \p From to the next one, which does not fetch it.
void CacheSimulator::writeBack(std::size_t From, std::uint64_t Entry) {
  const std::uint64_t Owner = Entry & ((std::uint64_t(1) << OwnerBits) - 1),
                      Line = Entry >> OwnerBits;
  if (Owner == 0)
    return;
  const auto Access = unsigned(Owner - 1);
  countsOf(Access, From).WriteBacks += 1;
  for (std::size_t Position = From + 1; Position != Levels.size(); ++Position) {
    Level &L = Levels[Position];
    std::uint64_t Evicted = 0;
    const bool Keeps = L.WriteAllocate || contains(L, Line);
    if (Keeps)
      Misses += !use(L, Line, countsOf(Access, Position), Evicted);
    if (Keeps && !L.WriteThrough)
      L.setOf(Line)[0] = Entry;
    if (Evicted)
      writeBack(Position, Evicted);
    if (Keeps && !L.WriteThrough)
      return;
    countsOf(Access, Position).Bypassed += lineBytes();
  }
}

void CacheSimulator::bypass(const Reference &R) {
  const Span Lines = spanOf(R);
  for (std::size_t Position = 0; Position != Levels.size(); ++Position) {
    for (std::uint64_t Line = Lines.First; Line <= Lines.Last; ++Line)
      if (auto Set = Levels[Position].setOf(Line); contains(Levels[Position], Line)) {
        std::uint64_t Unused = 0;
        use(Levels[Position], Line, countsOf(R.Access, Position), Unused);
        std::uint64_t Dropped = Set[0];
        std::shift_left(Set.begin(), Set.end(), 1);
        Set.back() = 0;
        writeBack(Position, Dropped);
      }
    LevelTraffic &Count = countsOf(R.Access, Position);
    Count.Stores += 1;
    Count.Bypassed += R.Bytes;
  }
}

void CacheSimulator::repeat(const Reference &R, bool IsStore, std::uint64_t Times) {
  for (std::size_t Position = 0; Position != Levels.size(); ++Position) {
    LevelTraffic &Count = countsOf(R.Access, Position);
    (IsStore ? Count.Stores : Count.Loads) += double(Times);
    if (!IsStore || !Levels[Position].WriteThrough)
      return;
    Count.Bypassed += double(Times) * R.Bytes;
  }
}

} // namespace ergon
