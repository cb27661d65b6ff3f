//===- OptionsMeasure.cpp - options of calibrate and verify ---------------===//

#include "tools/cli/Options.h"

#include <CLI/CLI.hpp>

namespace ergon {

static void addCalibrate(CLI::App &App, int &Status) {
  auto &Result = keep(CalibrateOptions{});
  CLI::App *Calibrator = App.add_subcommand("calibrate", "a profile of this machine, measured");
  Calibrator->add_option("-o,--output", Result.Output,
                         "the profile to write (default: where predict, top, tune and verify find "
                         "it without --machine); samples are written beside it, to go on from "
                         "after an interruption");
  Calibrator->add_option("--name", Result.Name,
                         "of the machine (default: the profile's file name)");
  Calibrator->add_option("--only", Result.Only,
                         "only probes whose names fit this pattern: load-*, *-l1-1thread");
  Calibrator->add_flag("--quick", Result.Quick, "coarse, in a minute or two");
  Calibrator->add_flag("--dry-run", Result.DryRun,
                       "list the probes, what each executes, and how long all take");
  CLI::Option *Sweep =
      Calibrator
          ->add_option(
              "--sweep-clocks", Result.SweptMhz,
              "at several clocks, set by cpufreq and put back afterwards: those listed, in "
              "MHz, or a few; without this nothing is set")
          ->expected(0, 1)
          ->type_name("[MHZ,MHZ…]");
  auto *Idle = Calibrator->add_option(
      "--idle-w", Result.IdleW,
      "watts that the machine draws idle: with --busy-w energies are estimated where no meter is");
  auto *Busy = Calibrator->add_option("--busy-w", Result.BusyW, "watts with all threads at work");
  auto *Tdp = Calibrator->add_option(
      "--tdp", Result.TdpW, "its thermal design power in watts, in the place of these two");
  Tdp->excludes(Idle)->excludes(Busy);
  auto *Json = Calibrator->add_flag("--json", Result.Json,
                                    "print JSON (ergon-calibration/1, ergon-probes/1)");
  auto *Verbose = Calibrator->add_flag("-v,--verbose", Result.Verbose,
                                       "print every rate and latency, and what was dropped, too");
  Verbose->excludes(Json);
  CLI::Option *Gpu =
      Calibrator
          ->add_flag("--gpu", Result.Gpu,
                     "an NVIDIA GPU in the place of the processor; its clocks are left as they are")
          ->excludes(Sweep)
          ->excludes(Idle)
          ->excludes(Busy)
          ->excludes(Tdp)
          ->excludes(Verbose);
  Calibrator->add_option("--device", Result.Device, "which GPU, as CUDA counts (default: 0)")
      ->needs(Gpu);
  addExample(*Calibrator, "calibrate --idle-w 60 --busy-w 210",
             "docs/calibration.md, docs/calibration-gpu.md");
  Calibrator->callback([&Result, &Status, Sweep] {
    Result.SweepClocks = Sweep->count() > 0;
    Status = Result.Gpu ? runCalibrateGpu(Result) : runCalibrate(Result);
  });
}

static void addVerify(CLI::App &App, int &Status) {
  auto &Result = keep(VerifyOptions{});
  CLI::App *Verifier = App.add_subcommand("verify", "predicted beside measured, on this machine");
  addFilters(*Verifier, Result.Entry);
  Verifier->get_option("DIR")->required(false);
  Verifier->add_option("--machine", Result.Machine,
                       "a profile of this machine (default: the one that calibrate left)");
  Verifier->add_flag(
      "--json", Result.Json,
      "print JSON (ergon-verification/1; of a program ergon-program-verification/1)");
  Verifier->option_defaults()->group("Shipped kernels");
  addList(*Verifier, "--threads", Result.Threads,
          "how many run a kernel at once, each on its own data (default: 1, and as many "
          "as there are processors)")
      ->delimiter(',');
  Verifier->add_option("--only", Result.Only,
                       "only kernels whose names fit this pattern: matmul_*");
  addList(*Verifier, "--levels", Result.Levels,
          "only with data in these: l1, l2, l3, dram; none: kernels without data")
      ->delimiter(',');
  Verifier->add_flag("--quick", Result.Quick, "coarse, of few samples");
  Verifier->option_defaults()->group("A program: DIR --entry F … -- PROGRAM ARGUMENTS…");
  Verifier->add_option("--entry", Result.Entry.Entry, "the function, as for predict");
  addList(*Verifier, "--set", Result.Sets, "NAME=VALUE, as for predict");
  Verifier->add_option("--region", Result.Region,
                       "the region of the run that calls the entry (default: the whole run)");
  Verifier->add_option("--calls", Result.Calls, "how often it calls the entry, each time")
      ->check(CLI::PositiveNumber);
  Verifier->add_option("--runtime", Result.Runtime,
                       "the runtime (default: ERGON_RUNTIME, or the one built with this)");
  addCaches(*Verifier, Result.Caches);
  Verifier->add_option("COMMAND", Result.Command, "the program and its arguments, after --");
  addExample(*Verifier, "verify --only 'matmul_*'", "docs/verify.md");
  Verifier->callback([&Result, &Status] { Status = runVerify(Result); });
}

void addMeasureCommands(CLI::App &App, int &Status) {
  addCalibrate(App, Status);
  addVerify(App, Status);
}

} // namespace ergon
