//===- Run.h - what a run told ----------------------------------*- C++ -*-===//
//
// What processes counted and measured while they ran, and how that becomes the value of an unknown.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_PROGRAM_RUN_H
#define ERGON_MODEL_PROGRAM_RUN_H

#include "model/program/Function.h"
#include "model/symbolic/Rational.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// The sum of something over the times that it was met.
struct RunMean {
  std::int64_t Sum = 0, Times = 0;
};

/// What a call through a pointer called.
struct CalledFunction {
  std::string Name; ///< mangled; empty for all those that nobody could tell apart
  std::string Unit; ///< where it is local to one
  std::int64_t Times = 0;
  std::map<unsigned, std::int64_t> Sums = {}; ///< of arguments, by their numbers
};

/// What was counted for one function of one translation unit.
struct CountedFunction {
  std::string Unit; ///< the main file as the compiler was given it
  std::string Name; ///< mangled
  std::map<std::string, RunMean> Unknowns;
  std::map<std::string, std::vector<CalledFunction>> Calls = {}; ///< by the calls' symbols
};

/// What a run tells of a function.
struct FunctionRun {
  std::map<std::string, RunMean> Unknowns;
  /// By the calls' symbols, then by where each called function is from: its unit, or nothing, and
  /// its name.
  std::map<std::string, std::map<std::pair<std::string, std::string>, CalledFunction>> Calls;
};

/// Puts what \p RunsOfCallees, the runs that came by \p F of the unit \p Unit, called in the place
/// of its calls through pointers: a call of each function, for its share of the runs.
void bindCalls(Function &F, const std::string &Unit,
               const std::vector<const FunctionRun *> &RunsOfCallees);

/// What an unknown is that runs found \p Values of: the one that they all have, or none, and then
/// \p Why tells them.
std::optional<Rational> agreed(const std::vector<Rational> &Values, std::string &Why);

/// What one call of MPI sent, as `library-costs/mpi.json` counts.
struct MpiSite {
  std::string Call, Position; ///< the function, and the place that it returned to
  std::int64_t Times = 0, Messages = 0, MessageBytes = 0;
};

/// What one process of an MPI program sent.
struct MpiRun {
  std::int64_t Rank = 0, Size = 1; ///< in MPI_COMM_WORLD
  std::vector<MpiSite> Sites;
};

/// What a meter told of the time between two of its readings.
struct MeterRun {
  std::string Name;   ///< one of a kind: `powercap/intel-rapl:0`
  std::string Covers; ///< a part in a whole: `package-0/core`
  double EnergyJ = 0;
  double FromS = 0, UntilS = 0; ///< of the first and last reading, after the process began
  double UpdatePeriodS = 0, LongestGapS = 0;
  std::int64_t Readings = 0;
  std::string Why = {};      ///< it could no longer be read, and why
  std::string Quantity = {}; ///< what was read, where that was no energy
  /// The clock of what it covers at the readings, and what held that down. 0: not known.
  double LeastClockHz = 0, MeanClockHz = 0, MostClockHz = 0;
  std::vector<std::string> HeldDownBy = {};
};

/// What was not measured, and why.
struct UnreadMeter {
  std::string Name, Why;
};

/// A region of the program, with those inside it, over all threads.
struct RegionRun {
  std::vector<std::string> Path; ///< from the outermost name; empty: threads as a whole
  std::int64_t Count = 0;        ///< how often it began
  std::int64_t Threads = 0;      ///< in how many threads
  double TimeS = 0;              ///< summed over threads
  /// Of the whole part of the machine that a meter covers, while a thread was in it: by meter.
  std::map<std::string, double> EnergyJ;
};

/// What one process counted and measured.
struct ProcessRun {
  std::string Program; ///< the path of what ran
  std::string Ended;   ///< `exit`, `exec`, `signal 15`, `running`
  double DurationS = 0;
  std::vector<CountedFunction> Functions = {};
  std::string Uncounted = {};     ///< why there are none of them, where they were not certain
  std::optional<MpiRun> Mpi = {}; ///< where it called MPI_Init
  std::vector<MeterRun> Meters = {};
  std::vector<UnreadMeter> Unread = {};
  std::vector<RegionRun> Regions = {};
  std::int64_t RegionMistakes = 0; ///< ends of regions that fit no begin
  std::int64_t RegionsTooDeep = 0; ///< begins that are part of the region around them
};

/// Runs of a program, each of one or more processes, whose counts add up.
class Runs {
public:
  /// Adds a run: \p Processes.
  void add(const std::vector<ProcessRun> &Processes);
  bool empty() const { return CountedRuns.empty(); }
  /// Gives the unknowns of \p F, of the translation unit \p Unit, the values that the runs
  /// found. Where they found different ones the unknown keeps none and its explanation says so.
  void bind(Function &F, const std::string &Unit) const;

private:
  /// By function; of a function that is local to its unit, by both.
  struct Counted {
    std::map<std::string, FunctionRun> ByName;
    std::map<std::pair<std::string, std::string>, FunctionRun> ByUnit;
  };
  std::vector<Counted> CountedRuns;
};

} // namespace ergon

#endif
