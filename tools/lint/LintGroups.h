//===- LintGroups.h - one finding for many accesses -------------*- C++ -*-===//
#pragma once

#include "model/lint/Finding.h"

#include <vector>

namespace ergon {

/// Joins findings of one rule about accesses of one object in one function: the first has the
/// others as places, and the sums of times and savings. Joins only what is equally new and not
/// suppressed, so that a new access does not hide among known ones. \p All is in the report's
/// order.
void groupFindings(std::vector<Finding> &All);

} // namespace ergon
