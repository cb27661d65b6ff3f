//===- OverlapShare.cpp - how often objects overlap -----------------------===//

#include "model/incore/OverlapShare.h"
#include "model/program/Stride.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ergon {

namespace {
using Values = std::map<std::string, Rational, std::less<>>;

/// Bytes of an object from the first to behind the last.
struct Range {
  double From, To;
};

class OverlapTest {
public:
  OverlapTest(std::span<const AccessNest *const> Loops, const OverlapCheck &Check);
  double share() const;

private:
  /// Two accesses of one object, at least one a store, at a distance that varies.
  struct Pair {
    const MemoryAccess *First, *Second;
  };
  std::span<const AccessNest *const> Loops;
  OverlapCheck Check;
  std::vector<Pair> Pairs;

  bool isInSequence() const;
  bool overlap(const Values &At) const;
  bool overlap(const Pair &P, const Values &At) const;
  std::optional<Range> rangeOf(const MemoryAccess &Access, const Values &At) const;
};
} // namespace

static std::optional<double> valueOf(const Expr &E, const Values &At) {
  auto Value = E.evaluate([&](const std::string &Name) -> std::optional<Rational> {
    auto Found = At.find(Name);
    return Found == At.end() ? std::nullopt : std::optional(Found->second);
  });
  return Value ? std::optional(Value->get_d()) : std::nullopt;
}

OverlapTest::OverlapTest(std::span<const AccessNest *const> Loops, const OverlapCheck &Check)
    : Loops(Loops), Check(Check) {
  static constexpr std::size_t MaxAccesses = 64; // each is held against each
  std::vector<const MemoryAccess *> Accesses;
  for (const AccessItem &Item : Loops.back()->Items)
    if (auto *MA = std::get_if<MemoryAccess>(&Item.What);
        MA && MA->Offset && Accesses.size() != MaxAccesses)
      Accesses.push_back(MA);
  for (std::size_t First = 0; First != Accesses.size(); ++First)
    for (std::size_t Second = First + 1; Second != Accesses.size(); ++Second) {
      const MemoryAccess &A = *Accesses[First], &B = *Accesses[Second];
      if (A.Object != B.Object || (A.What == Access::Kind::Load && B.What == Access::Kind::Load))
        continue;
      // What is known when it is compiled is not compared; a parameter's value is.
      const auto Apart = (*B.Offset - *A.Offset).constant();
      if (Check.ApartBytes > 0 ? !Apart || *Apart != 0 : !Apart)
        Pairs.push_back({&A, &B});
    }
}

/// The bytes that \p Access reaches while the checked loops run.
std::optional<Range> OverlapTest::rangeOf(const MemoryAccess &Access, const Values &At) const {
  static constexpr std::size_t MaxCovered = 4; // corners double with each
  const std::size_t Covered = std::min({std::size_t(Check.Loops), Loops.size(), MaxCovered});
  Values Corner = At;
  std::optional<Range> Result;
  // Formulas grow or fall with each variable: the corners are the ends.
  for (unsigned Which = 0; Which != 1U << Covered; ++Which) {
    for (std::size_t L = Loops.size() - Covered; L != Loops.size(); ++L) {
      const bool IsLast = Which >> (L - (Loops.size() - Covered)) & 1U;
      auto Last = valueOf(Loops[L]->Last, Corner);
      if (!Last)
        return std::nullopt;
      Corner[Loops[L]->Variable] =
          Rational(IsLast ? std::int64_t(std::clamp(*Last, 0.0, 1e15)) : 0);
    }
    auto Start = valueOf(*Access.Offset, Corner);
    if (!Start)
      return std::nullopt;
    if (!Result)
      Result = {*Start, *Start};
    Result = {std::min(Result->From, *Start), std::max(Result->To, *Start + Access.Bytes)};
  }
  return Result;
}

bool OverlapTest::overlap(const Pair &P, const Values &At) const {
  if (Check.ApartBytes > 0) {
    Values Begin = At;
    Begin[Loops.back()->Variable] = Rational(0);
    auto Apart = valueOf(*P.Second->Offset - *P.First->Offset, Begin);
    return Apart && *Apart >= 0 && *Apart < Check.ApartBytes;
  }
  auto First = rangeOf(*P.First, At), Second = rangeOf(*P.Second, At);
  return First && Second && First->From < Second->To && Second->From < First->To;
}

bool OverlapTest::overlap(const Values &At) const {
  return std::ranges::any_of(Pairs, [&](const Pair &P) { return overlap(P, At); });
}

/// Whether each access of the innermost loop stays where it is or goes on by its own size.
bool OverlapTest::isInSequence() const {
  return std::ranges::all_of(Loops.back()->Items, [&](const AccessItem &Item) {
    auto *MA = std::get_if<MemoryAccess>(&Item.What);
    if (!MA || !MA->Offset)
      return true;
    const auto Stride = constantStride(*MA->Offset, Loops.back()->Variable);
    return !Stride || *Stride == 0 || abs(*Stride) == Rational(MA->Bytes);
  });
}

double OverlapTest::share() const {
  if (Check.UnitStride && !isInSequence())
    return 1;
  if (Pairs.empty() || Check.Loops == 0)
    return 0;
  // Samples that fill the space of the outer iterations evenly, weighted by how many iterations
  // each stands for.
  static constexpr unsigned Samples = 64;
  static constexpr double Golden = 0.6180339887498949;
  double Sum = 0, All = 0;
  for (unsigned Sample = 0; Sample != Samples; ++Sample) {
    Values At;
    double Weight = 1, Place = (Sample + 0.5) / Samples;
    for (const AccessNest *Outer : Loops.first(Loops.size() - 1)) {
      if (Outer->Variable.empty())
        continue;
      auto Last = valueOf(Outer->Last, At);
      const double Trips = Last ? std::floor(*Last) + 1 : 0;
      Weight *= std::max(0.0, Trips);
      At[Outer->Variable] = Rational(std::int64_t(std::clamp(Place * Trips, 0.0, 1e15)));
      Place = std::fmod((Sample + 0.5) * Golden + Place, 1.0);
    }
    All += Weight;
    Sum += Weight > 0 && overlap(At) ? Weight : 0;
  }
  return All > 0 ? Sum / All : 0;
}

double overlapShare(std::span<const AccessNest *const> Loops, const OverlapCheck &Check) {
  return OverlapTest(Loops, Check).share();
}

} // namespace ergon
