//===- LoopWalk.h - an innermost loop, run from line to line ----*- C++ -*-===//
//
// Where several accesses of one iteration are in the same set, or a loop comes back to what it
// left, all depends on which iterations these are. There are few in which an access goes on to
// another line, so a run of an innermost loop is gone through in order, and what repeats itself
// between two such iterations is counted once.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_TRAFFIC_LOOPWALK_H
#define ERGON_MODEL_TRAFFIC_LOOPWALK_H

#include "model/traffic/ProgramForm.h"

namespace ergon {

/// What of the reuse inside of one run of a loop does not stay, by access, then level.
struct LoopMisses {
  std::vector<double> Misses;  ///< lines that are fetched again
  std::vector<double> Dirtied; ///< lines that turn dirty again
};

class LoopWalk {
public:
  /// \p Form and \p Through must outlive it.
  LoopWalk(const ProgramForm &Form, const CacheHierarchy &Through);

  /// One run of the innermost loop \p Form, for the levels of the bit mask \p Active. Where it
  /// takes more than \p Budget accesses nothing, unless \p IsEven: that the loop goes on as it
  /// begins.
  std::optional<LoopMisses> run(const LoopForm &Form, const Iteration &Around, unsigned Active,
                                double Budget, bool IsEven);

private:
  /// An access on its way, in the iterations from First to before End.
  struct Moving {
    unsigned Number;
    const AccessForm *Form;
    double Share;
    std::int64_t First, End;
    std::int64_t Start = 0, Step = 0; ///< bytes, where the address is affine
    bool IsAffine = true, IsConditional = false;
    LineRange Lines{0, 0};
    std::int64_t Next = 0; ///< the iteration that needs another look
  };
  struct CacheLine {
    std::int64_t Line;
    bool IsDirty;
  };
  /// A level's sets, the line that was used last first; those of another run are empty.
  struct Level {
    std::uint64_t Sets;
    unsigned Ways;
    std::vector<CacheLine> Lines;
    std::vector<unsigned> Used, Runs;
  };
  /// A hash table of what this run has touched.
  struct TouchedLine {
    std::int64_t Line = -1;
    unsigned Run = 0;
    bool IsStored = false;
  };

  const ProgramForm &Form;
  const CacheHierarchy &Caches;
  std::int64_t LineBytes;
  std::vector<Level> Levels;
  std::vector<TouchedLine> TouchedLines;
  unsigned Run = 0;
  std::vector<Moving> Accesses;
  Iteration Indices;

  void prepare(const LoopForm &Form, const Iteration &Around, std::int64_t Trips);
  void begin(unsigned Active, double Lines);
  std::int64_t stay(const Moving &M, std::int64_t Number) const;
  void place(Moving &M, std::int64_t Number);
  void runIteration(std::int64_t Number, unsigned Active, double Times, LoopMisses &Result);
  void touch(const Moving &M, std::int64_t Line, unsigned Active, double Times, LoopMisses &Result);
  TouchedLine &known(std::int64_t Line);
};

} // namespace ergon

#endif
