//===- Import.h - ergon import ----------------------------------*- C++ -*-===//
#pragma once

#include "formats/import/ImportFormat.h"
#include "model/measurements/SampleJoin.h"
#include "model/program/Run.h"

#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// As the command line has it.
struct ImportCommandOptions {
  std::vector<std::string> Files;
  std::vector<std::string> Formats; ///< `nvprof`, or `FILE=nvprof`
  std::string Output;               ///< samples; empty: the standard output
  std::string Run;                  ///< a run record; empty: none
  bool Append = false;              ///< to the samples that are there
  std::string Gpu;                  ///< of several
  std::string At;                   ///< `core=2000,mem=5500` or `2000/5500`, in MHz
  std::string Columns;              ///< `timestamp,power.draw`
  std::string Offset, Period, Time; ///< `2.5s`
  std::string Workload;
  std::vector<std::string> Taken;  ///< `COUNTER=CLASS`, or a counter whose name can be a class's
  std::vector<std::string> Counts; ///< `CLASS=NUMBER`
  bool KeepsBlank = false;
  bool Json = false;
};
/// Makes samples or a run record of the logs of other tools. BadInput where a file cannot be read
/// or joined.
int runImport(const ImportCommandOptions &Options);

// The parts of it.

/// What the options say of files and of joining them.
struct ImportArguments {
  ImportOptions Reading;
  JoinOptions Joining;
};
/// Error: a text that is no time, setting, class or number.
std::expected<ImportArguments, Error> readImportArguments(const ImportCommandOptions &Options);

/// The run of \p Logs as a run record: a region for each row of \p Joined, and the power log as a
/// meter.
ProcessRun importedRun(const std::vector<ToolLog> &Logs, const JoinedLogs &Joined,
                       const PowerLog &Power);

/// Prints what was made of \p Logs: as text, or as `ergon-import/1`.
void printImport(const ImportCommandOptions &Options, const std::vector<ToolLog> &Logs,
                 const JoinedLogs &Joined);

} // namespace ergon
