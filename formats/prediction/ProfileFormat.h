//===- ProfileFormat.h - ergon-top/1 ----------------------------*- C++ -*-===//
//
// Where a run's time and energy go, as a table and as stacks of calls: JSON, CSV, and the folded
// stacks that flame graphs are drawn from.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/prediction/PredictionFormat.h"
#include "model/lint/Finding.h"
#include "model/program/RunScope.h"

#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// What a part of a run costs. Sums over the parts of a run are the run's.
struct PartCost {
  double TimeS = 0, EnergyJ = 0;
  double Size = 0; ///< operations and bytes: the measure where no machine is given

  /// Sums of all members.
  PartCost &operator+=(const PartCost &Other) {
    TimeS += Other.TimeS;
    EnergyJ += Other.EnergyJ;
    Size += Other.Size;
    return *this;
  }
  /// That share of all members.
  friend PartCost operator*(PartCost C, double Share) {
    return {C.TimeS * Share, C.EnergyJ * Share, C.Size * Share};
  }
};

/// A row of the table.
struct ProfileRow {
  enum class Kind { Function, Loop, Line, Kernel, Transfer, Library, Host };
  Kind What = Kind::Function;
  std::string Name;     ///< demangled; of a loop and a line, its function
  SourceLocation Where; ///< may be unknown
  Rational Calls;       ///< of a kernel its launches, of a transfer how often it runs
  PartCost Self;        ///< of its own code
  PartCost Total;       ///< with what it calls; of a loop, with loops in it
  std::map<std::string, Rational> Counts; ///< of its own code, by class
  std::string Bound;                      ///< what its own code mostly waits for
  Known How = Known::Exact;               ///< the worst of these counts
};
/// The word in documents: `function`, `loop`, ….
std::string_view name(ProfileRow::Kind What);

/// A path of calls, and the cost of the last function's own code there.
struct FoldedStack {
  std::vector<std::string> Path;
  PartCost Self;
};

/// A change to code of the run that a rule of lint proposes.
struct Advice {
  Finding What;     ///< its place as the record has it; Saved is of the whole run
  double Share = 0; ///< of the run, what the loop or function around takes: 0 to 1
  /// What the code was compiled from; the records own it.
  const Unit *Compiled = nullptr;
};

/// What the rows are.
enum class ProfileBy { Function, Line, Loop, Kernel };
/// The word in documents and options.
std::string_view name(ProfileBy By);

/// Everything that a profile document says.
struct ProgramProfile {
  PredictionDocument Whole; ///< the whole run
  ProfileBy By = ProfileBy::Function;
  RunScope Scope = RunScope::All;
  std::vector<ProfileRow> Rows;    ///< the largest first; the sum of Self is Sum
  std::vector<FoldedStack> Stacks; ///< where they were asked for
  std::vector<Advice> Advised;     ///< where it was asked for; what saves most first
  PartCost Sum;                    ///< of the scope
  /// The part that rests on estimates, as a share of Sum: 0 to 1.
  double EstimatedShare = 0;
  /// Functions without a value of a formula, so that their costs are missing.
  std::map<std::string, std::string> NotEvaluated;

  /// What is known: without a machine neither, without energies in its profile time alone.
  bool hasEnergy() const { return Whole.OnMachine.has_value(); }
  /// As hasEnergy().
  bool hasTime() const { return Whole.OnMachine || Whole.Time; }
  /// The measure by which rows are sorted: joules, else seconds, else operations and bytes.
  double measure(const PartCost &C) const {
    return hasEnergy() ? C.EnergyJ : hasTime() ? C.TimeS : C.Size;
  }
};

/// The JSON document, ending with a line break.
std::string writeProfile(const ProgramProfile &Profile);
/// The rows as CSV (RFC 4180), with a head.
std::string writeProfileCsv(const ProgramProfile &Profile);
/// A line for each stack, `main;solve;kernel 1234`: nanojoules, else nanoseconds, else operations
/// and bytes. Whole numbers, whose sum is that of the stacks to within one.
std::string writeFolded(const ProgramProfile &Profile);

} // namespace ergon
