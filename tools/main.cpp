//===- main.cpp - the ergon command ---------------------------------------===//

#include "tools/Commands.h"
#include "tools/Suggest.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <exception>

namespace ergon {

int complain(const Error &Bad) {
  fmt::print(stderr, "ergon: {}\n", Bad.line());
  return BadInput;
}

} // namespace ergon

using namespace ergon;

static void addFilters(CLI::App &Command, EntryOptions &Into) {
  Command.add_option("DIR", Into.Directory, "folder of cost records")->required();
  Command
      .add_option("--snapshot", Into.Snapshot,
                  "which state of the code: source, algorithm or machine")
      ->check(CLI::IsMember({"source", "algorithm", "machine"}));
  Command.add_option("--unit", Into.Unit, "only source files whose name contains this");
  Command.add_option("--target", Into.Target, "only target triples that contain this, e.g. nvptx");
  Command
      .add_option("--library", Into.Libraries,
                  "a file that says what calls of a library cost, beside the shipped ones")
      ->allow_extra_args(false);
  Command
      .add_option("--bindings", Into.Runs,
                  "a run record, or a folder with those of one run: what was counted stands for "
                  "unknowns that have no other value; of several runs, where all say the same")
      ->allow_extra_args(false);
}

static void addCaches(CLI::App &Command, CacheOptions &Into) {
  const char *const Traffic = "Traffic between memory levels";
  Command
      .add_option("--cache", Into.Method,
                  "how it is predicted: analytic, simulate, or none (default: analytic where the "
                  "machine's caches are known)")
      ->check(CLI::IsMember({"analytic", "simulate", "none"}))
      ->group(Traffic);
  Command
      .add_option("--caches", Into.Caches,
                  "LEVEL=BYTES/WAYS/LINE,… in the place of the machine's: l1=32K/8/64,l2=1M/16/64; "
                  "then perhaps /through (stores go on at once) and /no-allocate (those that miss "
                  "fetch no line)")
      ->group(Traffic);
  Command
      .add_flag("--warm", Into.Warm,
                "the caches hold what a run that did the same has left in them (default: nothing)")
      ->group(Traffic);
  Command
      .add_option("--cores", Into.Cores,
                  "how many are at work: each has its part of a cache that they share (default: 1, "
                  "which has all of it)")
      ->check(CLI::Range(1, 1 << 20))
      ->group(Traffic);
  Command
      .add_option(
          "--place", Into.Places,
          "NAME=ADDRESS, NAME=ADDRESS:BYTES or NAME=:BYTES: where an object starts (default: each "
          "on pages of its own), and how large it is, where accesses to it go anywhere")
      ->allow_extra_args(false)
      ->group(Traffic);
}

static void addScale(CLI::App &App, ScaleOptions &Scale, int &Status) {
  CLI::App *Scaler =
      App.add_subcommand("scale", "energy efficiency of a parallel program over p, n and f");
  addFilters(*Scaler, Scale.Entry);
  Scaler->get_option("DIR")->required(false);
  Scaler->add_option("--app", Scale.Application,
                     "a shipped application (ft, ep, cg) or a vector's path, instead of DIR");
  Scaler->add_option("--machine", Scale.Machine, "a machine with a cluster, or a profile's path")
      ->required();
  Scaler
      ->add_option("-p", Scale.P,
                   "processors: 1,2,4..128 is all powers of 2 to 128; 2..200x1.5, 10..50+10")
      ->required();
  Scaler->add_option("-n", Scale.N, "sizes, in the same way")->required();
  Scaler->add_option("--core-mhz", Scale.CoreMhz,
                     "clocks, in the same way (default: the profile's)");
  Scaler->add_option("--set", Scale.Sets, "NAME=VALUE: a further parameter, an unknown")
      ->allow_extra_args(false);
  Scaler->add_option("--keep-ee", Scale.KeepEe,
                     "find the p, and the n, that keep EE at this or above");
  Scaler->add_option("--max-p", Scale.MaxP, "how far p is searched")
      ->check(CLI::Range(1L, 1L << 40))
      ->capture_default_str();
  Scaler->add_option("--max-n", Scale.MaxN, "how far n is searched")
      ->check(CLI::Range(1L, 1L << 52))
      ->capture_default_str();
  const char *const Records = "Of records";
  Scaler->add_option("--entry", Scale.Entry.Entry, "the function")->group(Records);
  Scaler->add_option("--n-is", Scale.NIs, "the names that --set takes for n")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(Records);
  Scaler->add_option("--p-is", Scale.PIs, "the names that --set takes for p: p,mpi.size")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(Records);
  Scaler->add_option("--overlap", Scale.Overlap, "α, actual over theoretical time; 1: no overlap")
      ->check(CLI::Range(1e-9, 1.0))
      ->group(Records);
  Scaler
      ->add_option("--computation", Scale.Computation,
                   "what are instructions, a formula in cost classes "
                   "(default: all but memory accesses)")
      ->group(Records);
  Scaler
      ->add_option("--memory", Scale.Memory,
                   "what are accesses to main memory (default: loads_memory + stores_memory)")
      ->group(Records);
  Scaler->add_flag("--json", Scale.Json, "print JSON (ergon-scale/1)");
  Scaler->callback([&] { Status = runScale(Scale); });
}

