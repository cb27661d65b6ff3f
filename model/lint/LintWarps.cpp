//===- LintWarps.cpp - rules over the accesses of warps -------------------===//

#include "model/gpu/WarpAccesses.h"
#include "model/lint/LintRules.h"
#include "model/program/Stride.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <set>

namespace ergon {

using Coordinates = std::array<std::int64_t, 3>; ///< x, y, z

static const std::array<std::string, 3> LaneSymbols = {"threadIdx.x", "threadIdx.y", "threadIdx.z"},
                                        BlockSymbols = {"block.x", "block.y", "block.z"};

namespace {
/// The threads of a block's first warp. CUDA numbers threads along x first, then y, then z
/// (NVIDIA, "CUDA C++ Programming Guide", section "Thread Hierarchy").
class FirstWarp {
public:
  /// A side of 0 is unknown: 256 threads along x, and enough to fill a warp along y and z.
  explicit FirstWarp(const Coordinates &Block) {
    static constexpr std::int64_t Usual = 256;
    Sides[0] = Block[0] ? Block[0] : Usual;
    for (unsigned Axis : {1U, 2U})
      Sides[Axis] = Block[Axis] ? Block[Axis] : Block[0] ? std::int64_t(LanesOfWarp) : 1;
    for (unsigned Lane = 0; Lane != LanesOfWarp; ++Lane)
      if (Lane < Sides[0] * Sides[1] * Sides[2])
        Lanes |= LaneMask(1) << Lane;
  }

  const Coordinates &sides() const { return Sides; }
  LaneMask lanes() const { return Lanes; }
  Coordinates thread(unsigned Lane) const {
    return {Lane % Sides[0], Lane / Sides[0] % Sides[1], Lane / Sides[0] / Sides[1]};
  }
  /// True where the threads of the warp differ along \p Axis.
  bool varies(unsigned Axis) const {
    for (unsigned Lane = 0; Lane != LanesOfWarp; ++Lane)
      if (Lanes >> Lane & 1 && thread(Lane)[Axis] != 0)
        return true;
    return false;
  }

private:
  Coordinates Sides;
  LaneMask Lanes = 0;
};
} // namespace

/// The active lanes at the access for large parameters; all where unknown.
static LaneMask activeLanes(const Block &B, std::span<const Loop *const> Around,
                            const FirstWarp &Warp) {
  Expr Comes = B.Runs;
  for (const Loop *L : Around)
    if (!L->Variable.empty())
      Comes = Comes * L->Entries;
  if (std::ranges::none_of(LaneSymbols,
                           [&](const std::string &Text) { return Comes.dependsOn(Text); }))
    return Warp.lanes();
  LaneMask Result = 0;
  for (unsigned Lane = 0; Lane != LanesOfWarp; ++Lane) {
    auto Value = Comes.evaluate([&](const std::string &Name) -> std::optional<Rational> {
      static constexpr int Large = 1 << 20;
      for (unsigned Axis = 0; Axis != 3; ++Axis)
        if (Name == LaneSymbols[Axis])
          return Rational(Warp.thread(Lane)[Axis]);
        else if (Name == BlockSymbols[Axis])
          return Rational(Warp.sides()[Axis]);
      if (Name.starts_with("blockIdx."))
        return Rational(0);
      const bool IsIteration = std::ranges::find(Around, Name, &Loop::Variable) != Around.end();
      return Rational(IsIteration ? 0 : Large);
    });
    if (!Value)
      return Warp.lanes();
    if (Value->sign() > 0)
      Result |= LaneMask(1) << Lane;
  }
  return Result & Warp.lanes();
}

using Addresses = std::array<std::int64_t, LanesOfWarp>;

/// What a request costs: sectors, or passes through the banks.
static double costOf(const Access &A, LaneMask Active, const Addresses &Position) {
  WarpRequests Sum;
  addRequest(Sum, MemoryAccess{.What = A.What, .Object = 0, .Bytes = A.Bytes, .Offset = {}},
             A.Where, Active, Position, 1);
  return A.Where == Space::Shared ? Sum.Passes.Low : Sum.Sectors.Low;
}

/// The lanes' addresses relative to the lowest one, which starts a line.
static Addresses addressesOf(const FirstWarp &Warp, const Coordinates &Strides) {
  Addresses Result{};
  for (unsigned Lane = 0; Lane != LanesOfWarp; ++Lane)
    for (unsigned Axis = 0; Axis != 3; ++Axis)
      Result[Lane] += Strides[Axis] * Warp.thread(Lane)[Axis];
  const std::int64_t Lowest = *std::ranges::min_element(Result);
  for (std::int64_t &Value : Result)
    Value -= Lowest;
  return Result;
}

/// The same number of different elements, adjacent.
static Addresses packed(const Addresses &A, LaneMask Active, unsigned Bytes) {
  std::set<std::int64_t> Places;
  for (unsigned Lane = 0; Lane != LanesOfWarp; ++Lane)
    if (Active >> Lane & 1)
      Places.insert(A[Lane]);
  Addresses Result{};
  for (unsigned Lane = 0; Lane != LanesOfWarp; ++Lane)
    Result[Lane] = Bytes * std::distance(Places.begin(), Places.lower_bound(A[Lane]));
  return Result;
}

namespace {
/// The distance between neighbouring threads in an object.
struct Neighbours {
  Coordinates Bytes{};         ///< unknown distances count as far
  std::array<Expr, 3> Formula; ///< of the axes along which threads of a warp differ
  bool IsNumber = true;
};
} // namespace

/// Nothing where the address is not linear, or the same for all.
static std::optional<Neighbours> neighboursOf(const Access &A, const FirstWarp &Warp) {
  Neighbours Result;
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    if (!Warp.varies(Axis))
      continue;
    const auto Stride = stride(*A.Offset, LaneSymbols[Axis]);
    if (!Stride)
      return std::nullopt;
    if (Stride->isZero())
      continue;
    const Expr &Apart = Result.Formula[Axis] = *Stride;
    if (std::ranges::any_of(LaneSymbols,
                            [&](const std::string &Text) { return Apart.dependsOn(Text); }))
      return std::nullopt;
    static constexpr std::int64_t Farthest = 1 << 20; // larger distances are equivalent
    const auto Bytes = Apart.constant();
    if (Bytes && !Bytes->isInteger())
      return std::nullopt;
    Result.IsNumber &= Bytes.has_value();
    Result.Bytes[Axis] =
        Bytes ? std::int64_t(std::clamp(Bytes->get_d(), -double(Farthest), double(Farthest)))
              : Farthest << 6 * Axis;
  }
  if (Result.Bytes == Coordinates{})
    return std::nullopt;
  return Result;
}

