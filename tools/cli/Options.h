//===- Options.h - the command line of ergon --------------------*- C++ -*-===//
//
// The tree of subcommands and their options, a file for each group. Parsing it
// runs a subcommand (Commands.h), and walking it makes man pages and completion.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tools/base/Commands.h"

#include <CLI/App.hpp>

namespace ergon {

/// All of this layer. What a subcommand returns goes to \p Status.
void addCommands(CLI::App &App, int &Status);
void addReportCommands(CLI::App &App, int &Status);

/// Each adds the subcommands of its group to \p App, as addCommands() does.
void addRecordCommands(CLI::App &App, int &Status);
void addPredictCommands(CLI::App &App, int &Status);
void addLintCommands(CLI::App &App, int &Status);
void addMachineCommands(CLI::App &App, int &Status);
void addMeasureCommands(CLI::App &App, int &Status);

// What several have.
/// At the end of --help, and in the man page: how it is called, and where more is said.
void addExample(CLI::App &Command, const std::string &Example, const std::string &Document);
void addFilters(CLI::App &Command, EntryOptions &Result);
/// An option that may be given again and again, with one value each time.
template <typename T>
CLI::Option *addList(CLI::App &Command, const std::string &Name, std::vector<T> &Result,
                     const std::string &Description) {
  return Command.add_option(Name, Result, Description)->allow_extra_args(false);
}
void addSourceRoots(CLI::App &Command, std::vector<std::string> &Result);
void addCaches(CLI::App &Command, CacheOptions &Result);
/// `--svg FILE`: a plot of \p Subject beside what is printed.
CLI::Option *addSvg(CLI::App &Command, std::string &Result, const std::string &Subject);
/// Measured runs of what is predicted; the options of it.
std::vector<CLI::Option *> addMeasured(CLI::App &Command, MeasuredOptions &Result);

/// Of `ergon simulate`, for that and for the program that it runs.
void addSimulateOptions(CLI::App &Command, SimulateOptions &Result);

} // namespace ergon
