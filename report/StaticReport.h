//===- StaticReport.h - a report as Markdown and SVG ------------*- C++ -*-===//
#ifndef ERGON_REPORT_STATICREPORT_H
#define ERGON_REPORT_STATICREPORT_H

#include "report/ReportData.h"

namespace ergon {

/// Writes a report that needs no browser: functions by energy, the lines with the most energy,
/// plots. \p Output is a folder, made where there is none, or the path of a Markdown file, beside
/// which the plots go. Error: a file cannot be written, or what ReportProgram refuses.
std::expected<void, Error> writeStaticReport(ReportData Data, const std::string &Output);

} // namespace ergon

#endif
