//===- WarpProgram.h - a kernel's accesses, warp by warp --------*- C++ -*-===//
//
// An access program compiled for warps, and the walk over a launch: visits each access in boxes of
// blocks and iterations with constant active lanes and affine addresses. The base of all counts of
// warp requests.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/access/AccessProgram.h"
#include "model/gpu/WarpFormula.h"
#include "model/traffic/Traffic.h"

#include <functional>
#include <span>

namespace ergon {

/// A launch: blocks of the grid and threads of a block along x, y and z; none negative.
struct LaunchSize {
  std::array<std::int64_t, 3> Grid{1, 1, 1}, Block{1, 1, 1};
  /// As reported by ptxas, if known: they limit the resident blocks.
  std::optional<int> RegistersPerThread{};
  std::int64_t DynamicSharedBytes = 0; ///< of a block

  /// Blocks of the grid; threads of one block; warps of one block, the last of which may have idle
  /// lanes.
  std::int64_t blocks() const { return Grid[0] * Grid[1] * Grid[2]; }
  std::int64_t threads() const { return Block[0] * Block[1] * Block[2]; }
  std::int64_t warps() const { return (threads() + LanesOfWarp - 1) / LanesOfWarp; }
  /// blockIdx of the block of that number: x varies fastest, the launch order of devices.
  std::array<std::int64_t, 3> blockAt(std::int64_t Number) const;
};

/// One access of one warp in a box of blocks and iterations.
struct WarpVisit {
  unsigned Access;    ///< its number in WarpProgram::accesses()
  const WarpBox &Box; ///< with the lanes that take part
  double Weight;      ///< mean number of runs of each point of the box
  /// The share of these runs that a lane takes part in, where data decide: below 1 if `Weight` is a
  /// mean over branches.
  double Share;
  const WarpValue *Offset; ///< bytes from the object's start; null where unknown
};

class WarpProgram {
public:
  /// \p Program must outlive this.
  explicit WarpProgram(const AccessProgram &Program);

  /// In text order.
  const std::vector<const MemoryAccess *> &accesses() const { return Accesses; }
  /// Accesses that are not visited, as their number of runs is unknown, and why: a condition or a
  /// trip count without a value, or too many loops.
  const std::map<unsigned, Error> &open() const { return Open; }
  /// Whether conditions are means: their active lanes are unknown.
  bool hasShares() const { return HasShares; }

  /// Calls \p Visit for all boxes of all accesses of warp \p Warp of a block of \p Launch,
  /// for the blocks in \p Blocks (ranges of blockIdx.x, y and z). Takes about \p Effort
  /// operations of formulas, which it counts down; once they are spent, of two parts of a
  /// box one stands for both. True where every point was visited. Of the outermost loops around an
  /// access, as many as \p IndexRanges has ranges, only the iterations in these.
  bool walk(const LaunchSize &Launch, std::int64_t Warp, const std::array<IndexRange, 3> &Blocks,
            std::int64_t &Effort, const std::function<void(const WarpVisit &)> &Visit,
            std::span<const IndexRange> IndexRanges = {}) const;

private:
  struct Item;
  struct Nest {
    std::optional<WarpFormula> Last; ///< none: runs once
    std::vector<Item> Items;
  };
  struct Item {
    /// It runs in lanes where none of these is negative,
    std::vector<WarpFormula> Conditions;
    /// so often as this says, over its denominator,
    std::optional<WarpFormula> Times;
    /// times this.
    double Share = 1;
    unsigned Access = 0; ///< where there is no nest
    std::optional<WarpFormula> Offset;
    std::optional<Nest> Inner;
  };
  class Compiler;
  class Walk;

  std::vector<const MemoryAccess *> Accesses;
  std::map<unsigned, Error> Open;
  Nest Body;
  bool HasShares = false;
};

} // namespace ergon
