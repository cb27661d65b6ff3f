//===- Traffic.h - bytes between the levels of memory -----------*- C++ -*-===//
//
// The interface of memory traffic predictors: their inputs, beside an access program, and results.
// One implementation computes footprints and reuse from the formulas, the other runs the accesses
// through simulated caches.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/access/AccessProgram.h"
#include "model/symbolic/Error.h"

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace ergon {

/// One cache level on a core's path to memory, with LRU replacement.
struct CacheLevel {
  std::string Name; ///< `l1`, `l2`, `l3`
  std::uint64_t Bytes;
  unsigned LineBytes;
  unsigned Ways; ///< lines of one set
  /// Whether stores go to the next level at once (write-through) or when the line is evicted
  /// (write-back).
  bool WriteThrough = false;
  /// A store that misses fetches the line.
  bool WriteAllocate = true;

  /// Lines of the whole level, and its sets.
  std::uint64_t lines() const { return Bytes / LineBytes; }
  std::uint64_t sets() const { return lines() / Ways; }
};

/// Nearest the core first. A miss fills each level on its path (neither inclusive nor exclusive).
using CacheHierarchy = std::vector<CacheLevel>;

/// Why a hierarchy is invalid, in one line; nothing where it is valid.
std::optional<std::string> checkHierarchy(const CacheHierarchy &Hierarchy);

/// What one access (or all) requests from one level, and the level from the next. Means, so they
/// may be fractions. Caches start cold; lines that are dirty at the end stay there.
struct LevelTraffic {
  double Loads = 0, Stores = 0;           ///< accesses that reach the level
  double LoadMisses = 0, StoreMisses = 0; ///< lines fetched from the next level
  double WriteBacks = 0;                  ///< dirty lines written to the next level
  double Bypassed = 0;                    ///< bytes of stores that bypass this level
  /// Lines that would move in addition if the sets had fewer ways: hits that would miss, plus a
  /// write-back where the line is dirty. Only the simulation knows them.
  double Marginal = 0;

  /// Adds counts of the same level.
  LevelTraffic &operator+=(const LevelTraffic &Other);
  /// Bytes between this level and the next one outward.
  double bytes(const CacheLevel &Level) const;
};

/// By how many lines the traffic beyond a level may be lower or higher.
struct LineDoubt {
  double Fewer = 0, More = 0;
};

/// Traffic of one run.
struct Traffic {
  /// By level, nearest first.
  std::vector<LevelTraffic> Levels;
  /// By level; empty where it was not estimated.
  std::vector<LineDoubt> Doubts{};
  /// By access, in text order, then by level. A write-back counts for the object's last store to
  /// the line.
  std::vector<std::vector<LevelTraffic>> Accesses;
  /// Whether every access was counted individually; otherwise some were sampled or grouped.
  bool IsComplete = true;
  /// What the numbers assume: placement of objects, distribution of unknown addresses.
  std::vector<std::string> Assumptions;
};

/// Start addresses in bytes, by object number.
using Placement = std::vector<std::uint64_t>;
/// Consecutive: variables at multiples of 16 bytes, other objects at page boundaries, then the
/// stack, then objects of unknown extent.
Placement placeObjects(const AccessProgram &Program, std::uint64_t PageBytes = 4096);

/// Alternative addresses of objects without a given one: consecutive, as a file's variables; after
/// the header of an allocation's pages; or some lines after a page boundary.
std::vector<Placement> otherPlacements(const AccessProgram &Program, const Placement &P);

/// Removes the cold misses of warm objects from \p T. With \p Again for a run after an equal one:
/// objects are warm in a level that holds all of them. In a level that does not, all lines are
/// evicted before they are used again, and dirty ones are written back.
void startWarm(Traffic &T, const AccessProgram &Program, const CacheHierarchy &Through,
               const Placement &P, bool Again = false);

/// Computes footprints and reuse over the loops, in less than a millisecond.
std::expected<Traffic, Error> analyzeTraffic(const AccessProgram &Program,
                                             const CacheHierarchy &Through, const Placement &P);

/// Runs the accesses through the caches.
std::expected<Traffic, Error> simulateTraffic(const AccessProgram &Program,
                                              const CacheHierarchy &Through, const Placement &P);

} // namespace ergon
