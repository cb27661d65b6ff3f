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

double LevelTraffic::bytes(const CacheLevel &Of) const {
  return (LoadMisses + StoreMisses + WriteBacks) * Of.LineBytes + Bypassed;
}

namespace {
/// Hands out addresses.
class AddressSpace {
public:
  explicit AddressSpace(std::uint64_t PageBytes) : Next(PageBytes) {}

  /// Where an object of this extent starts, at a multiple of \p Alignment.
  std::uint64_t place(const Extent &Of, std::uint64_t Alignment) {
    std::uint64_t Before = bytes(-Of.First);
    std::uint64_t At = (Next + Before + Alignment - 1) / Alignment * Alignment;
    Next = At + std::max<std::uint64_t>(bytes(Of.End), 1);
    return At;
  }

private:
  std::uint64_t Next;

  /// A program that reaches further than this has no traffic.
  static std::uint64_t bytes(const Rational &Of) {
    const Rational Most(std::uint64_t(1) << 40);
    if (Of.sign() <= 0)
      return 0;
    return floorOf(std::min(Of, Most)).get_ui();
  }
};
} // namespace

/// Takes up to \p Lines misses out of what an access does at \p Level, and out of what then
/// reaches the next; how many it were.
static double takeMisses(std::vector<LevelTraffic> &Of, std::size_t Level, double Lines) {
  LevelTraffic &Here = Of[Level];
  const double Loads = std::min(Lines, Here.LoadMisses),
               Stores = std::min(Lines - Loads, Here.StoreMisses);
  Here.LoadMisses -= Loads;
  Here.StoreMisses -= Stores;
  if (Level + 1 < Of.size()) {
    Of[Level + 1].Loads -= std::min(Loads, Of[Level + 1].Loads);
    Of[Level + 1].Stores -= std::min(Stores, Of[Level + 1].Stores);
  }
  return Loads + Stores;
}

/// Lines of a level that an object reaches over.
static double linesOf(const Extent &Of, std::uint64_t Start, const CacheLevel &In) {
  const Rational First(Start), Line(std::int64_t(In.LineBytes));
  return Rational(floorOf((First + Of.End - Rational(1)) / Line) -
                  floorOf((First + Of.First) / Line))
             .get_d() +
         1;
}

/// What a run before has left dirty of an object, \p Lines at most, is written back in this one.
static void writeBackRest(Traffic &Of, const std::vector<const MemoryAccess *> &Accesses,
                          unsigned Object, std::size_t Level, double Lines) {
  LevelTraffic *Last = nullptr;
  for (std::size_t Each = 0; Each != Accesses.size(); ++Each)
    if (Accesses[Each]->Object == Object) {
      Lines -= Of.Accesses[Each][Level].WriteBacks;
      if (Accesses[Each]->What != Access::Kind::Load)
        Last = &Of.Accesses[Each][Level];
    }
  if (Last)
    Last->WriteBacks += std::max(0.0, Lines);
}

void startWarm(Traffic &Of, const AccessProgram &Program, const CacheHierarchy &Through,
               const Placement &At, bool Again) {
  const std::vector<const MemoryAccess *> Accesses = accessesIn(Program.Body);
  const auto Extents = objectExtents(Program);
  // An object whose size nobody knows has no more lines than a run that misses all has fetched.
  std::vector<double> Fetched(Program.Objects.size());
  for (std::size_t Each = 0; Each != Accesses.size(); ++Each)
    Fetched[Accesses[Each]->Object] +=
        Of.Accesses[Each].front().LoadMisses + Of.Accesses[Each].front().StoreMisses;
  std::set<unsigned> Told;
  for (std::size_t Level = 0; Level != Through.size(); ++Level) {
    double All = 0;
    auto Lines = [&](unsigned Object) {
      return Extents[Object] ? linesOf(*Extents[Object], At[Object], Through[Level])
                             : Fetched[Object];
    };
    for (unsigned Object = 0; Object != Program.Objects.size(); ++Object)
      All += Lines(Object);
    const bool Fits = All <= double(Through[Level].lines());
    for (unsigned Object = 0; Object != Program.Objects.size(); ++Object) {
      double Left = Lines(Object);
      if (Again && Fits && !Extents[Object] && Left > 0 && Told.insert(Object).second)
        Of.Assumptions.push_back("a run touches " + std::to_string(std::llround(Left)) +
                                 " lines of `" + Program.Objects[Object].Name +
                                 "` at most, which " + Through[Level].Name +
                                 " has of the run before");
      if (Again && !Fits && !Extents[Object])
        continue;
      if (Again && !Fits)
        writeBackRest(Of, Accesses, Object, Level, Left);
      else if (Again || Program.Objects[Object].IsWarm)
        for (std::size_t Each = 0; Each != Accesses.size(); ++Each)
          if (Accesses[Each]->Object == Object)
            Left -= takeMisses(Of.Accesses[Each], Level, Left);
    }
  }
  Of.Levels.assign(Through.size(), {});
  for (const auto &Each : Of.Accesses)
    for (std::size_t Level = 0; Level != Through.size(); ++Level)
      Of.Levels[Level] += Each[Level];
}