static void addLint(CLI::App &App, LintOptions &Into, int &Status) {
  CLI::App *Linter = App.add_subcommand("lint", "what could cost less, line by line");
  addFilters(*Linter, Into.Entry);
  Linter->add_option("--entry", Into.Entry.Entry, "one function alone, as for predict");
  Linter
      ->add_option("--set", Into.Sets,
                   "NAME=VALUE, as for predict, for every function that has NAME: then savings "
                   "have numbers")
      ->allow_extra_args(false);
  Linter->add_option("--machine", Into.Machine, "a shipped machine or a profile's path");
  Linter->add_option("--baseline", Into.Baseline, "findings that are known: only new ones count");
  Linter->add_option("--write-baseline", Into.WriteBaseline, "a file for those there are now");
  Linter->add_option("--sarif", Into.Sarif, "a file for SARIF 2.1.0");
  Linter->add_option("--junit", Into.Junit, "a file for JUnit's XML");
  Linter->add_option("--markdown", Into.Markdown, "a file for a comment to a pull request");
  Linter
      ->add_option("--fail-on", Into.FailOn,
                   "exit status 1 where a new finding is a note, warning or error, or above; or "
                   "never (default: warning)")
      ->check(CLI::IsMember({"note", "warning", "error", "never"}));
  Linter->add_flag("--json", Into.Json, "print JSON (ergon-lint/1)");
  Linter->callback([&] { Status = runLint(Into); });
}

static void addTune(CLI::App &App, TuneOptions &Into, int &Status) {
  CLI::App *Tuner = App.add_subcommand("tune", "the best setting of a machine for functions");
  addFilters(*Tuner, Into.Entry);
  auto *Entries = Tuner
                      ->add_option("--entry", Into.Entries,
                                   "a function, as for predict; several are the phases of a "
                                   "program, in this order")
                      ->allow_extra_args(false);
  auto *All = Tuner->add_flag("--all", Into.All, "every function that needs no more values");
  Entries->excludes(All);
  Tuner
      ->add_option("--set", Into.Sets,
                   "NAME=VALUE or NAME=LOW..HIGH, as for predict, for every entry that has NAME")
      ->allow_extra_args(false);
  Tuner
      ->add_option("--try", Into.Tries,
                   "NAME=V1,V2,…: try each; names in one --try move together: "
                   "\"block.x=64,128 grid.x=32,16\"")
      ->allow_extra_args(false);
  Tuner->add_option("--machine", Into.Machine, "a shipped machine or a profile's path")->required();
  Tuner->add_option("--objective", Into.Objective, "energy, edp, ed2p or time (default: energy)")
      ->check(CLI::IsMember({"energy", "edp", "ed2p", "time"}));
  Tuner->add_option("--max-slowdown", Into.MaxSlowdown,
                    "at most so much longer than the fastest setting: 5% or 0.05");
  Tuner->add_option("--power-cap", Into.PowerCap, "at most so many watts on average");
  Tuner->add_option("--switch-time", Into.SwitchTimeS,
                    "seconds that switching settings takes (default: the profile's)");
  Tuner->add_option("--switch-energy", Into.SwitchEnergyJ,
                    "joules that switching settings takes (default: the profile's)");
  Tuner->add_flag("--json", Into.Json, "print JSON (ergon-tune/1)");
  Tuner->callback([&] { Status = runTune(Into); });
}

