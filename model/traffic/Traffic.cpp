//===- Traffic.cpp - bytes between the levels of memory -------------------===//

#include "model/traffic/Traffic.h"

#include "model/access/ObjectExtents.h"

#include <cmath>

namespace ergon {

LevelTraffic &LevelTraffic::operator+=(const LevelTraffic &Other) {
  Loads += Other.Loads;
  Stores += Other.Stores;
  LoadMisses += Other.LoadMisses;
  StoreMisses += Other.StoreMisses;
  WriteBacks += Other.WriteBacks;
  Bypassed += Other.Bypassed;
  Marginal += Other.Marginal;
  return *this;
}

double LevelTraffic::bytes(const CacheLevel &Level) const {
  return (LoadMisses + StoreMisses + WriteBacks) * Level.LineBytes + Bypassed;
}

namespace {
/// Assigns addresses.
class AddressSpace {
public:
  explicit AddressSpace(std::uint64_t PageBytes) : Next(PageBytes) {}

  /// The address of an object with this extent, a multiple of \p Alignment.
  std::uint64_t place(const Extent &E, std::uint64_t Alignment) {
    std::uint64_t Before = bytes(-E.First);
    std::uint64_t Position = (Next + Before + Alignment - 1) / Alignment * Alignment;
    Next = Position + std::max<std::uint64_t>(bytes(E.End), 1);
    return Position;
  }

private:
  std::uint64_t Next;

