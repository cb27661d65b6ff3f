//===- LintBaseline.h - findings against a baseline -------------*- C++ -*-===//
#pragma once

#include "formats/json/Error.h"
#include "model/lint/Finding.h"
#include "model/lint/Thresholds.h"

#include <optional>
#include <string>

namespace ergon {

/// Marks the findings of \p Report that the baseline at \p Path has as known. Budgets never are,
/// nor what costs more than there by \p Least, nor a regression of unknown size. Costs are compared
/// for the same machine and values; what is not compared is printed as a notice. A file that is not
/// there is empty. Error: one that cannot be read.
std::optional<Error> compareWithBaseline(const std::string &Path, const Thresholds &Least,
                                         LintReport &Report);

} // namespace ergon
