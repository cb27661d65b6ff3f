//===- Commands.h - the subcommands of ergon --------------------*- C++ -*-===//
//
// The options and functions of each subcommand; Options.h is the command line. Every function
// prints, and returns the exit status: 0 done, 2 bad usage or input, 3 unbound symbols.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"
#include "model/machine/Machine.h"
#include "predict/store/RecordStore.h"
#include "tools/base/MeasuredOptions.h"

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ergon {

enum ExitStatus { Done = 0, Findings = 1, BadInput = 2, UnboundSymbols = 3 };

/// Keeps \p Value until the process ends: destroying a program's functions would take as long as
/// reading them.
template <typename T> T &keep(T Value) {
  static auto *const Kept = new std::list<T>; // reachable, so no leak
  return Kept->emplace_back(std::move(Value));
}

/// Prints \p Bad as one line to the standard error; returns BadInput.
int complain(const Error &Bad);
/// Prints a notice to the standard error.
void printNotice(const std::string &Text);

/// The names of the shipped profiles with their descriptions.
int runMachineList(bool Json);
/// All data of one profile: rates, costs, balances, settings. BadInput where it cannot be read.
int runMachineShow(const std::string &NameOrFile, bool Json);
/// Findings for implausible numbers, BadInput for impossible ones.
int runMachineCheck(const std::string &File, bool Json);

struct RoofsOptions {
  std::string Machine;
  std::string Flops;               ///< a class; empty: each that has a rate
  std::vector<double> Intensities; ///< flops per byte; empty: around the ridge points
  std::optional<double> CoreMhz, MemMhz;
  std::string Svg; ///< a plot to write; empty: none
  bool Json = false;
};
/// The cache-aware rooflines of a machine (Ilic, Pratas and Sousa 2014, 2016). BadInput where no
/// level has a rate.
int runMachineRoofs(const RoofsOptions &Options);

struct HereOptions {
  std::string Output; ///< a profile to write; empty: none
  std::string Name;   ///< of the machine; empty: the output's
  bool Json = false;
};
/// This machine as seen by hwloc and the system, as text or as a profile without costs.
int runMachineHere(const HereOptions &Options);

/// The shipped descriptions of libraries.
int runLibraryList(bool AsJson);
/// Whether a description can be read; BadInput where not.
int runLibraryCheck(const std::string &File);

/// Selects a function of records.
struct EntryOptions : RecordSource, FunctionQuery {};

/// The caches between code and memory, and the method of traffic prediction.
struct CacheOptions {
  std::string Method; ///< `analytic`, `simulate`, `none`; empty: as the machine allows
  std::optional<std::string> Caches; ///< `l1=32K/8/64,…`, in the place of the machine's
  std::vector<std::string> Places;   ///< NAME=ADDRESS
  unsigned Cores = 1;                ///< that are at work
  bool Warm = false;                 ///< after a run that did the same
};

/// What a joule emits and costs.
struct RateOptions {
  std::string Carbon, Price; ///< `400g/kWh`, `0.3EUR/kWh`; empty: not asked for
  std::optional<double> RunsPerDay;
};

struct PredictOptions {
  EntryOptions Entry;
  MeasuredOptions Measured; ///< runs of the entry
  CacheOptions Caches;
  std::vector<std::string> Sets;        ///< NAME=VALUE
  std::optional<std::string> Arguments; ///< of the program, whose main is the entry
  std::string Machine;                  ///< empty: counts alone
  std::optional<double> CoreMhz, MemMhz;
  std::string Scope; ///< `all`, `kernels` or `host`; empty: all
  RateOptions Rates;
  bool Strict = false;  ///< list symbols without a value instead of estimating them
  bool Verbose = false; ///< all tables in the place of one screen
  bool Json = false;
};
/// Counts of an entry; with a machine its time, energy and power; with caches its traffic.
int runPredict(const PredictOptions &Options);

struct TopOptions : PredictOptions {
  std::string By = "function"; ///< `function`, `line`, `loop` or `kernel`
  bool Csv = false, Folded = false;
};
/// Where the time and energy of a run go, as a table; as JSON, CSV or folded stacks.
int runTop(const TopOptions &Options);

struct TuneOptions {
  EntryOptions Entry;                   ///< without an entry
  MeasuredOptions Measured;             ///< runs of all entries in order
  std::vector<std::string> Entries;     ///< phases of a program, in order; empty: main
  std::optional<std::string> Arguments; ///< of the program, whose main is the entry
  bool All = false;                     ///< every function apart
  std::vector<std::string> Sets;        ///< NAME=VALUE
  std::vector<std::string> Tries;       ///< NAME=V1,V2,… [NAME=W1,W2,…]
  std::string Machine;
  std::string Objective = "energy";
  std::string MaxSlowdown;        ///< `5%` or `0.05`; empty: any
  std::optional<double> PowerCap; ///< watts
  std::optional<double> SwitchTimeS, SwitchEnergyJ;
  bool Strict = false;              ///< as of PredictOptions
  std::string Svg;                  ///< a plot to write; empty: none
  bool Measure = false;             ///< run Command at some settings
  bool DryRun = false;              ///< say what would be run
  unsigned MeasuredRuns = 3;        ///< at most
  std::string Runtime;              ///< libergon_rt.so; empty: the installed one
  std::vector<std::string> Command; ///< the program and its arguments
  bool Json = false;
};
/// Ways to run an entry, or a program's phases, by time, energy or their products.
int runTune(const TuneOptions &Options);

struct ShowOptions {
  EntryOptions Entry; ///< without an entry: every function
  // The machine whose caches are compared with footprints; without caches there are no footprints.
  std::string Machine;
  CacheOptions Caches;
  bool Json = false;
};
/// The loops of functions with their trip counts, counts and footprints.
int runShow(const ShowOptions &Options);

/// The input is an application's vector, or an entry of records.
struct ScaleOptions {
  std::string Application;
  EntryOptions Entry;
  std::vector<std::string> Sets;
  // For records: the names that are n and p, the classes that count as instructions and accesses,
  // α.
  std::vector<std::string> NIs, PIs;
  std::string Computation, Memory;
  std::optional<double> Overlap;
  std::string Machine;
  std::string Runs;              ///< a table of measured runs; empty: none
  std::optional<double> PerNode; ///< processors that share a node; nothing: the machine's
  std::string P, N, CoreMhz;     ///< lists of numbers
  std::optional<double> KeepEe;
  std::int64_t MaxP = 1 << 20, MaxN = std::int64_t(1) << 40; ///< how far KeepEe is searched
  bool Strict = false;                                       ///< as of PredictOptions
  std::string Svg;                                           ///< as of TuneOptions
  bool Json = false;
};
/// Energy efficiency over processors and problem sizes (Song et al. 2011).
int runScale(const ScaleOptions &Options);

struct SimulateOptions {
  std::string File, Export, PowerCsv, Svg;
  bool Json = false;
};
/// Replaces this process by `ergon-simulate` with these options.
int runSimulate(const SimulateOptions &Options);

struct FitOptions {
  std::string Samples, Output;
  std::string Name;                   ///< empty: the output's
  std::string Description, Reference; ///< of the machine; of the samples
  std::string Date;                   ///< of the samples; empty: today
  std::optional<MachineKind> Kind;
  bool Time = false; ///< throughputs and overlap too
  std::optional<double> PowerCapW;
  std::size_t Folds = 0; ///< 0: one setting, one family at a time
  std::string Family;    ///< a regular expression; empty: the name up to the first `/`
  std::vector<std::string> HoldOut;
  std::string Residuals; ///< a file for them; empty: none
  bool Json = false;
};
/// Fits costs and constant power to samples, and writes a profile.
int runFit(const FitOptions &Options);

struct LintOptions {
  EntryOptions Entry;                   ///< without an entry: every function
  std::vector<std::string> Diff;        ///< two folders to compare, the older first; empty: none
  std::string Config;                   ///< empty: ergon.json, where there is one
  std::vector<std::string> Sets;        ///< NAME=VALUE, of any of the functions
  std::string Machine;                  ///< empty: nothing is said of joules and seconds
  std::string Baseline;                 ///< findings that are known; empty: none
  std::string WriteBaseline;            ///< a file for those that there are now
  std::string Sarif, Junit, Markdown;   ///< files to write; empty: none
  std::string FailOn;                   ///< `note`, `warning`, `error` or `never`; empty: `warning`
  std::vector<std::string> Thresholds;  ///< `1%`, `0.5J`, `20ms`; empty: every difference counts
  bool AllowsUnchecked = false;         ///< budgets that cannot be checked do not fail
  std::string ChangedSince;             ///< a revision of git; empty: findings of all lines
  bool Fix = false;                     ///< apply the fix-its of new findings to the sources
  std::vector<std::string> SourceRoots; ///< folders whose text is shown, beside the build's
  bool Strict = false;                  ///< as of PredictOptions
  bool Json = false;
};
/// Findings where a new one, or a check that could not be done, has at least the level of FailOn.
int runLint(const LintOptions &Given);

struct ReportOptions {
  EntryOptions Entry;                   ///< without an entry
  std::vector<std::string> Entries;     ///< empty: every function
  std::vector<std::string> Sets;        ///< NAME=VALUE, to begin with
  std::vector<std::string> Machines;    ///< before the shipped ones
  std::vector<std::string> SourceRoots; ///< folders whose text is shown, beside the build's
  MeasuredOptions Measured;             ///< runs on the first machine, with the values of Sets
  std::string Output;                   ///< a page; with IsStatic a folder, or a Markdown file
  bool IsStatic = false;
  bool IsStrict = false; ///< estimate nothing
};
/// `ergon report`; the exit status.
int runReport(const ReportOptions &Options);

struct CalibrateOptions {
  /// The profile to write; samples are written beside it. Empty: where machineOrOwn() finds it.
  std::string Output;
  std::string Name;    ///< of the machine; empty: the output's
  std::string Only;    ///< probes whose names fit this pattern; empty: all
  unsigned Device = 0; ///< of --gpu, as CUDA counts
  bool SweepClocks = false;
  std::string SweptMhz; ///< which; empty: a few
  /// What the machine draws idle and at work, and its thermal design power, in watts: for one
  /// without a meter.
  std::optional<double> IdleW, BusyW, TdpW;
  bool Gpu = false, Quick = false, DryRun = false, Json = false;
  bool Verbose = false; ///< all rates, beside the summary
};
/// Measures this machine and writes a profile and its samples. The first measures a GPU.
int runCalibrateGpu(const CalibrateOptions &Options);
int runCalibrate(const CalibrateOptions &Options);

struct VerifyOptions {
  std::string Machine;
  bool Json = false;
  // Of the shipped kernels.
  std::vector<unsigned> Threads;   ///< empty: one, and all
  std::string Only;                ///< kernels whose names fit this pattern; empty: all
  std::vector<std::string> Levels; ///< empty: all
  bool Quick = false;
  // Of a program.
  EntryOptions Entry;
  CacheOptions Caches;
  std::vector<std::string> Sets;
  std::string Region;               ///< empty: the whole run
  double Calls = 1;                 ///< of the entry, in the region
  std::string Runtime;              ///< libergon_rt.so; empty: the installed one
  std::vector<std::string> Command; ///< empty: the kernels are meant
};
/// Compares predicted with measured times and energies, of the shipped kernels or of a program.
int runVerify(const VerifyOptions &Options);

struct EvaluateOptions {
  std::string Machine, Samples; ///< no machine where families are left out
  bool LeaveOut = false;        ///< fits a profile without each family
  std::string Family;           ///< as in FitOptions
  bool PredictTime = false;
  std::vector<std::string> MeasuredAt; ///< settings at which a run of each workload is known
  std::string Residuals;
  std::string Svg; ///< a plot to write; empty: none
  bool Json = false;
};
/// The errors of a profile on samples of runs.
int runEvaluate(const EvaluateOptions &Options);

struct RunOptions {
  std::string Directory;
  std::string Runtime; ///< libergon_rt.so; empty: the installed one
  std::vector<std::string> Command;
};
/// Runs a program that writes run records. The exit status is the program's.
int runRun(const RunOptions &Options);

struct RecordOptions {
  std::string Directory;
  std::string Plugin; ///< empty: the one beside this program
  std::string Snapshots;
  bool Instrument = false; ///< programs count what records have no formula for
  // One of these.
  std::string CompileCommands; ///< a compilation database
  std::vector<std::string> Command;
  unsigned Jobs = 0; ///< of the database at once; 0: as many as there are processors
};
/// Runs a build, or the commands of a compilation database, to write records. Returns the build's
/// exit status if it is not 0.
int runRecord(const RecordOptions &Options);

} // namespace ergon
