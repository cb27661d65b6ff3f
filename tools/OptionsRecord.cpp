//===- OptionsRecord.cpp - options of record and run ----------------------===//

#include "tools/Options.h"

#include <CLI/CLI.hpp>

namespace ergon {

static void addRecord(CLI::App &App, int &Status) {
  auto &Into = keep(RecordOptions{});
  CLI::App *Recorder = App.add_subcommand("record", "run a build and record what it compiles");
  Recorder->add_option("-d,--directory", Into.Directory, "folder for the records")->required();
  Recorder->add_option("--plugin", Into.Plugin,
                       "the plugin (default: ERGON_PLUGIN, or the one built with this)");
  Recorder->add_option("--snapshots", Into.Snapshots,
                       "which of source,algorithm,machine (default: algorithm; at -O0 source)");
  Recorder->add_flag("--instrument", Into.Instrument,
                     "let the programs count what the records have no formula for, when they run "
                     "under `ergon run` (not at -O0)");
  Recorder->add_option("COMMAND", Into.Command, "the build command, after --")->required();
  Recorder->prefix_command(false);
  Recorder->callback([&Into, &Status] { Status = runRecord(Into); });
}

static void addRun(CLI::App &App, int &Status) {
  auto &Into = keep(RunOptions{});
  CLI::App *Runner = App.add_subcommand("run", "run a program that leaves run records");
  Runner->add_option("-d,--directory", Into.Directory, "folder for the run records")->required();
  Runner->add_option("--runtime", Into.Runtime,
                     "the runtime (default: ERGON_RUNTIME, or the one built with this)");
  Runner->add_option("COMMAND", Into.Command, "the program and its arguments, after --")
      ->required();
  Runner->prefix_command(false);
  Runner->callback([&Into, &Status] { Status = runRun(Into); });
}

void addRecordCommands(CLI::App &App, int &Status) {
  addRecord(App, Status);
  addRun(App, Status);
}

} // namespace ergon
