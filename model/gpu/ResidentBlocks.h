//===- ResidentBlocks.h - concurrent blocks of a launch ---------*- C++ -*-===//
//
// Simulates the resident blocks of a GPU through its caches in device order: all side by side in
// each iteration of a loop, or each at an iteration of its own.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/gpu/DeviceCaches.h"
#include "model/gpu/SectorCache.h"
#include "model/gpu/WarpAccesses.h"

namespace ergon {

/// The sectors of one access.
struct SectorCounts {
  double Sectors = 0; ///< of requests
  double L2Reads = 0, L2Writes = 0, DramReads = 0, DramWrites = 0;
  /// The part of DramReads that the same block had fetched before.
  double FetchedAgain = 0;
  /// Reads and writes of DRAM in the simulated part, which represents the rest.
  double SeenReads = 0, SeenWrites = 0;

  /// Adds \p Times of each.
  void add(const SectorCounts &Other, double Times = 1);
};

/// A round's share of each access's sectors, by access.
using RoundCounts = std::vector<SectorCounts>;

class ResidentBlocks {
public:
  /// \p Program and \p Compiled of it must outlive this; \p BlockSectors are the mean sectors of
  /// each access's requests in a round.
  ResidentBlocks(const AccessProgram &Program, const WarpProgram &Compiled,
                 const LaunchSize &Launch, const DeviceCaches &Through, std::int64_t AtOnce,
                 std::vector<double> BlockSectors);

  /// Everything was simulated; otherwise blocks or iterations were skipped.
  bool IsComplete = true;
  /// Whether a loop is long enough for blocks to be at different iterations.
  bool MayDrift = false;

  /// Simulates round \p Number with about \p MaxSectors, choosing as many iterations of each loop;
  /// the others are like the later ones of these. Formulas take \p Effort operations. With \p
  /// Apart, blocks are at arbitrary iterations of loops, except short ones.
  RoundCounts run(std::int64_t Number, double MaxSectors, std::int64_t &Effort, bool Apart = false);

private:
  /// The requests of one access of a warp in a box of blocks and iterations.
  struct Stream {
    unsigned Access;
    std::int64_t Warp;
    LaneMask Active;
    unsigned Variables;
    std::array<IndexRange, WarpBox::MaxVariables> Ranges;
    WarpValue Offset;
    /// Sectors of a request relative to its box's start, by the start's alignment in a sector.
    std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>> Sectors{};

    double points(unsigned From = 0) const;
  };
  using Phase = std::vector<Stream>;
  /// How a phase is run: steps over the loop of \p Variable, with outer loops fixed at their
  /// middle.
  struct Plan {
    unsigned Variable = 3;
    std::int64_t First = 0;          ///< iteration
    std::int64_t Steps = 1, All = 1; ///< that are run, that there are
    std::int64_t Period = 1;         ///< steps after which accesses have covered a sector
    double MaxSectors = 0;           ///< limit, whatever the steps
    bool IsWhole = true;             ///< whether it is the whole phase
  };

  const AccessProgram &Program;
  const WarpProgram &Compiled;
  const LaunchSize &Launch;
  const DeviceCaches &Through;
  std::int64_t AtOnce, First = 0;
  std::vector<double> BlockSectors;
  SectorCache L2;
  std::vector<SectorCache> L1;
  /// Items of the kernel's body, in sequence. By access the number of its item.
  std::vector<Phase> Phases;
  std::vector<std::size_t> PhaseOf;
  /// A hash table of blocks and the sectors that they fetched from DRAM.
  std::vector<std::uint64_t> Fetched;
  std::array<std::int64_t, 3> Block{};
  bool IsApart = false;
  double Left = 0;

  /// Limits memory for a device whose blocks all differ.
  static constexpr std::size_t MaxStreams = 60'000;
  /// Of the outermost loops these iterations alone are asked for, as streams were too many.
  std::vector<IndexRange> OuterRanges;

  void number(const AccessItem &Item, std::size_t Phase);
  void collect(std::int64_t Past, std::int64_t &Effort);
  bool collectWithin(std::int64_t Past, std::int64_t &Effort);
  std::int64_t addStreams(std::int64_t From, std::int64_t Past, std::int64_t &Effort,
                          std::size_t &Room);
  Plan planOf(Phase &Streams, double Budget);
  using Ranges = std::array<IndexRange, WarpBox::MaxVariables>;
  static Ranges pinned(const Stream &S, const Plan &P);
  double sectorsOfStep(Phase &Streams, Plan &P);
  void runPhase(Phase &Streams, const Plan &P, RoundCounts &Early, RoundCounts &Late);
  /// A step of a plan, and the iterations that it covers.
  struct PlanStep {
    const Ranges &Box;
    const Plan &Chosen;
    std::int64_t Number;
  };
  void runPoints(Stream &S, unsigned Variable, const PlanStep &Step, std::int64_t Address,
                 SectorCounts &Result);
  std::int64_t startOf(const Plan &P) const;
  std::int64_t blockNumber() const;
  const std::vector<std::int64_t> &sectors(Stream &S, std::int64_t Begin);
  void request(Stream &S, std::int64_t Address, SectorCounts &Result);
  bool fetchedBefore(std::int64_t Slot, std::int64_t Sector);
};

} // namespace ergon
