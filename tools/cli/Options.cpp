//===- Options.cpp - the command line of ergon ----------------------------===//

#include "tools/cli/Options.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace ergon {

void addExample(CLI::App &Command, const std::string &Example, const std::string &Document) {
  // A command has its parent's footer; of that the example is another.
  std::string Before = Command.get_footer();
  Before.resize(std::min(Before.size(), Before.find("\nExample: ")));
  Command.footer((Before.empty() ? "" : Before + "\n") + "Example: ergon " + Example +
                 "\nMore: " + Document);
}

void addFilters(CLI::App &Command, EntryOptions &Result) {
  Command.add_option("DIR", Result.Directory, "folder of cost records")->required();
  Command
      .add_option(
          "--snapshot", Result.Snapshot,
          "which state of the code: source, algorithm or machine (default: the first there is "
          "of algorithm, source, machine)")
      ->check(CLI::IsMember({"source", "algorithm", "machine"}));
  Command.add_option("--unit", Result.Unit, "only source or object files whose name contains this");
  Command.add_option("--target", Result.Target,
                     "only target triples that contain this, e.g. nvptx");
  addList(Command, "--library", Result.Libraries,
          "a file that says what calls of a library cost, beside the shipped ones");
  addList(Command, "--bindings", Result.Runs,
          "a run record, or a folder with those of one run: what was counted stands for "
          "unknowns that have no other value; of several runs, where all say the same");
}

void addSourceRoots(CLI::App &Command, std::vector<std::string> &Result) {
  addList(Command, "--source-root", Result,
          "a folder whose files may be shown where a record names them, beside those of "
          "the build and the system's headers")
      ->check(CLI::ExistingDirectory);
}

CLI::Option *addSvg(CLI::App &Command, std::string &Result, const std::string &Subject) {
  return Command.add_option("--svg", Result, "write a plot to this file: " + Subject);
}

void addCaches(CLI::App &Command, CacheOptions &Result) {
  Command.option_defaults()->group("Traffic between memory levels");
  Command
      .add_option("--cache", Result.Method,
                  "how it is predicted: analytic, simulate, or none (default: analytic where the "
                  "machine's caches are known)")
      ->check(CLI::IsMember({"analytic", "simulate", "none"}));
  Command.add_option(
      "--caches", Result.Caches,
      "LEVEL=BYTES/WAYS/LINE,… in the place of the machine's: l1=32K/8/64,l2=1M/16/64; "
      "then perhaps /through (stores go on at once) and /no-allocate (those that miss "
      "fetch no line)");
  Command.add_flag(
      "--warm", Result.Warm,
      "the caches hold what a run that did the same has left in them (default: nothing)");
  Command
      .add_option("--cores", Result.Cores,
                  "how many are at work: each has its part of a cache that they share (default: 1, "
                  "which has all of it)")
      ->check(CLI::Range(1, 1 << 20));
  addList(Command, "--place", Result.Places,
          "NAME=ADDRESS, NAME=ADDRESS:BYTES or NAME=:BYTES: where an object starts (default: each "
          "on pages of its own), and how large it is, where accesses to it go anywhere");
  Command.option_defaults()->group("Options");
}

std::vector<CLI::Option *> addMeasured(CLI::App &Command, MeasuredOptions &Result) {
  Command.option_defaults()->group("Measured runs, which correct the model");
  std::vector<CLI::Option *> Added = {
      addList(Command, "--measured", Result.Runs,
              "a run record, or a folder with that of one process, with the time and perhaps the "
              "energy of a run: of a region with the entry's name, or of all of it"),
      addList(Command, "--measured-time", Result.Times, "what a run took: 1.3s, 20ms"),
      addList(Command, "--measured-energy", Result.Energies,
              "what each --measured-time needed: 210J, 1.2kJ"),
      addList(
          Command, "--at", Result.At,
          "the clocks of each run in MHz: core=2000,mem=5500 or 2000/5500 (default for one run: "
          "the profile's setting)")};
  Command.option_defaults()->group("Options");
  return Added;
}

/// Puts the subcommands under headings, each a task of the person who asks.
static void groupByTask(CLI::App &App) {
  static constexpr std::pair<const char *, std::array<const char *, 7>> Tasks[] = {
      {"Record a program", {"record", "run"}},
      {"Ask what it costs", {"top", "predict", "show", "report"}},
      {"Find what to change, and keep it so", {"lint", "tune"}},
      {"Go beyond one machine", {"scale", "simulate"}},
      {"Describe machines and libraries",
       {"calibrate", "verify", "machine", "import", "fit", "evaluate", "library"}}};
  for (const auto &[Task, Names] : Tasks)
    for (const char *Name : Names)
      if (Name)
        App.get_subcommand(Name)->group(Task);
}

void addCommands(CLI::App &App, int &Status) {
  App.require_subcommand(1);
  App.set_version_flag("--version",
                       "ergon " ERGON_VERSION " (plugin for LLVM " ERGON_LLVM_VERSION ")");
  App.footer("Exit status: 0 done, 1 findings, 2 bad usage or input, 3 unbound symbols.");
  addRecordCommands(App, Status);
  addPredictCommands(App, Status);
  addLintCommands(App, Status);
  addMachineCommands(App, Status);
  addMeasureCommands(App, Status);
  addReportCommands(App, Status);
  groupByTask(App);
  addExample(App, "predict records --entry gemm --set n=4096 --machine epyc-9654",
             "README.md, docs/guide.md");
}

} // namespace ergon
