//===- PageWalks.cpp - TLB misses -----------------------------------------===//

#include "model/traffic/PageWalks.h"
#include "model/access/ObjectExtents.h"
#include "model/machine/Pages.h"

#include <algorithm>

namespace ergon {

namespace {
/// TLB reach: with more than this many pages, each access takes longer.
struct Reach {
  unsigned Pages;
  double MoreS;
};
} // namespace

/// Where loads become slower: between two measured numbers of pages.
static std::vector<Reach> reachesOf(const std::vector<PipelineTranslation> &Measured) {
  /// Smaller steps come from cache misses on the data of more pages.
  static constexpr double Step = 0.1;
  std::vector<Reach> Result;
  if (Measured.empty())
    return Result;
  const double Longest = Measured.back().LoadS.Median.Value;
  double Known = Measured.front().LoadS.Median.Value;
  for (std::size_t K = 1; K < Measured.size(); ++K) {
    const double Next = Measured[K].LoadS.Median.Value;
    if (Next - Known < Step * Longest)
      continue;
    // The reach lies somewhere between.
    Result.push_back({(Measured[K - 1].Pages + Measured[K].Pages) / 2, Next - Known});
    Known = Next;
  }
  return Result;
}

static bool hasMorePages(const AccessProgram &Program, unsigned Bound) {
  double Pages = 0;
  for (const auto &ObjectExtent : objectExtents(Program))
    if (ObjectExtent)
      Pages += Rational(ObjectExtent->End - ObjectExtent->First).get_d() / PageBytes + 1;
  return Pages > Bound;
}

std::expected<std::vector<PageWalks>, Error>
pageWalks(const AccessProgram &Program, const Placement &P,
          const std::vector<PipelineTranslation> &Measured, bool IsWarm) {
  const std::vector<Reach> Reaches = reachesOf(Measured);
  if (Reaches.empty() || !hasMorePages(Program, Reaches.front().Pages))
    return {};
  CacheHierarchy Known;
  for (const Reach &Reache : Reaches)
    Known.push_back({"pages" + std::to_string(Reache.Pages),
                     std::uint64_t(Reache.Pages) * PageBytes, PageBytes, Reache.Pages});
  auto Missed = analyzeTraffic(Program, Known, P);
  if (!Missed)
    return std::unexpected(Missed.error());
  if (IsWarm)
    startWarm(*Missed, Program, Known, P, IsWarm);
  std::vector<PageWalks> Result;
  for (const std::vector<LevelTraffic> &Access : Missed->Accesses) {
    PageWalks &Walks = Result.emplace_back();
    for (std::size_t K = 0; K != Reaches.size(); ++K) {
      const double Times = Access[K].LoadMisses + Access[K].StoreMisses;
      Walks.Times = std::max(Walks.Times, Times);
      Walks.S += Times * Reaches[K].MoreS;
    }
  }
  return Result;
}

} // namespace ergon
