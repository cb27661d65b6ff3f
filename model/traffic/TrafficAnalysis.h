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
#include "model/traffic/LikeItems.h"
#include "model/traffic/LoopWalk.h"

#include <cmath>
#include <map>
#include <memory>
#include <tuple>

namespace ergon {

/// The lines that one run of an item touches.
struct Touched {
  LineSet Lines, Stores;
  std::vector<LineSet> LinesByAccess; ///< from the item's first access on
  /// Lines by time interval, as an implicit binary tree: interval i has the children 2·i and
  /// 2·i + 1, and 1 is the root; computed on demand.
  mutable std::vector<std::optional<LineSet>> Parts;
};

/// What the items of a loop touch; like items share it.
using TouchedItems = std::vector<std::shared_ptr<const Touched>>;

/// A run of accesses in some iterations of a loop, or once.
struct Run {
  unsigned FirstAccess, EndAccess;
  const Iteration *Around; ///< of the loops around it
  Iterations Span;         ///< a single one where it ran once
  const Touched *Accessed;
};

/// Counts of one loop iteration, or the sum of many: they add up. A program has many loops and
/// accesses, so a loop's tallies have only the loop's accesses and objects.
struct Tally {
  unsigned FirstAccess;
  std::size_t Levels;
  /// By access, then level: misses, and lines that become dirty; of reuse that the loop carries and
  /// of reuse inside it.
  std::vector<double> Misses, Dirtied, InnerMisses, InnerDirtied;
  /// By object: lines that items touch, and those of them that the loop touched before.
  std::map<unsigned, double> Touches, Carried;
  /// By level: how many lines more or fewer may be missed, where little effort is made.
  std::vector<LineDoubt> Doubt;

  /// Zeros for the accesses from \p First to \p End.
  Tally(unsigned First, unsigned End, std::size_t Levels)
      : FirstAccess(First), Levels(Levels), Misses((End - First) * Levels), Dirtied(Misses.size()),
        InnerMisses(Misses.size()), InnerDirtied(Misses.size()), Doubt(Levels) {}

  std::size_t indexOf(unsigned Access, std::size_t Level) const {
    return (Access - FirstAccess) * Levels + Level;
  }
  void addDoubt(std::size_t Level, double Times, const LineDoubt &Other) {
    Doubt[Level].Fewer += Times * Other.Fewer;
    Doubt[Level].More += Times * Other.More;
  }
  /// Adds \p Other, of the same loop, \p Times times.
  void add(double Times, const Tally &Other) {
    for (auto Part : {&Tally::Misses, &Tally::Dirtied, &Tally::InnerMisses, &Tally::InnerDirtied})
      for (std::size_t I = 0; I != (this->*Part).size(); ++I)
        (this->*Part)[I] += Times * (Other.*Part)[I];
    for (auto Part : {&Tally::Touches, &Tally::Carried})
      for (const auto &[Object, Lines] : Other.*Part)
        (this->*Part)[Object] += Times * Lines;
    for (std::size_t L = 0; L != Levels; ++L)
      addDoubt(L, std::abs(Times), Other.Doubt[L]);
  }
};

class TrafficAnalysis {
public:
  /// \p Program and \p Through must outlive it; \p Objects is how many the program has. It looks
  /// at up to about \p Runs runs of words that it keeps, and ten times as many in all.
  TrafficAnalysis(const ProgramForm &Program, const CacheHierarchy &Through, std::size_t Objects,
                  std::size_t Runs)
      : Program(Program), Caches(Through), Objects(Objects),
        IsThrifty(Program.accesses().size() > ManyAccesses), Runs(Runs),
        Domains(Program, Through.front().LineBytes, Runs), Walk(Program, Through), Alike(Program) {}

  /// Analyses the whole program once.
  Tally run();
  /// By object, how many lines the accesses with known addresses touch.
  std::vector<double> knownLines() const;
  /// Whether the program has so many accesses that little effort is made for each: few iterations
  /// of each loop stand for all, and a reuse between parts of long code is not looked at closely.
  /// Tally::Doubt says how much that may matter.
  bool isThrifty() const { return IsThrifty; }
  /// As AccessDomains::unfollowed().
  std::vector<unsigned> unfollowed() const { return Domains.unfollowed(); }
  /// As AccessDomains::scattered(); where there are any, the result of run() says nothing.
  std::vector<unsigned> scattered() const { return Domains.scattered(); }
  /// As AccessDomains::isSpent().
  bool hasTakenLong() const { return Domains.isSpent(); }

private:
  using LevelMask = unsigned;
  static constexpr int MaxHalvings = 4;
  /// In the text of a program; what is analysed in full takes a millisecond for each.
  static constexpr std::size_t ManyAccesses = 1024;
  /// Items of such a program's loop; of more, a reuse is not looked at in parts.
  static constexpr std::size_t ManyItems = 64;
  /// Items with no more lines are not looked at between others, up to this share of a cache: what
  /// calls leave on the stack would make each two loops another case.
  static constexpr std::int64_t FewLines = 8, ShareOfFew = 16;

