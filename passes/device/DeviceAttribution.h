//===- DeviceAttribution.h - blocks of machine instructions -----*- C++ -*-===//
//
// Which machine instructions one run of a block becomes: by positions, through inlining, unrolling
// and what the back end moves.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/device/DeviceBlocks.h"
#include "passes/device/MachineRegions.h"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ergon {

class DeviceAttribution {
public:
  /// \p Code is what \p F was assembled to, with the numbers of \p Positions. \p Body has its
  /// blocks.
  DeviceAttribution(const DeviceBlocks &Blocks, const MachineFunction &Code,
                    const llvm::Function &F, const DevicePositions &Positions, const Loop &Body);

  /// Adds the machine instructions to the blocks of \p Summary that have the numbers of blocks, as
  /// `issue_<pipe>` and `stall_<reason>`; nothing where no instruction has a position.
  void addTo(Function &Summary) const;

  /// The classes, in their order.
  static constexpr unsigned NumClasses =
      unsigned(CostClass::StallShortScoreboard) - unsigned(CostClass::Issue) + 1;
  using Slots = std::array<double, NumClasses>;

private:
  const DeviceBlocks &Blocks;
  const MachineFunction &Code;
  MachineRegions Regions;
  llvm::DenseMap<unsigned, SmallVector<unsigned, 1>> BlocksAt; ///< by number of a position
  llvm::DenseMap<unsigned, DevicePositions::Key> KeyOf;        ///< the same
  std::vector<std::size_t> Starts; ///< by instruction: the first of its straight code
  std::vector<bool> IsRare;        ///< by instruction
  /// Straight code before or behind an unrolled loop that has iterations of it.
  std::set<std::pair<std::size_t, unsigned>> Remainders;
  std::vector<unsigned> RegionOf; ///< by loop
  std::vector<double> Copies;     ///< by loop
  std::vector<unsigned> Unrolled; ///< by loop: how often LLVM has done so; 0: unknown
  /// Of a loop's own code in its region.
  struct Own {
    llvm::DenseMap<DevicePositions::Key, double> Bytes, Flops;
    llvm::DenseMap<DevicePositions::Key, double> Constants; ///< bytes of them, and of parameters
    double Instructions = 0, Functions = 0;
    /// By position, the bytes of its accesses over those of the loop's.
    std::vector<double> Ratios;
    /// Where no operation becomes several instructions.
    double FlopsMade = 0, FlopsWritten = 0;
  };
  std::vector<Own> Found; ///< by loop

  bool counts(std::size_t I) const {
    return Regions.Of[I] != MachineRegions::Unreachable && !Code[I].IsWait && !IsRare[I];
  }
  /// Of a position of the assembler: any number.
  const SmallVector<unsigned, 1> *blocksAt(unsigned Position) const {
    auto Known = BlocksAt.find(Position);
    return Known == BlocksAt.end() ? nullptr : &Known->second;
  }
  /// The only loop with that position.
  std::optional<unsigned> loopOf(unsigned Position) const {
    const auto *Here = blocksAt(Position);
    if (!Here)
      return std::nullopt;
    const unsigned Loop = Blocks.LoopOf[Here->front()];
    for (const unsigned Block : *Here)
      if (Blocks.LoopOf[Block] != Loop)
        return std::nullopt;
    return Loop;
  }
  void findBlocks(const BasicBlock &B, const DevicePositions &Positions);
  void findUnrolled(const Loop &Body);
  void findStarts();
  void findRare();
  void chooseRegions();
  void collect();
  void findRemainders();
  void compare();
  double copiesOf(unsigned Loop);
  /// By block: the machine instructions of one run.
  std::vector<Slots> slots() const;
};

} // namespace ergon
