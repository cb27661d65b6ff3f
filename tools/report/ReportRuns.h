//===- ReportRuns.h - measured runs of a report's functions -----*- C++ -*-===//
#pragma once

#include "report/program/ReportData.h"
#include "tools/base/Commands.h"

namespace ergon {

/// Gives the functions of \p Data their measured runs: to each the regions of its name, and what is
/// of a whole program to the first entry, or to `main` where none was named. Error: what
/// MeasuredRuns refuses, runs of no function or without a machine, and a run that a prediction
/// cannot be corrected by.
std::expected<void, Error> addRuns(const ReportOptions &Options, ReportData &Data);

} // namespace ergon
