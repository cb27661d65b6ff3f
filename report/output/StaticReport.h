//===- StaticReport.h - a report as Markdown and SVG ------------*- C++ -*-===//
#pragma once

#include "predict/store/RecordStore.h"
#include "report/program/ReportData.h"

namespace ergon {

/// Writes a report for those who have no browser at hand: functions by energy, the lines that
/// take the most, plots. \p Output is a folder, made where there is none, or the path of a
/// Markdown file, beside which the plots go. Error: a file cannot be written, or what
/// ReportProgram refuses.
std::expected<void, Error> writeStaticReport(ReportData Data, const std::string &Output,
                                             NoticeHandler Notice = {});

} // namespace ergon
