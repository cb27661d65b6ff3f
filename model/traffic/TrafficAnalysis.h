//===- TrafficAnalysis.h - traffic from footprints and reuse ----*- C++ -*-===//
//
// A loop is a sequence of its items, iteration after iteration. The first access of a run of an
// item to a line hits if the lines accessed since the previous access (its reuse distance, per set)
// have not evicted it; if the loop did not access the line before, the enclosing loop carries the
// reuse. So each reuse is examined once, at the loop that carries it. First accesses are compulsory
// misses.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/traffic/AccessDomain.h"
#include "model/traffic/LoopWalk.h"

#include <array>

namespace ergon {

/// The lines that one run of an item touches.
struct Touched {
  LineSet Lines, Stores;
  std::vector<LineSet> LinesByAccess; ///< from the item's first access on
  /// Lines by time interval, as an implicit binary tree: interval i has the children 2·i and
  /// 2·i + 1, and 1 is the root; computed on demand.
  mutable std::vector<std::optional<LineSet>> Parts;
};

/// A run of accesses in some iterations of a loop, or once.
struct Run {
  unsigned FirstAccess, EndAccess;
  const Iteration *Around; ///< of the loops around it
  Iterations Span;         ///< a single one where it ran once
  const Touched *Accessed;
};

/// Counts of one loop iteration, or the sum of many: they add up.
struct Tally {
  /// By access, then level: misses, and lines that become dirty; of reuse that the loop carries and
  /// of reuse inside it.
  std::vector<double> Misses, Dirtied, InnerMisses, InnerDirtied;
  /// By object: lines that items touch, and those of them that the loop touched before.
  std::vector<double> Touches, Carried;

  /// Zeros for \p Counts counters (accesses times levels) and \p Objects objects.
  Tally(std::size_t Counts, std::size_t Objects)
      : Misses(Counts), Dirtied(Counts), InnerMisses(Counts), InnerDirtied(Counts),
        Touches(Objects), Carried(Objects) {}

  static constexpr std::array Parts = {&Tally::Misses,       &Tally::Dirtied, &Tally::InnerMisses,
                                       &Tally::InnerDirtied, &Tally::Touches, &Tally::Carried};
  /// Adds \p Other, \p Times times.
  void add(double Times, const Tally &Other) {
    for (auto Part : Parts)
      for (std::size_t I = 0; I != (this->*Part).size(); ++I)
        (this->*Part)[I] += Times * (Other.*Part)[I];
  }
};

class TrafficAnalysis {
public:
  /// \p Program and \p Through must outlive it; \p Objects is how many the program has.
  TrafficAnalysis(const ProgramForm &Program, const CacheHierarchy &Through, std::size_t Objects)
      : Program(Program), Caches(Through), Objects(Objects),
        Domains(Program, Through.front().LineBytes), Walk(Program, Through) {}

  /// Analyses the whole program once.
  Tally run();
  /// By object, how many lines the accesses with known addresses touch.
  std::vector<double> knownLines() const;
  /// Whether lines were left out, as there were too many separate ranges.
  bool isCut() const { return Domains.isCut(); }
  /// As AccessDomains::unfollowed().
  std::vector<unsigned> unfollowed() const { return Domains.unfollowed(); }

private:
  using LevelMask = unsigned;
  static constexpr int MaxHalvings = 4;

  const ProgramForm &Program;
  const CacheHierarchy &Caches;
  std::size_t Objects;
  mutable AccessDomains Domains;
  mutable LoopWalk Walk;
  std::vector<Touched> Roots; ///< lines that the program's top-level items touch
  /// By top-level item and level: lines that it misses on reuse.
  mutable std::vector<std::vector<LineSet>> RootMisses;

  Tally emptyTally() const { return {Program.accesses().size() * Caches.size(), Objects}; }
  std::size_t indexOf(unsigned Access, std::size_t Level) const {
    return Access * Caches.size() + Level;
  }
  Touched touchedBy(const LoopForm::Item &I, const Iteration &Around) const;
  Touched touchedLines(unsigned First, unsigned End, const DomainQuery &Query) const;
  unsigned streamsOf(const LoopForm &Form, const Iteration &Around) const;
  bool fits(const LineSet &Set, std::size_t Level) const;
  double missesOf(const Tally &T, std::size_t Level) const;
  Tally sumOf(const LoopForm &Form, const Iteration &Around, LevelMask ActiveLevels,
              const std::vector<double> &FirstTouches, bool IsEven) const;
  Tally sampleOf(const LoopForm &Form, const Iteration &Around, std::int64_t Number,
                 LevelMask ActiveLevels) const;
  void follow(const LoopForm &Form, const Iteration &Around, std::int64_t Number,
              const std::vector<Touched> &Now, LevelMask ActiveLevels, Tally &Result) const;
  Run runOf(const LoopForm::Item &I, const Iteration &Around, const Touched &Accessed) const;
  const LineSet &partOf(const Run &R, std::size_t Number) const;
  /// Two runs, a cache level, and the lines of both that are evicted from it in between.
  struct Reuse {
    const Run &Earlier, &Later;
    std::size_t Level;
    LineSet Missed = {};
  };
  void findEvicted(Reuse &R, std::size_t Before, std::size_t After, LineSet Found,
                   const LineSet &Between) const;
  void attributeMisses(const LoopForm::Item &To, const Touched &Runs, std::size_t Depth,
                       LineSet Missed, LineSet Dirtied, std::size_t Level, Tally &Result) const;
  void addByObject(const LoopForm::Item &I, const Touched &Runs, LineSet Some,
                   std::vector<double> &Result) const;
  /// Final content of a cache level: lines accessed by the last runs, those still resident at the
  /// end, and which of these are dirty.
  struct FinalContent {
    LineSet Window, Resident, Dirty;
    bool IsFull = false;
    unsigned Halvings = 64; ///< left to be done
  };
  void collectFinalContent(const LoopForm &Form, const Iteration &Around, const Iterations &Some,
                           std::size_t Level, FinalContent &Result) const;
  void subtractStillDirty(std::size_t Level, std::vector<double> &Dirtied) const;
  bool keep(const Touched &Accessed, std::size_t Level, FinalContent &Result, bool HasParts) const;
  std::vector<unsigned> leadersFirst(const LoopForm::Item &Accessed, std::size_t Depth) const;
};

} // namespace ergon
