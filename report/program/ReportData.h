//===- ReportData.h - what a report is made of ------------------*- C++ -*-===//
//
// All data of a report in one document, `ergon-report-data/1`. `ergon report` collects it from disk
// and puts it into the page. There the same program answers questions from it as in the command.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Json.h"
#include "model/energy/MeasuredModel.h"

#include <cstddef>
#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// A record of the functions that are shown and of those they call.
struct ReportRecord {
  std::string Text;
  /// By the paths in its positions: the number of the source.
  std::map<std::string, std::size_t> Sources = {};
};

/// A function that is shown.
struct ReportFunction {
  std::size_t Record; ///< number
  std::string Name;   ///< mangled
  std::string Snapshot;
};

struct ReportSource {
  std::string Path;
  std::string State; ///< `ok`, `not UTF-8`, or the name of a SourceState
  std::string Text;  ///< empty but for `ok`
};

/// A run that was measured of a function, at the values that the report begins with, on its first
/// machine.
struct ReportRun {
  std::size_t Function; ///< number
  MeasuredRun Run;      ///< of its setting the clocks alone
};

struct ReportData {
  std::string Compiler;
  std::vector<ReportRecord> Records;
  std::vector<ReportFunction> Functions;
  std::vector<std::string> Machines;  ///< profiles; the one to begin with first
  std::vector<std::string> Libraries; ///< descriptions
  std::vector<ReportSource> Sources;
  std::map<std::string, std::string> Set; ///< values to begin with
  std::vector<ReportRun> Runs;
  bool IsStrict = false; ///< symbols without a value are not estimated
};

/// The document as one line of ASCII without `<`, so that nothing in it can end a script of a page.
std::string writeReportData(const ReportData &Data);
/// The clocks of a setting as questions and answers write it.
Setting readClocks(JsonCursor Json);
/// Error: not such a document.
std::expected<ReportData, Error> parseReportData(std::string_view Text);

} // namespace ergon
