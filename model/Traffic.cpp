//===- Traffic.cpp - bytes between the levels of memory -------------------===//

#include "model/Traffic.h"

#include "model/ObjectExtents.h"

namespace ergon {

LevelTraffic &LevelTraffic::operator+=(const LevelTraffic &Other) {
  Loads += Other.Loads;
  Stores += Other.Stores;
  LoadMisses += Other.LoadMisses;
  StoreMisses += Other.StoreMisses;
  WriteBacks += Other.WriteBacks;
  Bypassed += Other.Bypassed;
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

Placement placeObjects(const AccessProgram &Of, std::uint64_t PageBytes) {
  const auto Extents = objectExtents(Of);
  AddressSpace Free(PageBytes);
  Placement At(Of.Objects.size());
  auto PlaceAll = [&](auto Chosen, std::uint64_t Alignment) {
    for (std::size_t I = 0; I != At.size(); ++I)
      if (Chosen(Of.Objects[I].Where == Space::Stack, Extents[I].has_value()))
        At[I] = Free.place(Extents[I].value_or(Extent{0, 1}), Alignment);
  };
  PlaceAll([](bool OnStack, bool IsKnown) { return !OnStack && IsKnown; }, PageBytes);
  // Local variables lie side by side; 16 bytes is what ABIs align the stack to.
  Free.place({0, 1}, PageBytes);
  PlaceAll([](bool OnStack, bool IsKnown) { return OnStack && IsKnown; }, 16);
  PlaceAll([](bool, bool IsKnown) { return !IsKnown; }, PageBytes);
  return At;
}

} // namespace ergon
