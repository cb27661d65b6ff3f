//===- TrafficAnalysis.h - traffic from footprints and reuse ----*- C++ -*-===//
//
// Each loop is a line of time: its items, iteration after iteration. What one run of an
// item touches first was touched last by an earlier run of an item of the same loop, and
// hits where the lines that were touched since then leave it its place in its set; or no
// run before has touched it, and the loop around decides. So each reuse is looked at once,
// at the loop that carries it. Lines that nothing touched before are missed for certain.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_TRAFFIC_TRAFFICANALYSIS_H
#define ERGON_MODEL_TRAFFIC_TRAFFICANALYSIS_H

#include "model/traffic/AccessDomain.h"
#include "model/traffic/LoopWalk.h"

#include <array>

namespace ergon {

/// What one run of an item touches.
struct Touched {
  LineSet Lines, Stores;
  std::vector<LineSet> ByAccess; ///< from the item's first access on
  /// The lines by parts of the time that it takes, part i in the halves 2·i and 2·i + 1 and the
  /// whole as part 1; made when asked for.
  mutable std::vector<std::optional<LineSet>> Parts;
};

/// Accesses that ran in some iterations of a loop, or once.
struct Run {
  unsigned FirstAccess, EndAccess;
  const Iteration *Around; ///< of the loops around it
  Iterations Span;         ///< a single one where it ran once
  const Touched *What;
};

/// What one iteration of a loop has, or the sum of many: numbers that add up.
struct Tally {
  /// By access, then level: misses, and lines that turn dirty; of reuse that the loop
  /// carries and of what is inside of it.
  std::vector<double> Misses, Dirtied, InnerMisses, InnerDirtied;
  /// By object: lines that items touch, and of these those that the loop touched before.
  std::vector<double> Touches, Carried;

  /// Zeros for so many counts (accesses times levels) and objects.
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
  /// \p Form and \p Through must outlive it; \p Objects is how many the program has.
  TrafficAnalysis(const ProgramForm &Form, const CacheHierarchy &Through, std::size_t Objects)
      : Form(Form), Caches(Through), Objects(Objects), Domains(Form, Through.front().LineBytes),
        Walk(Form, Through) {}

  /// Goes through the whole program once.
  Tally run();
  /// By object, how many lines those accesses touch of which it is known where they go.
  std::vector<double> knownLines() const;
  /// Whether lines were left out, as there are too many apart from each other.
  bool isCut() const { return Domains.isCut(); }
  /// As AccessDomains::unfollowed().
  std::vector<unsigned> unfollowed() const { return Domains.unfollowed(); }

private:
  using LevelMask = unsigned;
  static constexpr int MaxHalvings = 4;

  const ProgramForm &Form;
  const CacheHierarchy &Caches;
  std::size_t Objects;
  mutable AccessDomains Domains;
  mutable LoopWalk Walk;
  std::vector<Touched> Roots; ///< what the items of the program itself touch
  /// By item of the program and level: lines that it fetches again.
  mutable std::vector<std::vector<LineSet>> RootMisses;

  Tally emptyTally() const { return {Form.accesses().size() * Caches.size(), Objects}; }
  std::size_t indexOf(unsigned Access, std::size_t Level) const {
    return Access * Caches.size() + Level;
  }
  Touched touch(const LoopForm::Item &I, const Iteration &Around) const;
  Touched touchAll(unsigned First, unsigned End, const DomainQuery &Query) const;
  unsigned streamsOf(const LoopForm &Form, const Iteration &Around) const;
  bool fits(const LineSet &Set, std::size_t Level) const;
  double missesOf(const Tally &T, std::size_t Level) const;
  Tally sumOf(const LoopForm &Form, const Iteration &Around, LevelMask Active,
              const std::vector<double> &FirstTouches, bool IsEven) const;
  Tally sampleOf(const LoopForm &Form, const Iteration &Around, std::int64_t Number,
                 LevelMask Active) const;
  void follow(const LoopForm &Form, const Iteration &Around, std::int64_t Number,
              const std::vector<Touched> &Now, LevelMask Active, Tally &Result) const;
  Run runOf(const LoopForm::Item &I, const Iteration &Around, const Touched &What) const;
  const LineSet &partOf(const Run &R, std::size_t Number) const;
  /// Parts of two runs, by number, and the lines that are touched between them.
  struct Reuse {
    const Run &Earlier, &Later;
    std::size_t Level;
    LineSet Missed = {};
  };
  void meet(Reuse &R, std::size_t Before, std::size_t After, LineSet Found,
            const LineSet &Set) const;
  void attribute(const LoopForm::Item &To, const Touched &Runs, std::size_t Depth, LineSet Missed,
                 LineSet Dirtied, std::size_t Level, Tally &Result) const;
  void addByObject(const LoopForm::Item &I, const Touched &Runs, LineSet Some,
                   std::vector<double> &Result) const;
  /// Of the last runs: what they touch, what of that a level holds in the end, and what of that
  /// is dirty.
  struct Remains {
    LineSet Window, Held, Dirty;
    bool IsFull = false;
    unsigned Halvings = 64; ///< still to be made
  };
  void walkBack(const LoopForm &Form, const Iteration &Around, const Iterations &Some,
                std::size_t Level, Remains &Result) const;
  void takeRemains(std::size_t Level, std::vector<double> &Dirtied) const;
  bool keep(const Touched &Run, std::size_t Level, Remains &Result, bool HasParts) const;
  std::vector<unsigned> leadersFirst(const LoopForm::Item &Accessed, std::size_t Depth) const;
};

} // namespace ergon

#endif
