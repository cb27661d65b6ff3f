//===- LoopWalk.h - an innermost loop, run from line to line ----*- C++ -*-===//
//
// Conflict misses, and reuse that a loop leaves and returns to, depend on the exact iterations.
// Only a few of them take an access to another line, so a run of an innermost loop is walked in
// order, and the repetition between two such iterations is counted once.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/traffic/ProgramForm.h"

namespace ergon {

/// Reuse within one run of a loop that misses, by access of the loop, then level.
struct LoopMisses {
  std::vector<double> Misses;  ///< lines that are fetched again
  std::vector<double> Dirtied; ///< lines that become dirty again
};

class LoopWalk {
public:
  /// \p Program and \p Through must outlive it.
  LoopWalk(const ProgramForm &Program, const CacheHierarchy &Through);

  /// One run of the innermost loop \p Form, for the levels of the bit mask \p ActiveLevels. Returns
  /// nothing where it takes more than \p Budget accesses, unless \p IsEven: then the loop continues
  /// as it begins.
  std::optional<LoopMisses> run(const LoopForm &Form, const Iteration &Around,
                                unsigned ActiveLevels, double Budget, bool IsEven);

private:
  /// The state of an access, in the iterations from First to before End.
  struct Moving {
    unsigned Number;
    const AccessForm *Form;
    double Share;
    std::int64_t First, End;
    std::int64_t Start = 0, Step = 0; ///< bytes, where the address is affine
    bool IsAffine = true, IsConditional = false;
    LineRange Lines{0, 0};
    std::int64_t Next = 0; ///< the next iteration that changes a line
  };
  struct CacheLine {
    std::int64_t Line;
    bool IsDirty;
  };
  /// A level's sets, each in LRU order; entries of another run count as empty.
  struct Level {
    std::uint64_t Sets;
    unsigned Ways;
    std::vector<CacheLine> Lines;
    std::vector<unsigned> Used, Runs;
  };
  /// A hash table of the lines that this run has touched.
  struct TouchedLine {
    std::int64_t Line = -1;
    unsigned Run = 0;
    bool IsStored = false;
  };

  const ProgramForm &Program;
  const CacheHierarchy &Caches;
  std::int64_t LineBytes;
  std::vector<Level> Levels;
  std::vector<TouchedLine> TouchedLines;
  unsigned Run = 0;
  unsigned FirstAccess = 0; ///< of the loop
  std::vector<Moving> Accesses;
  Iteration Indices;

  void prepare(const LoopForm &Form, const Iteration &Around, std::int64_t Trips);
  void begin(unsigned ActiveLevels, double Lines);
  std::int64_t stay(const Moving &M, std::int64_t Number) const;
  void place(Moving &M, std::int64_t Number);
  void runIteration(std::int64_t Number, unsigned ActiveLevels, double Times, LoopMisses &Result);
  void touch(const Moving &M, std::int64_t Line, unsigned ActiveLevels, double Times,
             LoopMisses &Result);
  TouchedLine &known(std::int64_t Line);
};

} // namespace ergon