/// `neighbouring threads are 128 bytes apart in `s`: a warp's request`; for a block with rows
/// shorter than a warp along each axis.
static std::string whatIsApart(const Neighbours &N, const FirstWarp &Warp, const Access &A) {
  const Coordinates &Sides = Warp.sides();
  if (!Warp.varies(1) && !Warp.varies(2) && Sides[0] >= std::int64_t(LanesOfWarp))
    return "neighbouring threads are " + toPretty(N.Formula[0]) + " bytes apart in `" + A.Base +
           "`: a warp's request";
  std::string Along;
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    if (Warp.varies(Axis))
      Along += (Along.empty() ? "" : ", ") + toPretty(N.Formula[Axis]) + " bytes apart along " +
               "xyz"[Axis];
  std::string Size = std::to_string(Sides[0]);
  for (unsigned Axis : {1U, 2U})
    if (Sides[Axis] > 1)
      Size += " × " + std::to_string(Sides[Axis]);
  return "in blocks of " + Size + " threads neighbours are " + Along + " in `" + A.Base +
         "`: a warp's request";
}

/// A remark, and the ratio of the request's cost to the necessary one.
static std::optional<std::pair<Remark, double>> remarkOn(const Access &A, const Block &B,
                                                         std::span<const Loop *const> Around,
                                                         const FirstWarp &Warp) {
  const bool IsShared = A.Where == Space::Shared;
  const auto Apart = neighboursOf(A, Warp);
  if (!Apart || (IsShared && !Apart->IsNumber))
    return std::nullopt;
  const LaneMask Active = activeLanes(B, Around, Warp);
  static constexpr int Few = 8; // too little for a warp
  if (std::popcount(Active) < Few)
    return std::nullopt;
  const Addresses Position = addressesOf(Warp, Apart->Bytes);
  const double Cost = costOf(A, Active, Position),
               Best = costOf(A, Active, packed(Position, Active, A.Bytes));
  if (Cost < 2 * Best)
    return std::nullopt;
  const auto Number = [](double Value) { return std::to_string(std::int64_t(Value)); };
  const std::string Takes = whatIsApart(*Apart, Warp, A) + " takes " + Number(Cost);
  if (IsShared) {
    Coordinates Padded = Apart->Bytes;
    std::int64_t &Row =
        *std::ranges::max_element(Padded, {}, [](std::int64_t Bytes) { return std::abs(Bytes); });
    Row += Row < 0 ? -std::int64_t(A.Bytes) : A.Bytes;
    const bool HelpsToPad = costOf(A, Active, addressesOf(Warp, Padded)) < Cost;
    return std::pair(
        Remark{"bank-conflict", Takes + " passes through the banks where " + Number(Best) +
                                    " would do: " +
                                    (HelpsToPad ? "pad the rows by one element"
                                                : "let neighbouring threads take neighbouring "
                                                  "elements")},
        Cost / Best);
  }
  // The rest of a sector may hold other fields of the same thread's structure.
  std::int64_t Stride = A.Bytes;
  for (std::int64_t Byte : Apart->Bytes)
    if (std::abs(Byte) > A.Bytes && (Stride == A.Bytes || std::abs(Byte) < Stride))
      Stride = std::abs(Byte);
  if (Apart->IsNumber &&
      usedOf(double(Stride), A, *Around.back()) * 2 >= double(std::min(Stride, SectorBytes)))
    return std::nullopt;
  return std::pair(Remark{"uncoalesced-access",
                          Takes + " sectors of " + std::to_string(SectorBytes) + " bytes where " +
                              Number(Best) +
                              " would do: let neighbouring threads take neighbouring elements"},
                   Cost / Best);
}