  /// Objects beyond this size have no prediction.
  static std::uint64_t bytes(const Rational &R) {
    const Rational Most(std::uint64_t(1) << 40);
    if (R.sign() <= 0)
      return 0;
    return floorOf(std::min(R, Most)).get_ui();
  }
};
} // namespace

/// Takes up to \p Lines misses out of what an access does at \p Level, and out of what then
/// reaches the next; how many it were.
static double takeMisses(std::vector<LevelTraffic> &Levels, std::size_t Level, double Lines) {
  LevelTraffic &Traffic = Levels[Level];
  const double Loads = std::min(Lines, Traffic.LoadMisses),
               Stores = std::min(Lines - Loads, Traffic.StoreMisses);
  Traffic.LoadMisses -= Loads;
  Traffic.StoreMisses -= Stores;
  if (Level + 1 < Levels.size()) {
    Levels[Level + 1].Loads -= std::min(Loads, Levels[Level + 1].Loads);
    Levels[Level + 1].Stores -= std::min(Stores, Levels[Level + 1].Stores);
  }
  return Loads + Stores;
}

/// Number of lines of a level that an object spans.
static double linesOf(const Extent &E, std::uint64_t Start, const CacheLevel &Level) {
  const Rational First(Start), Line(std::int64_t(Level.LineBytes));
  return (floorOf((First + E.End - Rational(1)) / Line) - floorOf((First + E.First) / Line))
             .get_d() +
         1;
}

/// Dirty lines of an object that the previous run left, at most \p Lines, are written back in this
/// one. \p Its are the object's accesses.
static void writeBackRest(Traffic &T, const std::vector<const MemoryAccess *> &Accesses,
                          const std::vector<std::size_t> &Its, std::size_t Level, double Lines) {
  LevelTraffic *Last = nullptr;
  for (std::size_t Index : Its) {
    Lines -= T.Accesses[Index][Level].WriteBacks;
    if (Accesses[Index]->What != Access::Kind::Load)
      Last = &T.Accesses[Index][Level];
  }
  if (Last)
    Last->WriteBacks += std::max(0.0, Lines);
}

void startWarm(Traffic &T, const AccessProgram &Program, const CacheHierarchy &Through,
               const Placement &P, bool Again) {
  const std::vector<const MemoryAccess *> Accesses = accessesIn(Program.Body);
  const auto Extents = objectExtents(Program);
  // An object of unknown size has at most the lines that a run fetches where all accesses miss.
  std::vector<double> Fetched(Program.Objects.size());
  std::vector<std::vector<std::size_t>> OfObject(Program.Objects.size());
  for (std::size_t Index = 0; Index != Accesses.size(); ++Index) {
    OfObject[Accesses[Index]->Object].push_back(Index);
    Fetched[Accesses[Index]->Object] +=
        T.Accesses[Index].front().LoadMisses + T.Accesses[Index].front().StoreMisses;
  }
  std::set<unsigned> Told;
  for (std::size_t Level = 0; Level != Through.size(); ++Level) {
    double All = 0;
    auto Lines = [&](unsigned Object) {
      return Extents[Object] ? linesOf(*Extents[Object], P[Object], Through[Level])
                             : Fetched[Object];
    };
    for (unsigned Object = 0; Object != Program.Objects.size(); ++Object)
      All += Lines(Object);
    const bool Fits = All <= double(Through[Level].lines());
    for (unsigned Object = 0; Object != Program.Objects.size(); ++Object) {
      double Left = Lines(Object);
      if (Again && Fits && !Extents[Object] && Left > 0 && Told.insert(Object).second)
        T.Assumptions.push_back("a run touches " + std::to_string(std::llround(Left)) +
                                " lines of `" + Program.Objects[Object].Name + "` at most, which " +
                                Through[Level].Name + " has of the run before");
      if (Again && !Fits && !Extents[Object])
        continue;
      if (Again && !Fits)
        writeBackRest(T, Accesses, OfObject[Object], Level, Left);
      else if (Again || Program.Objects[Object].IsWarm)
        for (std::size_t I : OfObject[Object])
          Left -= takeMisses(T.Accesses[I], Level, Left);
    }
  }
  T.Levels.assign(Through.size(), {});
  for (const auto &Access : T.Accesses)
    for (std::size_t Level = 0; Level != Through.size(); ++Level)
      T.Levels[Level] += Access[Level];
}

static bool isOnStack(const MemoryObject &Object) { return Object.Where == Space::Stack; }

/// Whether a linker or the compiler places it, next to others.
static bool isVariable(const MemoryObject &Object) {
  return Object.Bytes || Object.Where == Space::Constant;
}

Placement placeObjects(const AccessProgram &Program, std::uint64_t PageBytes) {
  const auto Extents = objectExtents(Program);
  AddressSpace Free(PageBytes);
  Placement P(Program.Objects.size());
  auto PlaceAll = [&](auto Chosen, std::uint64_t Alignment) {
    for (std::size_t I = 0; I != P.size(); ++I)
      if (Chosen(Program.Objects[I], Extents[I].has_value()))
        P[I] = Free.place(Extents[I].value_or(Extent{0, 1}), Alignment);
  };
  // Variables are adjacent; ABIs align arrays and the stack to 16 bytes.
  PlaceAll([](const MemoryObject &Object,
              bool IsKnown) { return IsKnown && !isOnStack(Object) && isVariable(Object); },
           16);
  PlaceAll([](const MemoryObject &MO,
              bool IsKnown) { return IsKnown && !isOnStack(MO) && !isVariable(MO); },
           PageBytes);
  Free.place({0, 1}, PageBytes);
  PlaceAll([](const MemoryObject &O, bool IsKnown) { return IsKnown && isOnStack(O); }, 16);
  PlaceAll([](const MemoryObject &, bool IsKnown) { return !IsKnown; }, PageBytes);
  return P;
}

std::vector<Placement> otherPlacements(const AccessProgram &Program, const Placement &P) {
  static constexpr std::uint64_t PageBytes = 4096, LineBytes = 64;
  // ABIs align global arrays to 16 bytes; glibc puts a header of 16 bytes before allocations.
  static constexpr std::uint64_t Alignment = 16, HeaderBytes = 16;
  const auto Extents = objectExtents(Program);
  auto IsFree = [&](std::size_t I) {
    return !Program.Objects[I].IsPlaced && !isOnStack(Program.Objects[I]) && Extents[I];
  };
  std::uint64_t End = 0; // the end of all placed objects
  std::size_t Free = 0;
  for (std::size_t I = 0; I != P.size(); ++I) {
    Free += IsFree(I);
    const Rational Last = Rational(P[I]) + Extents[I].value_or(Extent{0, 1}).End;
    if (Last > Rational(End) && Last.sign() > 0)
      End = floorOf(Last).get_ui();
  }
  std::vector<Placement> Result;
  if (Free == 0)
    return Result;
  const std::uint64_t Start = (End / PageBytes + 1) * PageBytes;
  // Variables stay adjacent; only their order differs.
  auto Place = [&](std::uint64_t Step, bool IsBackwards, auto Further) {
    AddressSpace Space(Start);
    Placement &New = Result.emplace_back(P);
    for (std::size_t Number = 0; Number != P.size(); ++Number) {
      const std::size_t I = IsBackwards ? P.size() - 1 - Number : Number;
      if (!IsFree(I))
        continue;
      const bool IsBeside = isVariable(Program.Objects[I]);
      const std::uint64_t Behind = IsBeside ? 0 : Further(I);
      const Extent Wider{Extents[I]->First, Extents[I]->End + Rational(Behind)};
      New[I] = Space.place(Wider, IsBeside ? Alignment : Step) + Behind;
    }
  };
  // Programs with many accesses take seconds for each placement.
  static constexpr std::size_t Some = 64, Many = 512;
  const std::size_t Accesses = accessesIn(Program.Body).size();
  if (Accesses > Many)
    return Result;
  Place(Alignment, false, [](std::size_t) { return std::uint64_t(0); });
  if (Accesses > Some)
    return Result;
  Place(PageBytes, false, [](std::size_t) { return HeaderBytes; });
  // Knuth's multiplicative hash spreads the objects over the lines of a page.
  Place(PageBytes, true, [](std::size_t I) {
    return (I * std::uint64_t(2654435761) >> 8) % (PageBytes / LineBytes) * LineBytes;
  });
  return Result;
}

} // namespace ergon
