//===- OptionsMachine.cpp - options of machine, import, fit, evaluate, library -===//

#include "tools/cli/Options.h"
#include "tools/import/Import.h"

#include <CLI/CLI.hpp>

namespace ergon {

static CLI::App *addMachine(CLI::App &App, int &Status) {
  CLI::App *Machines = App.add_subcommand("machine", "machine profiles");
  Machines->require_subcommand(1);
  addExample(*Machines, "machine show gtx580", "machine-profiles/README.md");
  auto &Json = keep(false);
  auto &Name = keep(std::string());
  CLI::App *Lister = Machines->add_subcommand("list", "the shipped machines");
  Lister->add_flag("--json", Json, "print JSON (ergon-machines/1)");
  addExample(*Lister, "machine list", "machine-profiles/README.md");
  Lister->callback([&Json, &Status] { Status = runMachineList(Json); });
  CLI::App *Details = Machines->add_subcommand("show", "a machine's costs, balances and sources");
  Details->add_option("MACHINE", Name, "a shipped machine or a profile's path")->required();
  Details->add_flag("--json", Json, "print JSON (ergon-machine/1)");
  addExample(*Details, "machine show gtx580", "docs/formats/profile.md, docs/model.md");
  Details->callback([&Name, &Json, &Status] { Status = runMachineShow(Name, Json); });
  CLI::App *Checker =
      Machines->add_subcommand("check", "whether a profile is well formed and its numbers can be");
  Checker->add_option("FILE", Name, "the profile")->required();
  Checker->add_flag("--json", Json, "print JSON (ergon-check/1)");
  Checker->footer(
      "Exit status: 0 good, 1 implausible numbers, 2 no profile or impossible numbers.");
  addExample(*Checker, "machine check mine.json", "docs/checking-machines.md");
  Checker->callback([&Name, &Json, &Status] { Status = runMachineCheck(Name, Json); });
  return Machines;
}

static void addMachineHere(CLI::App &Machines, int &Status) {
  auto &Result = keep(HereOptions{});
  CLI::App *Finder = Machines.add_subcommand(
      "here", "the caches of this machine, and a profile with them and no costs");
  Finder->add_option("-o,--output", Result.Output, "a profile to write, for --machine");
  Finder->add_option("--name", Result.Name, "of the machine (default: the profile's file name)");
  Finder->add_flag("--json", Result.Json, "print JSON (ergon-here/1)");
  Finder->footer("HWLOC_XMLFILE and HWLOC_SYNTHETIC, as hwloc has them, describe another machine.");
  addExample(*Finder, "machine here -o mine.json", "docs/traffic.md");
  Finder->callback([&Result, &Status] { Status = runMachineHere(Result); });
}

static void addMachineRoofs(CLI::App &Machines, int &Status) {
  auto &Result = keep(RoofsOptions{});
  CLI::App *Roofer = Machines.add_subcommand(
      "roofs", "cache-aware rooflines: performance, power and efficiency of each memory level");
  Roofer->add_option("MACHINE", Result.Machine, "a shipped machine or a profile's path")
      ->required();
  Roofer->add_option("--flops", Result.Flops, "only this class of flops, such as flops_f64");
  addList(*Roofer, "--intensity", Result.Intensities,
          "flops per byte to show the curves at (default: around the ridge points)");
  Roofer->add_option("--core-mhz", Result.CoreMhz,
                     "at this core clock, even if no setting of the profile has it");
  Roofer->add_option("--mem-mhz", Result.MemMhz, "at this memory clock");
  addSvg(*Roofer, Result.Svg, "what is attainable from each level, and power, over intensity");
  Roofer->add_flag("--json", Result.Json, "print JSON (ergon-roofs/1)");
  addExample(*Roofer, "machine roofs mine.json --flops flops_f64", "docs/cache-aware-rooflines.md");
  Roofer->callback([&Result, &Status] { Status = runMachineRoofs(Result); });
}

static void addImport(CLI::App &App, int &Status) {
  auto &Result = keep(ImportCommandOptions{});
  CLI::App *Importer =
      App.add_subcommand("import", "samples from the logs of profilers and power meters");
  Importer
      ->add_option("FILE", Result.Files,
                   "CSV of nvprof, Nsight Compute, nvidia-smi, perf stat or likwid, dcgmi's "
                   "output, a cache of Kernel Tuner; several are joined")
      ->required();
  Importer->add_option("-o,--output", Result.Output,
                       "the samples to write (default: the standard output)");
  Importer->add_flag("--append", Result.Append, "add the rows to those of the samples");
  Importer->add_option("--run", Result.Run,
                       "a run record to write, for tune and predict --measured");
  addList(*Importer, "--format", Result.Formats,
          "nvprof, ncu, nvidia-smi, dcgm, perf, likwid or kernel-tuner, or FILE=FORMAT (default: "
          "as the file looks)");
  Importer->add_option("--gpu", Result.Gpu, "the one of several, as the log names it");
  Importer->add_option("--at", Result.At,
                       "the clocks of all runs: core=2000,mem=5500 or 2000/5500, in MHz (default: "
                       "those in the logs)");
  Importer->add_option("--offset", Result.Offset,
                       "from the power log's first reading to the profiler's zero (default: where "
                       "kernels explain the power best)");
  Importer->add_option("--period", Result.Period, "between readings of a log without times: 100ms");
  Importer->add_option("--time", Result.Time, "how long the program of perf stat ran");
  Importer->add_option("--columns", Result.Columns,
                       "of an nvidia-smi log without names: timestamp,power.draw,clocks.sm");
  Importer->add_option("--workload", Result.Workload,
                       "the name of a program's run (default: the file's name)");
  addList(*Importer, "--take", Result.Taken,
          "COUNTER=CLASS: a counter that becomes the column of a class");
  addList(*Importer, "--count", Result.Counts,
          "CLASS=NUMBER: what each run does, where no counter says so");
  Importer->add_flag("--keep-blank", Result.KeepsBlank,
                     "keep rows without an energy where others have one");
  Importer->add_flag("--json", Result.Json, "print JSON (ergon-import/1)");
  addExample(*Importer, "import trace.csv power.csv -o samples.csv", "docs/importing.md");
  Importer->callback([&Result, &Status] { Status = runImport(Result); });
}

static constexpr const char *FamilyHelp =
    "a regular expression for the part of a workload's name that names its family, such as all "
    "inputs of a program: families are left out together (default: up to the first /)";

static void addFit(CLI::App &App, int &Status) {
  auto &Result = keep(FitOptions{});
  auto &Kind = keep(std::string());
  CLI::App *Fitter = App.add_subcommand("fit", "a machine profile from measured runs");
  Fitter->add_option("SAMPLES", Result.Samples, "CSV: a row for each run")->required();
  Fitter->add_option("-o,--output", Result.Output, "the profile to write")->required();
  Fitter->add_option("--name", Result.Name, "of the machine (default: the profile's file name)");
  Fitter->add_option("--description", Result.Description, "of the machine");
  Fitter->add_option("--reference", Result.Reference, "who measured the samples, and how");
  Fitter->add_option("--date", Result.Date, "when they did (default: today)");
  Fitter->add_option("--kind", Kind, "what the machine is")->check(CLI::IsMember({"gpu", "cpu"}));
  Fitter->add_flag("--time", Result.Time, "fit throughputs and how classes overlap too");
  Fitter->add_option("--power-cap", Result.PowerCapW, "watts that the machine keeps to")
      ->check(CLI::PositiveNumber);
  Fitter
      ->add_option("--folds", Result.Folds,
                   "folds of each cross-validation (default: one setting, one family at a time)")
      ->check(CLI::Range(2, 1000));
  Fitter->add_option("--family", Result.Family, FamilyHelp);
  addList(*Fitter, "--hold-out", Result.HoldOut,
          "a setting, CORE_MHZ or CORE_MHZ/MEM_MHZ, that is predicted and not fitted");
  Fitter->add_option("--residuals", Result.Residuals,
                     "a CSV file for the relative error of each row");
  Fitter->add_flag("--json", Result.Json, "print JSON (ergon-fit/1)");
  addExample(*Fitter, "fit samples.csv -o mine.json", "docs/fitting.md");
  Fitter->callback([&Result, &Kind, &Status] {
    if (!Kind.empty())
      Result.Kind = Kind == "gpu" ? MachineKind::Gpu : MachineKind::Cpu;
    Status = runFit(Result);
  });
}

static void addEvaluate(CLI::App &App, int &Status) {
  auto &Result = keep(EvaluateOptions{});
  auto &Time = keep(std::string("measured"));
  CLI::App *Evaluator =
      App.add_subcommand("evaluate", "what a profile predicts of measured runs, and would choose");
  Evaluator
      ->add_option("PROFILE", Result.Machine,
                   "a shipped machine or a profile's path; none with --leave-out")
      ->required();
  Evaluator->add_option("SAMPLES", Result.Samples, "CSV: a row for each run");
  Evaluator->add_flag("--leave-out", Result.LeaveOut,
                      "predict each family by a profile that is fitted to the others");
  Evaluator->add_option("--family", Result.Family, FamilyHelp);
  auto *From = Evaluator->add_option("--time", Time,
                                     "the time that energy is predicted from (default: measured)");
  From->check(CLI::IsMember({"measured", "predicted"}));
  addList(*Evaluator, "--measured-at", Result.MeasuredAt,
          "a setting, CORE_MHZ or CORE_MHZ/MEM_MHZ, at which a run of each workload is known: time "
          "and energy at all others are predicted from it")
      ->excludes(From);
  Evaluator->add_option("--residuals", Result.Residuals,
                        "a CSV file for the relative error of each row");
  addSvg(*Evaluator, Result.Svg, "the share of rows within an error");
  Evaluator->add_flag("--json", Result.Json, "print JSON (ergon-evaluation/1)");
  addExample(*Evaluator, "evaluate mine.json samples.csv", "docs/fitting.md");
  Evaluator->callback([&Result, &Time, &Status] {
    Result.PredictTime = Time == "predicted" || !Result.MeasuredAt.empty();
    if (Result.LeaveOut && Result.Samples.empty())
      Result.Samples.swap(Result.Machine);
    Status = runEvaluate(Result);
  });
}

static void addLibrary(CLI::App &App, int &Status) {
  CLI::App *Libraries = App.add_subcommand("library", "what calls of libraries cost");
  Libraries->require_subcommand(1);
  addExample(*Libraries, "library list", "library-costs/README.md");
  auto &Json = keep(false);
  auto &File = keep(std::string());
  CLI::App *LibraryLister = Libraries->add_subcommand("list", "the shipped descriptions");
  LibraryLister->add_flag("--json", Json, "print JSON (ergon-libraries/1)");
  addExample(*LibraryLister, "library list", "library-costs/README.md");
  LibraryLister->callback([&Json, &Status] { Status = runLibraryList(Json); });
  CLI::App *LibraryChecker = Libraries->add_subcommand("check", "whether a file is a good one");
  LibraryChecker->add_option("FILE", File, "the description")->required();
  addExample(*LibraryChecker, "library check mine.json", "library-costs/README.md");
  LibraryChecker->callback([&File, &Status] { Status = runLibraryCheck(File); });
}

void addMachineCommands(CLI::App &App, int &Status) {
  CLI::App *Machines = addMachine(App, Status);
  addMachineHere(*Machines, Status);
  addMachineRoofs(*Machines, Status);
  addImport(App, Status);
  addFit(App, Status);
  addEvaluate(App, Status);
  addLibrary(App, Status);
}

} // namespace ergon