static void addCalibrate(CLI::App &App, CalibrateOptions &Into, int &Status) {
  CLI::App *Calibrator = App.add_subcommand("calibrate", "a profile of this machine, measured");
  Calibrator->add_option("-o,--output", Into.Output,
                         "the profile to write; samples are written beside it, to go on from "
                         "after an interruption");
  Calibrator->add_option("--name", Into.Name, "of the machine (default: the profile's file name)");
  Calibrator->add_option("--only", Into.Only,
                         "only probes whose names fit this pattern: load-*, *-l1-1thread");
  Calibrator->add_flag("--quick", Into.Quick, "coarse, in some seconds");
  Calibrator->add_flag("--dry-run", Into.DryRun,
                       "list the probes, what each executes, and how long all take");
  CLI::Option *Sweep =
      Calibrator
          ->add_option(
              "--sweep-clocks", Into.SweptMhz,
              "at several clocks, set by cpufreq and put back afterwards: those listed, in "
              "MHz, or a few; without this nothing is set")
          ->expected(0, 1)
          ->type_name("[MHZ,MHZ…]");
  Calibrator->add_flag("--json", Into.Json, "print JSON (ergon-calibration/1, ergon-probes/1)");
  CLI::Option *Gpu =
      Calibrator
          ->add_flag("--gpu", Into.Gpu,
                     "an NVIDIA GPU in the place of the processor; its clocks are left as they are")
          ->excludes(Sweep);
  Calibrator->add_option("--device", Into.Device, "which GPU, as CUDA counts (default: 0)")
      ->needs(Gpu);
  Calibrator->callback([&, Sweep] {
    Into.SweepClocks = Sweep->count() > 0;
    Status = Into.Gpu ? runCalibrateGpu(Into) : runCalibrate(Into);
  });
}