static bool isOnStack(const MemoryObject &Of) { return Of.Where == Space::Stack; }

/// Whether a linker or the compiler finds a place for it, side by side with others.
static bool isVariable(const MemoryObject &Of) { return Of.Bytes || Of.Where == Space::Constant; }

Placement placeObjects(const AccessProgram &Of, std::uint64_t PageBytes) {
  const auto Extents = objectExtents(Of);
  AddressSpace Free(PageBytes);
  Placement At(Of.Objects.size());
  auto PlaceAll = [&](auto Chosen, std::uint64_t Alignment) {
    for (std::size_t I = 0; I != At.size(); ++I)
      if (Chosen(Of.Objects[I], Extents[I].has_value()))
        At[I] = Free.place(Extents[I].value_or(Extent{0, 1}), Alignment);
  };
  // Variables lie side by side; 16 bytes is what ABIs align arrays and the stack to.
  PlaceAll([](const MemoryObject &Each,
              bool IsKnown) { return IsKnown && !isOnStack(Each) && isVariable(Each); },
           16);
  PlaceAll([](const MemoryObject &Each,
              bool IsKnown) { return IsKnown && !isOnStack(Each) && !isVariable(Each); },
           PageBytes);
  Free.place({0, 1}, PageBytes);
  PlaceAll([](const MemoryObject &Each, bool IsKnown) { return IsKnown && isOnStack(Each); }, 16);
  PlaceAll([](const MemoryObject &, bool IsKnown) { return !IsKnown; }, PageBytes);
  return At;
}

std::vector<Placement> otherPlacements(const AccessProgram &Of, const Placement &At) {
  static constexpr std::uint64_t PageBytes = 4096, LineBytes = 64;
  // Of variables of a file: what ABIs align arrays to. Of allocations: what glibc's have before
  // them.
  static constexpr std::uint64_t Alignment = 16, HeaderBytes = 16;
  const auto Extents = objectExtents(Of);
  auto IsFree = [&](std::size_t I) {
    return !Of.Objects[I].IsPlaced && !isOnStack(Of.Objects[I]) && Extents[I];
  };
  std::uint64_t End = 0; // behind all that is placed
  std::size_t Free = 0;
  for (std::size_t I = 0; I != At.size(); ++I) {
    Free += IsFree(I);
    const Rational Last = Rational(At[I]) + Extents[I].value_or(Extent{0, 1}).End;
    if (Last > Rational(End) && Last.sign() > 0)
      End = floorOf(Last).get_ui();
  }
  std::vector<Placement> Result;
  if (Free == 0)
    return Result;
  const std::uint64_t Start = (End / PageBytes + 1) * PageBytes;
  // Variables lie side by side all the same, in this order or in that one.
  auto Place = [&](std::uint64_t Step, bool IsBackwards, auto Further) {
    AddressSpace Space(Start);
    Placement &New = Result.emplace_back(At);
    for (std::size_t Number = 0; Number != At.size(); ++Number) {
      const std::size_t I = IsBackwards ? At.size() - 1 - Number : Number;
      if (!IsFree(I))
        continue;
      const bool IsBeside = isVariable(Of.Objects[I]);
      const std::uint64_t Behind = IsBeside ? 0 : Further(I);
      const Extent Wider{Extents[I]->First, Extents[I]->End + Rational(Behind)};
      New[I] = Space.place(Wider, IsBeside ? Alignment : Step) + Behind;
    }
  };
  // Programs of many accesses take seconds each time.
  static constexpr std::size_t Some = 64, Many = 512;
  const std::size_t Accesses = accessesIn(Of.Body).size();
  if (Accesses > Many)
    return Result;
  Place(Alignment, false, [](std::size_t) { return std::uint64_t(0); });
  if (Accesses > Some)
    return Result;
  Place(PageBytes, false, [](std::size_t) { return HeaderBytes; });
  // Knuth's multiplier spreads the numbers of objects over the lines of a page.
  Place(PageBytes, true, [](std::size_t I) {
    return (I * std::uint64_t(2654435761) >> 8) % (PageBytes / LineBytes) * LineBytes;
  });
  return Result;
}

} // namespace ergon
