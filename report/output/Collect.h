//===- Collect.h - what a report needs, from disk ---------------*- C++ -*-===//
#ifndef ERGON_REPORT_OUTPUT_COLLECT_H
#define ERGON_REPORT_OUTPUT_COLLECT_H

#include "report/program/ReportData.h"
#include "tools/base/Commands.h"

namespace ergon {

/// Records of the functions that the options name (all, where they name none) and of those they
/// call, profiles, descriptions of libraries, and the source code as it was compiled. Error: what
/// predict refuses of these.
std::expected<ReportData, Error> collectReport(const ReportOptions &Options);

} // namespace ergon

#endif
