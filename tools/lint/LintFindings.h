//===- LintFindings.h - findings of a folder of records ---------*- C++ -*-===//
//
// Runs the rules on records, and adds data from sources and machine: suppressions, fingerprints,
// fix-its, savings.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"
#include "model/lint/Budget.h"
#include "model/lint/Finding.h"
#include "tools/base/Commands.h"

#include <expected>
#include <vector>

namespace ergon {

/// Checks \p Budgets, and those of annotations. Error: no records, no such machine, a name or value
/// that cannot be set. Sources that cannot be read are no error: their findings have no fix-it, and
/// nothing suppresses them.
std::expected<LintReport, Error> findingsOf(const LintOptions &Options,
                                            const std::vector<Budget> &Budgets);

} // namespace ergon
