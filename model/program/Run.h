//===- Run.h - values of unknowns from runs ---------------------*- C++ -*-===//
//
// What processes counted and measured while they ran, and the values of unknowns that follow.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"
#include "model/symbolic/Rational.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// The sum of a value over its occurrences.
struct RunMean {
  std::int64_t Sum = 0, Times = 0;
};

/// A function called through a pointer.
struct CalledFunction {
  std::string Name; ///< mangled; empty for all targets that could not be distinguished
  std::string Unit; ///< for internal linkage
  std::int64_t Times = 0;
  std::map<unsigned, std::int64_t> Sums = {}; ///< of arguments, by their numbers
};

/// What was counted for one function of one translation unit.
struct CountedFunction {
  std::string Unit; ///< the main file as the compiler was given it
  std::string Name; ///< mangled
  std::map<std::string, RunMean> Unknowns;
  std::map<std::string, std::vector<CalledFunction>> Calls = {}; ///< by the calls' symbols
  std::string Checksum = {};                                     ///< of the unit's code
};

/// The counters of a function in one run.
struct FunctionRun {
  std::map<std::string, RunMean> Unknowns;
  /// By the calls' symbols, then by the origin of each callee: its unit, or nothing, and its name.
  std::map<std::string, std::map<std::pair<std::string, std::string>, CalledFunction>> Calls;
};

/// True for the symbol of a direct call whose arguments are counted together: `args@a.c:3:5`.
inline bool isArgumentSymbol(std::string_view Symbol) { return Symbol.starts_with("args@"); }

/// Puts what \p FunctionRuns, the runs that came by \p F of the unit \p Unit, called in the place
/// of its calls through pointers: a call of each function, for its share of the runs. In the place
/// of calls of a library, one for all that passed the same arguments, where these have no formula
/// or
/// \p F is as it ran.
void bindCalls(Function &F, const std::string &Unit,
               const std::vector<const FunctionRun *> &FunctionRuns);

/// \p F as \p FunctionRuns had it, all of them: what they counted of its blocks and loops stands
/// in the place of formulas. Null where they differ.
std::shared_ptr<Function> asRun(const Function &F,
                                const std::vector<const FunctionRun *> &FunctionRuns);

/// The common value of an unknown in \p Values, or nothing where they differ; \p Why then lists
/// them.
std::optional<Rational> agreed(const std::vector<Rational> &Values, std::string &Why);

/// What one call of MPI sent, as `library-costs/mpi.json` counts.
struct MpiSite {
  std::string Call, Position; ///< the function, and its return address
  std::int64_t Times = 0, Messages = 0, MessageBytes = 0;
};

/// What one process of an MPI program sent.
struct MpiRun {
  std::int64_t Rank = 0, Size = 1; ///< in MPI_COMM_WORLD
  std::vector<MpiSite> Sites;
};

/// The readings of a meter over an interval.
struct MeterRun {
  std::string Name;   ///< one of a kind: `powercap/intel-rapl:0`
  std::string Covers; ///< a part in a whole: `package-0/core`
  double EnergyJ = 0;
  double FromS = 0, UntilS = 0; ///< of the first and last reading, after the process began
  double UpdatePeriodS = 0, LongestGapS = 0;
  std::int64_t Readings = 0;
  std::string Why = {};      ///< why it could no longer be read
  std::string Quantity = {}; ///< the quantity, if it is not energy
  /// The clock of what it covers at the readings, and what limited it. 0: unknown.
  double LeastClockHz = 0, MeanClockHz = 0, MostClockHz = 0;
  std::vector<std::string> HeldDownBy = {};
};

/// Whether energy of what a meter covers is the processor's, and in no other meter's. Intel,
/// Software Developer's Manual, volume 3B, "RAPL Interfaces": the package is the processor's die,
/// with cores and uncore as its parts; memory is beside it, wherever the tree shows it; `psys` is
/// the whole platform.
inline bool isProcessorsOwn(std::string_view Covers) {
  return Covers.contains('/') ? Covers.ends_with("/dram") : Covers != "psys";
}

/// What was not measured, and why.
struct UnreadMeter {
  std::string Name, Why;
};

/// A region of the program, including nested ones, over all threads.
struct RegionRun {
  std::vector<std::string> Path; ///< from the outermost name; empty: whole threads
  std::int64_t Count = 0;        ///< how often it began
  std::int64_t Threads = 0;      ///< in how many threads
  double TimeS = 0;              ///< summed over threads
  /// By meter: energy of the part of the machine that it covers, while a thread was in the region.
  std::map<std::string, double> EnergyJ;
};

/// What one process counted and measured.
struct ProcessRun {
  std::string Program; ///< the path of what ran
  std::string Ended;   ///< `exit`, `exec`, `signal 15`, `running`
  double DurationS = 0;
  /// Of the program, without its name; nothing where they are not known.
  std::optional<std::vector<std::string>> Arguments = {};
  std::vector<CountedFunction> Functions = {};
  std::string Uncounted = {};     ///< why there are no counts, where they were uncertain
  std::optional<MpiRun> Mpi = {}; ///< where it called MPI_Init
  std::vector<MeterRun> Meters = {};
  std::vector<UnreadMeter> Unread = {};
  std::vector<RegionRun> Regions = {};
  std::int64_t RegionMistakes = 0; ///< region ends without a matching begin
  std::int64_t RegionsTooDeep = 0; ///< begins that were merged into the region around them
};

/// Runs of a program, each of one or more processes, whose counts add up.
class Runs {
public:
  /// Adds a run: \p Processes.
  void add(const std::vector<ProcessRun> &Processes);
  /// The checksums of the builds of \p Unit, a source as the compiler was given it, that ran.
  const std::set<std::string> &checksumsOf(const std::string &Unit) const;
  bool empty() const { return CountedRuns.empty(); }
  /// The program is to be called with \p Arguments. Where the runs had others, and one number of
  /// these is what they differ in, what they counted is fitted to it (RunFit). False where it is
  /// not so.
  bool fitTo(const std::vector<std::string> &Arguments);
  bool isFitted() const { return SizeOfRuns.has_value(); }
  /// What was fitted so far: `trips@a.c:3:5 ≈ 2·argv[1], from 3 runs`.
  const std::set<std::string> &fits() const { return Fits; }
  /// How many threads a parallel region has, where each had as many; a whole number.
  std::optional<Rational> threads() const;
  /// Gives the unknowns of \p F, of the translation unit \p Unit, the values that the runs
  /// found. Where they found different ones the unknown keeps none and its explanation says so.
  void bind(Function &F, const std::string &Unit);

private:
  /// By function; by unit too for internal linkage.
  struct Counted {
    std::map<std::string, FunctionRun> ByName;
    std::map<std::pair<std::string, std::string>, FunctionRun> ByUnit;
    std::optional<std::vector<std::string>> Arguments = {}; ///< where all processes had these
  };
  /// The argument in which runs differ, in each run and as it is asked for.
  struct Size {
    std::string Name; ///< `argv[1]`
    std::vector<Rational> Had;
    Rational Asked;
  };
  std::optional<Size> SizeOfRuns;
  std::set<std::string> Fits;

  FunctionRun fitted(const std::vector<const FunctionRun *> &ByRun);
  std::vector<Counted> CountedRuns;
  std::map<std::string, std::set<std::string>> Checksums; ///< by unit
};

} // namespace ergon