  const ProgramForm &Program;
  const CacheHierarchy &Caches;
  std::size_t Objects;
  bool IsThrifty;
  std::size_t Runs;
  mutable AccessDomains Domains;
  mutable LoopWalk Walk;
  LikeItems Alike;
  /// By first and last access and depth, as all samples ask for the same.
  mutable std::map<std::tuple<unsigned, unsigned, std::size_t>, std::vector<unsigned>> Leaders;
  TouchedItems Roots; ///< lines that the program's top-level items touch
  /// By top-level item and level: lines that it misses on reuse.
  mutable std::vector<std::vector<std::shared_ptr<const LineSet>>> RootMisses;
  /// What follow() found of an item all of whose lines were touched before: of the same items
  /// behind the same ones it finds the same.
  struct FollowedItem {
    /// LikeItems::numberOf the items before that it was compared with, the latest first, and
    /// whether they are of the same iteration.
    std::vector<std::pair<unsigned, bool>> Before;
    /// By level; most are all lines of the item, and shared with it.
    std::vector<std::shared_ptr<const LineSet>> Missed, Dirtied;
    std::vector<LineDoubt> Doubt;
  };

  Tally emptyTally(const LoopForm &Form) const {
    return {Form.Items.front().FirstAccess, Form.Items.back().EndAccess, Caches.size()};
  }
  Touched touchedBy(const LoopForm::Item &I, const Iteration &Around) const;
  TouchedItems touchedByItems(const LoopForm &Form, const Iteration &Position) const;
  std::size_t samplesFor(const LoopForm &Form) const;
  Touched touchedLines(unsigned First, unsigned End, const DomainQuery &Query) const;
  unsigned streamsOf(const LoopForm &Form, const Iteration &Around) const;
  bool fits(const LineSet &Set, std::size_t Level) const;
  double missesOf(const Tally &T, std::size_t Level) const;
  Tally sumOf(const LoopForm &Form, const Iteration &Around, LevelMask ActiveLevels,
              const std::map<unsigned, double> &FirstTouches, bool IsEven) const;
  Tally sampleOf(const LoopForm &Form, const Iteration &Around, std::int64_t Number,
                 LevelMask ActiveLevels) const;
  void follow(const LoopForm &Form, const Iteration &Around, std::int64_t Number,
              const TouchedItems &Now, LevelMask ActiveLevels, Tally &Result) const;
  Run runOf(const LoopForm::Item &I, const Iteration &Around, const Touched &Accessed) const;
  const LineSet &partOf(const Run &R, std::size_t Number) const;
  /// Two runs, a cache level, and the lines of both that are evicted from it in between.
  struct Reuse {
    const Run &Earlier, &Later;
    std::size_t Level;
    bool InParts; ///< looks at when parts of both touch a line
    LineSet Missed = {};
    LineDoubt Doubt = {}; ///< of lines that may be either
  };
  void findEvicted(Reuse &R, std::size_t Before, std::size_t After, LineSet Found,
                   const LineSet &Between) const;
  /// The lines are missed and become dirty in each of \p Levels.
  void attributeMisses(const LoopForm::Item &To, const Touched &Runs, std::size_t Depth,
                       LineSet Missed, LineSet Dirtied, LevelMask Levels, Tally &Result) const;
  void addByObject(const LoopForm::Item &I, const Touched &Runs, LineSet Some,
                   std::map<unsigned, double> &Result) const;
  /// Final content of a cache level: lines accessed by the last runs, those still resident at the
  /// end, and which of these are dirty.
  struct FinalContent {
    LineSet Window, Resident, Dirty;
    bool IsFull = false;
    unsigned Halvings = 64; ///< left to be done
  };
  void collectFinalContent(const LoopForm &Form, const Iteration &Around, const Iterations &Some,
                           std::size_t Level, FinalContent &Result) const;
  void subtractStillDirty(std::size_t Level, Tally &Result) const;
  bool keep(const Touched &Accessed, std::size_t Level, FinalContent &Result, bool HasParts) const;
  const std::vector<unsigned> &leadersFirst(const LoopForm::Item &Accessed,
                                            std::size_t Depth) const;
};

} // namespace ergon
