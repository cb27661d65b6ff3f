//===- OptionsRecord.cpp - options of record and run ----------------------===//

#include "tools/cli/Options.h"

#include <CLI/CLI.hpp>

namespace ergon {

static void addRecord(CLI::App &App, int &Status) {
  auto &Result = keep(RecordOptions{});
  CLI::App *Recorder = App.add_subcommand("record", "run a build and record what it compiles");
  Recorder->add_option("-d,--directory", Result.Directory, "folder for the records")->required();
  Recorder->add_option("--plugin", Result.Plugin,
                       "the plugin (default: ERGON_PLUGIN, or the one built with this)");
  Recorder->add_option("--snapshots", Result.Snapshots,
                       "which of source,algorithm,machine (default: algorithm; at -O0 source)");
  Recorder->add_flag("--instrument", Result.Instrument,
                     "let the programs count what the records have no formula for, when they run "
                     "under `ergon run` (not at -O0)");
  auto *Database =
      Recorder->add_option("--compile-commands", Result.CompileCommands,
                           "in the place of a build: record what this compile_commands.json lists, "
                           "and leave the build tree as it is");
  Recorder
      ->add_option("-j,--jobs", Result.Jobs,
                   "how many of them at once (default: as many as there are processors)")
      ->needs(Database)
      ->check(CLI::Range(1U, 4096U));
  Recorder->add_option("COMMAND", Result.Command, "the build command, after --")
      ->excludes(Database);
  Recorder->prefix_command(false);
  Recorder->footer("Exit status: the build's; 2 where no record was written, or one is lost.");
  addExample(*Recorder, "record -d records -- make -j4", "docs/any-build.md");
  Recorder->callback([&Result, &Status] { Status = runRecord(Result); });
}

static void addRun(CLI::App &App, int &Status) {
  auto &Result = keep(RunOptions{});
  CLI::App *Runner = App.add_subcommand("run", "run a program that leaves run records");
  Runner->add_option("-d,--directory", Result.Directory, "folder for the run records")->required();
  Runner->add_option("--runtime", Result.Runtime,
                     "the runtime (default: ERGON_RUNTIME, or the one built with this)");
  Runner->add_option("COMMAND", Result.Command, "the program and its arguments, after --")
      ->required();
  Runner->prefix_command(false);
  Runner->footer("Exit status: the program's; 2 where it left no run record.");
  addExample(*Runner, "run -d runs -- ./program", "docs/runtime.md");
  Runner->callback([&Result, &Status] { Status = runRun(Result); });
}

void addRecordCommands(CLI::App &App, int &Status) {
  addRecord(App, Status);
  addRun(App, Status);
}

} // namespace ergon