static void addVerify(CLI::App &App, VerifyOptions &Into, int &Status) {
  CLI::App *Verifier = App.add_subcommand("verify", "predicted beside measured, on this machine");
  addFilters(*Verifier, Into.Entry);
  Verifier->get_option("DIR")->required(false);
  Verifier
      ->add_option("--machine", Into.Machine, "a profile of this machine, as calibrate makes it")
      ->required();
  Verifier->add_flag(
      "--json", Into.Json,
      "print JSON (ergon-verification/1; of a program ergon-program-verification/1)");
  const char *const Kernels = "Shipped kernels";
  Verifier
      ->add_option("--threads", Into.Threads,
                   "how many run a kernel at once, each on its own data (default: 1, and as many "
                   "as there are processors)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(Kernels);
  Verifier->add_option("--only", Into.Only, "only kernels whose names fit this pattern: matmul_*")
      ->group(Kernels);
  Verifier
      ->add_option("--levels", Into.Levels,
                   "only with data in these: l1, l2, l3, dram; none: kernels without data")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(Kernels);
  Verifier->add_flag("--quick", Into.Quick, "coarse, of few samples")->group(Kernels);
  const char *const Program = "A program: DIR --entry F … -- PROGRAM ARGUMENTS…";
  Verifier->add_option("--entry", Into.Entry.Entry, "the function, as for predict")->group(Program);
  Verifier->add_option("--set", Into.Sets, "NAME=VALUE, as for predict")
      ->allow_extra_args(false)
      ->group(Program);
  Verifier
      ->add_option("--region", Into.Region,
                   "the region of the run that calls the entry (default: the whole run)")
      ->group(Program);
  Verifier->add_option("--calls", Into.Calls, "how often it calls the entry, each time")
      ->check(CLI::PositiveNumber)
      ->group(Program);
  Verifier
      ->add_option("--runtime", Into.Runtime,
                   "the runtime (default: ERGON_RUNTIME, or the one built with this)")
      ->group(Program);
  addCaches(*Verifier, Into.Caches);
  Verifier->add_option("COMMAND", Into.Command, "the program and its arguments, after --");
  Verifier->callback([&] { Status = runVerify(Into); });
}

int main(int Count, char **Words) {
  CLI::App App{"Ergon: what code costs in joules and seconds, before it runs."};
  App.require_subcommand(1);
  App.set_version_flag("--version", "ergon " ERGON_VERSION " (records of LLVM 22)");
  App.footer("Exit status: 0 done, 1 findings, 2 bad usage or input, 3 unbound symbols.");
  int Status = Done;

  RecordOptions Record;
  CLI::App *Recorder = App.add_subcommand("record", "run a build and record what it compiles");
  Recorder->add_option("-d,--directory", Record.Directory, "folder for the records")->required();
  Recorder->add_option("--plugin", Record.Plugin,
                       "the plugin (default: ERGON_PLUGIN, or the one built with this)");
  Recorder->add_option("--snapshots", Record.Snapshots,
                       "which of source,algorithm,machine (default: algorithm; at -O0 source)");
  Recorder->add_flag("--instrument", Record.Instrument,
                     "let the programs count what the records have no formula for, when they run "
                     "under `ergon run` (not at -O0)");
  Recorder->add_option("COMMAND", Record.Command, "the build command, after --")->required();
  Recorder->prefix_command(false);
  Recorder->callback([&] { Status = runRecord(Record); });

  RunOptions Run;
  CLI::App *Runner = App.add_subcommand("run", "run a program that leaves run records");
  Runner->add_option("-d,--directory", Run.Directory, "folder for the run records")->required();
  Runner->add_option("--runtime", Run.Runtime,
                     "the runtime (default: ERGON_RUNTIME, or the one built with this)");
  Runner->add_option("COMMAND", Run.Command, "the program and its arguments, after --")->required();
  Runner->prefix_command(false);
  Runner->callback([&] { Status = runRun(Run); });

  ShowOptions Show;
  CLI::App *Shower = App.add_subcommand("show", "formulas of functions and loops");
  addFilters(*Shower, Show.Entry);
  Shower->add_option("--function", Show.Entry.Entry, "only functions of this name");
  Shower->add_option("--machine", Show.Machine,
                     "bytes that loops touch, and when they fit the caches of this machine");
  Shower->add_option("--caches", Show.Caches.Caches,
                     "the same for LEVEL=BYTES/WAYS/LINE,…, as for predict");
  Shower->add_flag("--json", Show.Json, "print JSON (ergon-show/1)");
  Shower->callback([&] { Status = runShow(Show); });

  PredictOptions Predict;
  CLI::App *Predictor = App.add_subcommand("predict", "time, energy and power of a function");
  addFilters(*Predictor, Predict.Entry);
  Predictor
      ->add_option("--entry", Predict.Entry.Entry,
                   "the function: demangled, with or without "
                   "parameters, or mangled")
      ->required();
  Predictor
      ->add_option("--set", Predict.Sets,
                   "NAME=VALUE or NAME=LOW..HIGH: a parameter, a launch dimension (grid.x), an "
                   "unknown, bytes_dram")
      ->allow_extra_args(false);
  Predictor->add_option("--machine", Predict.Machine, "a shipped machine or a profile's path");
  Predictor->add_option("--core-mhz", Predict.CoreMhz, "the setting with this core clock");
  Predictor->add_option("--mem-mhz", Predict.MemMhz, "the setting with this memory clock");
  addCaches(*Predictor, Predict.Caches);
  Predictor->add_flag("--json", Predict.Json, "print JSON (ergon-prediction/1)");
  Predictor->callback([&] { Status = runPredict(Predict); });

  ScaleOptions Scale;
  addScale(App, Scale, Status);

  TuneOptions Tune;
  addTune(App, Tune, Status);

  LintOptions Lint;
  addLint(App, Lint, Status);

  CLI::App *Machines = App.add_subcommand("machine", "machine profiles");
  Machines->require_subcommand(1);
  bool MachineJson = false;
  std::string MachineName;
  CLI::App *Lister = Machines->add_subcommand("list", "the shipped machines");
  Lister->add_flag("--json", MachineJson, "print JSON");
  Lister->callback([&] { Status = runMachineList(MachineJson); });
  CLI::App *Details = Machines->add_subcommand("show", "a machine's costs, balances and sources");
  Details->add_option("MACHINE", MachineName, "a shipped machine or a profile's path")->required();
  Details->add_flag("--json", MachineJson, "print JSON (ergon-machine/1)");
  Details->callback([&] { Status = runMachineShow(MachineName, MachineJson); });
  CLI::App *Checker =
      Machines->add_subcommand("check", "whether a profile is well formed and its numbers can be");
  Checker->add_option("FILE", MachineName, "the profile")->required();
  Checker->add_flag("--json", MachineJson, "print JSON (ergon-check/1)");
  Checker->footer(
      "Exit status: 0 good, 1 implausible numbers, 2 no profile or impossible numbers.");
  Checker->callback([&] { Status = runMachineCheck(MachineName, MachineJson); });

  HereOptions Here;
  CLI::App *Finder = Machines->add_subcommand(
      "here", "the caches of this machine, and a profile with them and no costs");
  Finder->add_option("-o,--output", Here.Output, "a profile to write, for --machine");
  Finder->add_option("--name", Here.Name, "of the machine (default: the profile's file name)");
  Finder->add_flag("--json", Here.Json, "print JSON (ergon-here/1)");
  Finder->footer("HWLOC_XMLFILE and HWLOC_SYNTHETIC, as hwloc has them, describe another machine.");
  Finder->callback([&] { Status = runMachineHere(Here); });

  RoofsOptions Roofs;
  CLI::App *Roofer = Machines->add_subcommand(
      "roofs", "cache-aware rooflines: performance, power and efficiency of each memory level");
  Roofer->add_option("MACHINE", Roofs.Machine, "a shipped machine or a profile's path")->required();
  Roofer->add_option("--flops", Roofs.Flops, "only this class of flops, such as flops_f64");
  Roofer
      ->add_option("--intensity", Roofs.Intensities,
                   "flops per byte to show the curves at (default: around the ridge points)")
      ->allow_extra_args(false);
  Roofer->add_option("--core-mhz", Roofs.CoreMhz,
                     "at this core clock, even if no setting of the profile has it");
  Roofer->add_option("--mem-mhz", Roofs.MemMhz, "at this memory clock");
  Roofer->add_flag("--json", Roofs.Json, "print JSON (ergon-roofs/1)");
  Roofer->callback([&] { Status = runMachineRoofs(Roofs); });

  FitOptions Fit;
  std::string FitKind;
  CLI::App *Fitter = App.add_subcommand("fit", "a machine profile from measured runs");
  Fitter->add_option("SAMPLES", Fit.Samples, "CSV: a row for each run")->required();
  Fitter->add_option("-o,--output", Fit.Output, "the profile to write")->required();
  Fitter->add_option("--name", Fit.Name, "of the machine (default: the profile's file name)");
  Fitter->add_option("--description", Fit.Description, "of the machine");
  Fitter->add_option("--reference", Fit.Reference, "who measured the samples, and how");
  Fitter->add_option("--date", Fit.Date, "when they did (default: today)");
  Fitter->add_option("--kind", FitKind, "what the machine is")
      ->check(CLI::IsMember({"gpu", "cpu"}));
  Fitter->add_flag("--time", Fit.Time, "fit throughputs and how classes overlap too");
  Fitter->add_option("--power-cap", Fit.PowerCapW, "watts that the machine keeps to")
      ->check(CLI::PositiveNumber);
  Fitter
      ->add_option("--folds", Fit.Folds,
                   "folds of each cross-validation (default: one setting, one workload at a time)")
      ->check(CLI::Range(2, 1000));
  Fitter
      ->add_option("--hold-out", Fit.HoldOut,
                   "a setting, CORE_MHZ or CORE_MHZ/MEM_MHZ, that is predicted and not fitted")
      ->allow_extra_args(false);
  Fitter->add_option("--residuals", Fit.Residuals, "a CSV file for the relative error of each row");
  Fitter->add_flag("--json", Fit.Json, "print JSON (ergon-fit/1)");
  Fitter->callback([&] {
    if (!FitKind.empty())
      Fit.Kind = FitKind == "gpu" ? MachineKind::Gpu : MachineKind::Cpu;
    Status = runFit(Fit);
  });

  CalibrateOptions Calibrate;
  addCalibrate(App, Calibrate, Status);
  VerifyOptions Verify;
  addVerify(App, Verify, Status);

  EvaluateOptions Evaluate;
  std::string EvaluateTime = "measured";
  CLI::App *Evaluator =
      App.add_subcommand("evaluate", "what a profile predicts of measured runs, and would choose");
  Evaluator->add_option("PROFILE", Evaluate.Machine, "a shipped machine or a profile's path")
      ->required();
  Evaluator->add_option("SAMPLES", Evaluate.Samples, "CSV: a row for each run")->required();
  Evaluator->add_option("--time", EvaluateTime, "the time that energy is predicted from")
      ->check(CLI::IsMember({"measured", "predicted"}));
  Evaluator->add_option("--residuals", Evaluate.Residuals,
                        "a CSV file for the relative error of each row");
  Evaluator->add_flag("--json", Evaluate.Json, "print JSON (ergon-evaluation/1)");
  Evaluator->callback([&] {
    Evaluate.PredictTime = EvaluateTime == "predicted";
    Status = runEvaluate(Evaluate);
  });

  CLI::App *Libraries = App.add_subcommand("library", "what calls of libraries cost");
  Libraries->require_subcommand(1);
  bool LibraryJson = false;
  std::string LibraryFile;
  CLI::App *LibraryLister = Libraries->add_subcommand("list", "the shipped descriptions");
  LibraryLister->add_flag("--json", LibraryJson, "print JSON (ergon-libraries/1)");
  LibraryLister->callback([&] { Status = runLibraryList(LibraryJson); });
  CLI::App *LibraryChecker = Libraries->add_subcommand("check", "whether a file is a good one");
  LibraryChecker->add_option("FILE", LibraryFile, "the description")->required();
  LibraryChecker->callback([&] { Status = runLibraryCheck(LibraryFile); });

  CLI::App *Simulator = App.add_subcommand("simulate", "nodes, GPUs and messages on SimGrid");
  Simulator->prefix_command(); // its words are another program's, --help too
  Simulator->set_help_flag();
  Simulator->callback([&] { Status = runSimulate(Simulator->remaining()); });

  std::vector<std::string> Names;
  for (const CLI::App *Each : App.get_subcommands({}))
    Names.push_back(Each->get_name());
  if (Count > 1 && Words[1][0] != '-' && std::ranges::find(Names, Words[1]) == Names.end()) {
    fmt::print(stderr, "ergon: no command is called {}; {}; see `ergon --help`\n",
               inQuotes(Words[1]), suggestName(Words[1], Names));
    return BadInput;
  }
  try {
    App.parse(Count, Words);
  } catch (const CLI::ParseError &Bad) {
    if (Bad.get_exit_code() == 0)
      return App.exit(Bad); // --help, --version
    fmt::print(stderr, "ergon: {}; see `ergon --help`\n", Bad.what());
    return BadInput;
  } catch (const std::exception &Bad) { // no memory, for instance: what was set is put back
    fmt::print(stderr, "ergon: {}\n", Bad.what());
    return BadInput;
  }
  return Status;
}
