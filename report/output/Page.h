//===- Page.h - the page of a report ----------------------------*- C++ -*-===//
#pragma once

#include "report/program/ReportData.h"

namespace ergon {

/// The page that `report/` was built into, with \p Data and the program that answers in it: one
/// file that needs no other. Error: the page was not built.
std::expected<std::string, Error> makePage(const ReportData &Data);

} // namespace ergon
