//===- ProgramTimer.h - time of a program's loops ---------------*- C++ -*-===//
//
// The walk over a program's loops behind timeOf().
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/incore/LineTransferCosts.h"
#include "model/incore/LoopTime.h"
#include "model/traffic/PageWalks.h"
#include "model/traffic/TrafficReport.h"

namespace ergon {

/// What one of the machine loops executes.
struct MadeRuns {
  const MachineLoop &Loop;
  double Iterations;
  InstructionMix Iteration;
};

/// The loop-carried dependence of an iteration.
struct Wait {
  double S = 0;
  const InstructionMix *Mix = nullptr; ///< the longest dependence chain; null where there is none
};

/// The time of the lines that a loop accesses.
struct MovedLines {
  std::map<std::string, double> ByLevel{};  ///< and of all lines that pass through it, in seconds
  std::map<std::string, double> Foreseen{}; ///< the part that is sequential
  double FarLines = 0;                      ///< from main memory
  double MeasuredS = 0; ///< of the first-level accesses included in the measurement
  double NearS = 0;     ///< of lines in a cache that do not come from a farther level
  double WalksS = 0;    ///< of TLB misses of loads whose lines are in caches
  /// The time of lines with other elements that are accessed in later iterations of the loop
  /// around, and the share of the accesses that fetch them.
  struct Together {
    double S = 0, Share = 0;
  };
  std::map<std::string, Together> InTurns{};
};

/// Walks a program's loops.
class ProgramTimer {
public:
  ProgramTimer(const AccessProgram &Program, const TrafficReport &Moved, const Pipeline &P,
               unsigned Threads, const std::vector<PageWalks> &Walks, unsigned Team)
      : Program(Program), Moved(Moved), Walks(Walks), Team(Team), Prices(P, Threads),
        LineTransfers(Prices, Moved.Through.front().LineBytes) {}

  /// Prices all loops. Error: a formula without a value; no stream of a level.
  std::optional<Error> walk();
  /// Takes the loops of parallel regions as one thread of the team runs them, as \p Shared has
  /// them, the same program with as many threads at work.
  void takeRegions(const ProgramTimer &Shared);
  ProgramTime finish();

private:
  const AccessProgram &Program;
  const TrafficReport &Moved;
  const std::vector<PageWalks> &Walks;
  unsigned Team; ///< threads that share a parallel region
  InCoreCosts Prices;
  LineTransferCosts LineTransfers;
  ProgramTime Result;
  std::optional<Error> Failure;
  std::size_t NextAccess = 0;
  double Share = 1; ///< what one thread has of the loops around

  /// A loop around, and its number of entries per iteration of the next outer one.
  struct Level {
    const AccessNest &Nest;
    Expr Entries;
    double Entered = 1;   ///< number of entries
    double Trips = 1;     ///< mean trip count
    unsigned Bits = 0;    ///< of the widest accesses; 0 for a loop with inner loops
    unsigned Streams = 0; ///< loads that get lines from main memory
    double FarBytes = 0;  ///< that all its entries fetch from main memory, with inner loops
  };
  std::vector<Level> Around;

  double total(Expr E);
  double beside(const Expr &Offset, unsigned Bits) const;
  InstructionMix withLines(const InstructionMix &Mix, const AccessNest &Nest) const;
  double overlaps() const;
  InstructionMix meanIteration(const AccessNest &Nest);
  std::vector<MadeRuns> share(const AccessNest &Nest);
  void enter(const AccessNest &Nest, const Expr &Entries);
  void addNest(const AccessNest &Nest, const Expr &Entries);
  Wait waitOf(const MachineLoop &Loop, double LoadS) const;
  void addCore(const AccessNest &Nest, LoopTime &Result);
  void addMade(const AccessNest &Nest, LoopTime &Result);
  void addMemory(const MemoryAccess &Access, MovedLines &Result, bool IsRead = false);
  double loadS(const AccessNest &Nest) const;
  double surprises(const AccessNest &Nest) const;
  double unlearned(double Branches) const;
  unsigned widthOf(const MemoryAccess &Access) const;
  unsigned bitsAtOnce(const MemoryAccess &Access) const;
  bool isRead(const AccessNest &Nest, const MemoryAccess &Store) const;
  unsigned streamsOf(const AccessNest &Nest) const;
  double farBytesOf(const AccessNest &Nest, std::size_t &Access) const;
  LineUse useOf(const MemoryAccess &Access) const;
  double largestShare(const AccessNest &Nest) const;
  void addInterval();
  LineOrder orderOf(const MemoryAccess &Access) const;
  double bytesBeside(const MemoryAccess &Access) const;
  void addWhole(const AccessNest &Nest, const Expr &Entries, MovedLines &Data);
  void addDataTime(const MovedLines &Data, std::size_t FirstInside, LoopTime &Own) const;
};

} // namespace ergon
