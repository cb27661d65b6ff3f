//===- OptionsPredict.cpp - options of show, top, predict, tune, … ===//

#include "tools/cli/Options.h"

#include <CLI/CLI.hpp>

namespace ergon {

static void addStrict(CLI::App &Command, bool &Result) {
  Command.add_flag("--strict", Result,
                   "estimate nothing: list what has no value, and exit with status 3");
}

static void addShow(CLI::App &App, int &Status) {
  auto &Result = keep(ShowOptions{});
  CLI::App *Shower = App.add_subcommand("show", "formulas of functions and loops");
  addFilters(*Shower, Result.Entry);
  Shower->add_option("--function", Result.Entry.Entry, "only functions of this name");
  Shower->add_option("--machine", Result.Machine,
                     "bytes that loops touch, and when they fit the caches of this machine");
  Shower->add_option("--caches", Result.Caches.Caches,
                     "the same for LEVEL=BYTES/WAYS/LINE,…, as for predict");
  Shower->add_flag("--json", Result.Json, "print JSON (ergon-show/1)");
  addExample(*Shower, "show records --function gemm", "docs/counting-rules.md");
  Shower->callback([&Result, &Status] { Status = runShow(Result); });
}

/// What top and predict ask for: a program or a function, values, and a machine.
static void addEntry(CLI::App &Command, PredictOptions &Result) {
  addFilters(Command, Result.Entry);
  Command.add_option("--entry", Result.Entry.Entry,
                     "the function: demangled, with or without parameters, or mangled "
                     "(default: main)");
  Command.add_option("--args", Result.Arguments,
                     "the arguments that the program is called with: \"-n 100 file\"; "
                     "files that they name are read");
  addList(Command, "--set", Result.Sets,
          "NAME=VALUE or NAME=LOW..HIGH: a parameter, a launch dimension (grid.x), an "
          "unknown, bytes_dram");
  Command.add_option("--machine", Result.Machine,
                     "a shipped machine or a profile's path; none: counts alone (default: what "
                     "calibrate left of this machine)");
  Command.add_option("--core-mhz", Result.CoreMhz,
                     "the setting with this core clock (default: the profile's)");
  Command.add_option("--mem-mhz", Result.MemMhz,
                     "the setting with this memory clock (default: the profile's)");
  addCaches(Command, Result.Caches);
  Command
      .add_option("--scope", Result.Scope,
                  "of a program with kernels: kernels (launches and transfers alone), or host "
                  "(default: all)")
      ->check(CLI::IsMember({"all", "kernels", "host"}));
  addStrict(Command, Result.Strict);
}

static void addRates(CLI::App &Command, RateOptions &Result) {
  Command.add_option("--carbon", Result.Carbon, "what energy emits: 400g/kWh");
  Command.add_option("--price", Result.Price, "what energy costs: 0.3/kWh or 0.3EUR/kWh");
  Command
      .add_option("--runs-per-day", Result.RunsPerDay,
                  "with --carbon or --price: what that is in a year of so many runs a day")
      ->check(CLI::PositiveNumber);
}

static void addVerbose(CLI::App &Command, bool &Result, const char *What) {
  Command.add_flag("-v,--verbose", Result, What);
}

static void addTop(CLI::App &App, int &Status) {
  auto &Result = keep(TopOptions{});
  CLI::App *Top = App.add_subcommand("top", "where the time and energy of a program go");
  addEntry(*Top, Result);
  addRates(*Top, Result.Rates);
  addMeasured(*Top, Result.Measured);
  Top->add_option("--by", Result.By, "rows: function, line, loop or kernel (default: function)")
      ->check(CLI::IsMember({"function", "line", "loop", "kernel"}));
  addVerbose(*Top, Result.Verbose, "up to 20 rows and all notes, not one screen");
  auto *Json = Top->add_flag("--json", Result.Json, "print JSON (ergon-top/1)");
  auto *Csv = Top->add_flag("--csv", Result.Csv, "print the rows as CSV");
  auto *Folded = Top->add_flag(
      "--folded", Result.Folded,
      "print stacks of calls for flame graphs: main;solve;kernel 1234, in nanojoules, nanoseconds, "
      "or operations and bytes");
  Csv->excludes(Json);
  Folded->excludes(Json)->excludes(Csv);
  addExample(*Top, "top records --args \"-n 100\" --machine i7-950", "docs/top.md");
  Top->callback([&Result, &Status] { Status = runTop(Result); });
}

static void addPredict(CLI::App &App, int &Status) {
  auto &Result = keep(PredictOptions{});
  CLI::App *Predictor = App.add_subcommand("predict", "time, energy and power of a function");
  addEntry(*Predictor, Result);
  addRates(*Predictor, Result.Rates);
  addMeasured(*Predictor, Result.Measured);
  addVerbose(*Predictor, Result.Verbose,
             "all tables, not one screen: counts, traffic of each level, what is assumed");
  Predictor->add_flag("--json", Result.Json, "print JSON (ergon-prediction/1)");
  addExample(*Predictor, "predict records --entry gemm --set n=4096 --machine epyc-9654",
             "docs/model.md, docs/time.md, docs/traffic.md");
  Predictor->callback([&Result, &Status] { Status = runPredict(Result); });
}

static void addTune(CLI::App &App, int &Status) {
  auto &Result = keep(TuneOptions{});
  CLI::App *Tuner = App.add_subcommand("tune", "the best setting of a machine for functions");
  addFilters(*Tuner, Result.Entry);
  auto *Entries = addList(*Tuner, "--entry", Result.Entries,
                          "a function, as for predict; several are the phases of a "
                          "program, in this order (default: main)");
  Tuner->add_option("--args", Result.Arguments,
                    "the arguments that the program is called with, as for predict");
  auto *All = Tuner->add_flag("--all", Result.All, "every function, each by itself");
  Entries->excludes(All);
  addList(*Tuner, "--set", Result.Sets,
          "NAME=VALUE or NAME=LOW..HIGH, as for predict, for every entry that has NAME");
  addList(*Tuner, "--try", Result.Tries,
          "NAME=V1,V2,…: try each; names in one --try move together: "
          "\"block.x=64,128 grid.x=32,16\"");
  Tuner->add_option("--machine", Result.Machine,
                    "a shipped machine or a profile's path (default: what calibrate left of this "
                    "machine)");
  Tuner->add_option("--objective", Result.Objective, "energy, edp, ed2p or time (default: energy)")
      ->check(CLI::IsMember({"energy", "edp", "ed2p", "time"}));
  Tuner->add_option("--max-slowdown", Result.MaxSlowdown,
                    "at most so much longer than the fastest setting: 5% or 0.05");
  Tuner->add_option("--power-cap", Result.PowerCap, "at most so many watts on average");
  Tuner->add_option("--switch-time", Result.SwitchTimeS,
                    "seconds that switching settings takes (default: the profile's)");
  Tuner->add_option("--switch-energy", Result.SwitchEnergyJ,
                    "joules that switching settings takes (default: the profile's)");
  addStrict(*Tuner, Result.Strict);
  for (CLI::Option *Measured : addMeasured(*Tuner, Result.Measured))
    Measured->excludes(All); // what ran is one of them, or all in order
  auto *Measure = Tuner->add_flag("--measure", Result.Measure,
                                  "run COMMAND at the settings that narrow the choice most, where "
                                  "clocks may be set, and tune with what was measured");
  Measure->excludes(All);
  Tuner->add_flag("--dry-run", Result.DryRun, "with --measure: say what would be run, and how")
      ->needs(Measure);
  Tuner
      ->add_option("--measured-runs", Result.MeasuredRuns,
                   "with --measure: at most so many runs (default: 3)")
      ->needs(Measure)
      ->check(CLI::Range(1U, 100U));
  Tuner
      ->add_option("--runtime", Result.Runtime,
                   "the runtime (default: ERGON_RUNTIME, or the one built with this)")
      ->needs(Measure);
  auto *Command =
      Tuner->add_option("COMMAND", Result.Command, "the program and its arguments, after --");
  Command->needs(Measure);
  Measure->needs(Command);
  addSvg(*Tuner, Result.Svg, "energy over time of all settings")->excludes(All);
  Tuner->add_flag("--json", Result.Json, "print JSON (ergon-tune/1)");
  addExample(*Tuner,
             "tune records --entry gemm --set n=4096 --machine jetson-tk1 --max-slowdown 5%",
             "docs/tuning.md");
  Tuner->callback([&Result, &Status] { Status = runTune(Result); });
}

static void addScale(CLI::App &App, int &Status) {
  auto &Scale = keep(ScaleOptions{});
  CLI::App *Scaler =
      App.add_subcommand("scale", "energy efficiency of a parallel program over p, n and f");
  addFilters(*Scaler, Scale.Entry);
  Scaler->get_option("DIR")->required(false);
  Scaler->add_option("--app", Scale.Application,
                     "a shipped application (ft, ep, cg) or a vector's path, instead of DIR");
  Scaler->add_option("--machine", Scale.Machine, "a machine with a cluster, or a profile's path");
  Scaler->add_option("--runs", Scale.Runs,
                     "a table of measured runs (CSV: p, time_s, energy_j, …), alone or with a "
                     "vector: what overheads are");
  Scaler
      ->add_option("--processors-per-node", Scale.PerNode,
                   "that share a node's power and memory (default: the machine's, or the runs')")
      ->check(CLI::Range(1.0, 1e9));
  Scaler->add_option("-p", Scale.P,
                     "processors: 1,2,4..128 is all powers of 2 to 128; 2..200x1.5, 10..50+10");
  Scaler->add_option("-n", Scale.N, "sizes, in the same way");
  Scaler->add_option("--core-mhz", Scale.CoreMhz,
                     "clocks, in the same way (default: the profile's, or the runs')");
  addList(*Scaler, "--set", Scale.Sets, "NAME=VALUE: a further parameter, an unknown");
  Scaler->add_option("--keep-ee", Scale.KeepEe,
                     "find the p, and the n, that keep EE at this or above");
  Scaler->add_option("--max-p", Scale.MaxP, "how far p is searched")
      ->check(CLI::Range(1L, 1L << 40))
      ->capture_default_str();
  Scaler->add_option("--max-n", Scale.MaxN, "how far n is searched")
      ->check(CLI::Range(1L, 1L << 52))
      ->capture_default_str();
  Scaler->option_defaults()->group("Of records");
  Scaler->add_option("--entry", Scale.Entry.Entry, "the function");
  addList(*Scaler, "--n-is", Scale.NIs, "the names that --set takes for n")->delimiter(',');
  addList(*Scaler, "--p-is", Scale.PIs, "the names that --set takes for p: p,mpi.size")
      ->delimiter(',');
  Scaler->add_option("--overlap", Scale.Overlap, "α, actual over theoretical time; 1: no overlap")
      ->check(CLI::Range(1e-9, 1.0));
  Scaler->add_option("--computation", Scale.Computation,
                     "what are instructions, a formula in cost classes "
                     "(default: all but memory accesses)");
  Scaler->add_option("--memory", Scale.Memory,
                     "what are accesses to main memory (default: loads_memory + stores_memory)");
  Scaler->option_defaults()->group("Options");
  addStrict(*Scaler, Scale.Strict);
  addSvg(*Scaler, Scale.Svg, "EE and T_1/pT over p, a line for each n and clock");
  Scaler->add_flag("--json", Scale.Json, "print JSON (ergon-scale/1)");
  addExample(*Scaler, "scale --app ft --machine systemg -p 1..128 -n 33554432 --keep-ee 0.8",
             "docs/scaling.md");
  Scaler->callback([&Scale, &Status] { Status = runScale(Scale); });
}

static void addSimulate(CLI::App &App, int &Status) {
  auto &Result = keep(SimulateOptions{});
  CLI::App *Simulator = App.add_subcommand("simulate", "nodes, GPUs and messages on SimGrid");
  addSimulateOptions(*Simulator, Result);
  addExample(*Simulator, "simulate examples/scenarios/nodes.json", "docs/simulate.md");
  Simulator->callback([&Result, &Status] { Status = runSimulate(Result); });
}

void addSimulateOptions(CLI::App &Command, SimulateOptions &Result) {
  Command.add_option("FILE", Result.File, "the scenario (ergon-scenario/1; docs/simulate.md)")
      ->required();
  Command.add_flag("--json", Result.Json, "print JSON (ergon-simulation/1), with power over time");
  addSvg(Command, Result.Svg, "power of each host over time");
  Command.add_option("--power-csv", Result.PowerCsv, "write power over time to this file");
  Command.add_option("--export", Result.Export,
                     "write the platform to this file, as SimGrid reads it (XML)");
}

void addPredictCommands(CLI::App &App, int &Status) {
  addShow(App, Status);
  addTop(App, Status);
  addPredict(App, Status);
  addTune(App, Status);
  addScale(App, Status);
  addSimulate(App, Status);
}

} // namespace ergon
