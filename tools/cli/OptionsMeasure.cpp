//===- OptionsMeasure.cpp - options of calibrate and verify ---------------===//

#include "tools/cli/Options.h"

#include <CLI/CLI.hpp>

namespace ergon {

static void addCalibrate(CLI::App &App, int &Status) {
  auto &Into = keep(CalibrateOptions{});
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
  addExample(*Calibrator, "calibrate -o mine.json", "docs/calibration.md, docs/calibration-gpu.md");
  Calibrator->callback([&Into, &Status, Sweep] {
    Into.SweepClocks = Sweep->count() > 0;
    Status = Into.Gpu ? runCalibrateGpu(Into) : runCalibrate(Into);
  });
}

static void addVerify(CLI::App &App, int &Status) {
  auto &Into = keep(VerifyOptions{});
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
  addExample(*Verifier, "verify --machine mine.json", "docs/verify.md");
  Verifier->callback([&Into, &Status] { Status = runVerify(Into); });
}

void addMeasureCommands(CLI::App &App, int &Status) {
  addCalibrate(App, Status);
  addVerify(App, Status);
}

} // namespace ergon
