//===- Collect.h - what a report needs, from disk ---------------*- C++ -*-===//
#pragma once

#include "predict/store/RecordStore.h"
#include "report/program/ReportData.h"

namespace ergon {

/// What a report is of.
struct ReportQuery {
  FunctionQuery Functions;                ///< without an entry: their snapshot, unit and target
  std::vector<std::string> Entries;       ///< empty: every function
  std::map<std::string, std::string> Set; ///< values to begin with, as the page's fields take them
  std::vector<std::string> Machines;      ///< before the shipped ones
  std::string OwnMachine;                 ///< next, for code of processors; empty: none
  std::vector<std::string> Libraries;     ///< files, before the shipped ones
  std::vector<std::string> SourceRoots;   ///< folders whose text is shown, beside the build's
  bool IsStrict = false;                  ///< symbols without a value are not estimated
};

/// Records of the functions that are asked for and of those they call, profiles, descriptions of
/// libraries, and the source code as it was compiled. \p Store was opened with all details. Error:
/// no such function or machine, a document that cannot be read.
std::expected<ReportData, Error> collectReport(const ReportQuery &Query, RecordStore &Store);

} // namespace ergon
