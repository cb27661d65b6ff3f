//===- LintWarps.cpp - rules over the accesses of warps -------------------===//

#include "model/LintRules.h"
#include "model/WarpAccesses.h"

#include <algorithm>
#include <cmath>

namespace ergon {

static const std::string LaneSymbol = "threadIdx.x";

/// The lanes of the first warp that come to the access, where parameters are large and blocks have
/// 256 threads along x; all, where that cannot be told.
static LaneMask activeLanes(const Block &In, std::span<const Loop *const> Around) {
  Expr Comes = In.Runs;
  for (const Loop *Each : Around)
    if (!Each->Variable.empty())
      Comes = Comes * Each->Entries;
  if (!Comes.dependsOn(LaneSymbol))
    return ~LaneMask(0);
  LaneMask Result = 0;
  for (unsigned Lane = 0; Lane != LanesOfWarp; ++Lane) {
    auto Value = Comes.evaluate([&](const std::string &Name) -> std::optional<Rational> {
      static constexpr int Large = 1 << 20;
      if (Name == LaneSymbol)
        return Rational(Lane);
      if (Name.starts_with("threadIdx.") || Name.starts_with("blockIdx."))
        return Rational(0);
      if (Name.starts_with("block."))
        return Rational(Name == "block.x" ? 256 : 1);
      const bool IsIteration = std::ranges::find(Around, Name, &Loop::Variable) != Around.end();
      return Rational(IsIteration ? 0 : Large);
    });
    if (!Value)
      return ~LaneMask(0);
    if (Value->sign() > 0)
      Result |= LaneMask(1) << Lane;
  }
  return Result;
}

/// What a request costs whose lanes go \p Stride bytes apart: sectors, or passes through the banks.
static double costOf(const Access &One, Space Where, LaneMask Active, std::int64_t Stride) {
  std::array<std::int64_t, LanesOfWarp> Addresses{};
  for (unsigned Lane = 0; Lane != LanesOfWarp; ++Lane)
    Addresses[Lane] = Stride * Lane;
  WarpRequests Sum;
  addRequest(Sum, MemoryAccess{.What = One.What, .Object = 0, .Bytes = One.Bytes, .Offset = {}},
             Where, Active, Addresses, 1);
  return Where == Space::Shared ? Sum.Passes.Low : Sum.Sectors.Low;
}

std::optional<Remark> remarkOnWarps(const Access &One, const Block &In,
                                    std::span<const Loop *const> Around) {
  const bool IsShared = One.Where == Space::Shared;
  if ((!IsShared && One.Where != Space::Global) || One.Base.empty() || !One.Offset ||
      One.What == Access::Kind::Atomic)
    return std::nullopt;
  const auto Factors = One.Offset->coefficientsOf(LaneSymbol);
  if (!Factors || Factors->size() != 2)
    return std::nullopt;
  const Expr &Apart = (*Factors)[1];
  const auto Bytes = Apart.constant();
  static constexpr std::int64_t Farthest = 1 << 20; // more are as far
  if (Bytes ? !Bytes->isInteger() : IsShared)
    return std::nullopt;
  const LaneMask Active = activeLanes(In, Around);
  static constexpr int Few = 8; // no warp's work
  if (std::popcount(Active) < Few)
    return std::nullopt;
  const std::int64_t Stride =
      Bytes ? std::int64_t(std::min(std::abs(Bytes->get_d()), double(Farthest))) : Farthest;
  const double Cost = costOf(One, One.Where, Active, Stride),
               Best = costOf(One, One.Where, Active, One.Bytes);
  if (Cost < 2 * Best)
    return std::nullopt;
  const std::string Far =
      toPretty(Apart) + " bytes apart in `" + One.Base + "`: a warp's request takes ";
  const auto Number = [](double Of) { return std::to_string(long(Of)); };
  if (IsShared) {
    const bool HelpsToPad = costOf(One, One.Where, Active, Stride + One.Bytes) < Cost;
    return Remark{"bank-conflict",
                  "neighbouring threads are " + Far + Number(Cost) +
                      " passes through the banks where " + Number(Best) + " would do: " +
                      (HelpsToPad ? "pad the rows by one element"
                                  : "let neighbouring threads take neighbouring elements")};
  }
  // The rest of a sector may be for others of the same thread: fields of one structure.
  if (Bytes &&
      usedOf(double(Stride), One, *Around.back()) * 2 >= std::min<double>(Stride, SectorBytes))
    return std::nullopt;
  return Remark{"uncoalesced-access",
                "neighbouring threads are " + Far + Number(Cost) + " sectors of " +
                    std::to_string(SectorBytes) + " bytes where " + Number(Best) +
                    " would do: let neighbouring threads take neighbouring elements"};
}

} // namespace ergon
