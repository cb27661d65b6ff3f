//===- Traffic.h - bytes between the levels of memory -----------*- C++ -*-===//
//
// What a predictor of memory traffic is given, beside an access program, and what
// it says. Two predictors stand behind the one interface: one computes footprints
// and reuse from the formulas, the other runs the accesses through the caches.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_TRAFFIC_TRAFFIC_H
#define ERGON_MODEL_TRAFFIC_TRAFFIC_H

#include "model/access/AccessProgram.h"
#include "model/symbolic/Error.h"

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace ergon {

/// One cache of a core's way to memory. LRU.
struct CacheLevel {
  std::string Name; ///< `l1`, `l2`, `l3`
  std::uint64_t Bytes;
  unsigned LineBytes;
  unsigned Ways; ///< lines of one set
  /// A store's data go on to the next level at once (write-through), or when the line leaves.
  bool WriteThrough = false;
  /// A store that misses fetches the line.
  bool WriteAllocate = true;

  /// Lines of the whole level, and its sets.
  std::uint64_t lines() const { return Bytes / LineBytes; }
  std::uint64_t sets() const { return lines() / Ways; }
};

/// Nearest the core first. A miss is filled in each level on its way (neither inclusive
/// nor exclusive).
using CacheHierarchy = std::vector<CacheLevel>;

/// Why a hierarchy makes no sense, as one line; nothing where it does.
std::optional<std::string> checkHierarchy(const CacheHierarchy &Hierarchy);

/// What one access (or all) asks of one level and what the level asks of the next; means, so
/// that they may be fractions. From cold caches; lines that are dirty in the end stay there.
struct LevelTraffic {
  double Loads = 0, Stores = 0;           ///< accesses that reach the level
  double LoadMisses = 0, StoreMisses = 0; ///< lines that are fetched from the next level
  double WriteBacks = 0;                  ///< dirty lines that leave to the next level
  double Bypassed = 0;                    ///< bytes of stores that go on without a line here
  /// Lines that would move in addition if the sets had less room: hits of a line that would not be
  /// there, and once more where it is dirty. The simulation alone knows them.
  double Marginal = 0;

  /// Adds counts of the same level.
  LevelTraffic &operator+=(const LevelTraffic &Other);
  /// Bytes between this level and the next one outward.
  double bytes(const CacheLevel &Level) const;
};

/// How many lines fewer or more may move beyond a level.
struct LineDoubt {
  double Fewer = 0, More = 0;
};

/// Traffic of one run.
struct Traffic {
  /// By level, nearest first.
  std::vector<LevelTraffic> Levels;
  /// By level; none where nobody has looked.
  std::vector<LineDoubt> Doubts{};
  /// By access, in the order in which the program's text has them, then by level. A
  /// write-back is of the object's last store to the line.
  std::vector<std::vector<LevelTraffic>> Accesses;
  /// The numbers are of all accesses one by one; else some were left out or put together.
  bool IsComplete = true;
  /// What they rest on: where objects lie, how often an unknown place is met.
  std::vector<std::string> Assumptions;
};

/// Where objects start, in bytes, by object number; each on a page of its own unless it says
/// otherwise.
using Placement = std::vector<std::uint64_t>;
/// One behind the other: variables at multiples of 16 bytes, other objects from a page on, then the
/// stack, then objects whose extent is not known.
Placement placeObjects(const AccessProgram &Program, std::uint64_t PageBytes = 4096);

/// Where those that nobody gave a place may lie as well: behind one another, as variables of a file
/// do; behind the header of an allocation's pages; or some lines from a page on.
std::vector<Placement> otherPlacements(const AccessProgram &Program, const Placement &P);

/// Takes the first misses of objects that are warm out of \p T. With \p Again of a run after one
/// that did the same: in a level that all objects fit into they are warm. From one that they do not
/// fit into all is gone when it is asked for again, and what was left dirty is written back.
void startWarm(Traffic &T, const AccessProgram &Program, const CacheHierarchy &Through,
               const Placement &P, bool Again = false);

/// From footprints and reuse over the loops. In less than a millisecond.
std::expected<Traffic, Error> analyzeTraffic(const AccessProgram &Program,
                                             const CacheHierarchy &Through, const Placement &P);

/// By running the accesses through the caches.
std::expected<Traffic, Error> simulateTraffic(const AccessProgram &Program,
                                              const CacheHierarchy &Through, const Placement &P);

} // namespace ergon

#endif