std::optional<Remark> remarkOnWarps(const Access &A, const Block &B,
                                    std::span<const Loop *const> Around,
                                    const std::set<BlockShape> &Launched) {
  if ((A.Where != Space::Shared && A.Where != Space::Global) || A.Base.empty() || !A.Offset ||
      A.What == Access::Kind::Atomic)
    return std::nullopt;
  std::optional<std::pair<Remark, double>> Worst;
  for (const BlockShape &Shape : Launched.empty() ? std::set<BlockShape>{{}} : Launched)
    if (auto Next = remarkOn(A, B, Around, FirstWarp(Shape));
        Next && (!Worst || Next->second > Worst->second))
      Worst = std::move(Next);
  if (!Worst)
    return std::nullopt;
  return std::move(Worst->first);
}

//===----------------------------------------------------------------------===//
// Divergence
//===----------------------------------------------------------------------===//

/// Whether it is more than the back end runs under a predicate in the place of a branch.
static bool isMuchWork(const Block &B) {
  static constexpr double MuchFlops = 8;
  double Flops = 0;
  for (const auto &[Class, Amount] : B.PerRun)
    if (family(Class) == ClassFamily::Flops)
      if (const auto Number = Amount.constant())
        Flops += Number->get_d();
  return !B.Accesses.empty() || !B.Calls.empty() || Flops >= MuchFlops;
}

std::optional<Remark> remarkOnDivergence(const Block &B, std::span<const Loop *const> Around,
                                         const std::set<BlockShape> &Launched,
                                         std::uint32_t &Lanes) {
  if (!isMuchWork(B) || std::ranges::none_of(LaneSymbols, [&](const std::string &Text) {
        return B.Runs.dependsOn(Text);
      }))
    return std::nullopt;
  for (const BlockShape &Shape : Launched.empty() ? std::set<BlockShape>{{}} : Launched) {
    const FirstWarp Warp(Shape);
    // In a row of less than a warp the sides of a tile would look the same.
    if (Warp.varies(1) || Warp.varies(2))
      return std::nullopt;
    Lanes = activeLanes(B, Around, Warp);
    const int Active = std::popcount(Lanes),
              Borders = std::popcount((Lanes ^ (Lanes >> 1)) & 0x7fffffffU);
    static constexpr int Many = 12, Turns = 4; // fewer: one thread of a group writes its result
    if (Active < Many || int(LanesOfWarp) - Active < Many || Borders < Turns)
      return std::nullopt;
  }
  return Remark{"divergent-branch",
                std::to_string(std::popcount(Lanes)) + " of the " + std::to_string(LanesOfWarp) +
                    " threads of a warp do this, in turns with threads that wait: let neighbouring "
                    "threads go the same way"};
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static void forEachCall(const Loop &Region, const auto &Visit) {
  for (const Block &B : Region.Blocks)
    for (const Call &Site : B.Calls)
      Visit(Site);
  for (const Loop &Inner : Region.Loops)
    forEachCall(Inner, Visit);
}

void addLaunches(const Function &F, const FunctionLookup &Find, BlockShapes &Result) {
  forEachCall(F.Body, [&](const Call &Site) {
    if (!Site.Shape)
      return;
    BlockShape Sides{};
    for (unsigned Axis = 0; Axis != 3; ++Axis)
      if (const auto Known = Site.Shape->Block[Axis].constant();
          Known && Known->isInteger() && *Known >= Rational(1) && *Known <= Rational(1024))
        Sides[Axis] = std::int64_t(Known->get_d());
    if (Sides[0] == 0) // unknown, or an invalid launch
      return;
    if (Site.IsLaunch) {
      Result[Site.Callee].insert(Sides);
      return;
    }
    // The stub between `<<<…>>>` and the launch, if not inlined.
    if (const Function *Stub = Find(Site.Callee, F))
      forEachCall(Stub->Body, [&](const Call &Inner) {
        if (Inner.IsLaunch)
          Result[Inner.Callee].insert(Sides);
      });
  });
}

} // namespace ergon
