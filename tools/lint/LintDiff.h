//===- LintDiff.h - differences between two recordings ----------*- C++ -*-===//
#pragma once

#include "formats/json/Error.h"
#include "model/lint/Finding.h"
#include "model/lint/Thresholds.h"
#include "tools/base/Commands.h"

#include <expected>

namespace ergon {

/// Compares the functions of the two folders of LintOptions::Diff, by mangled name. A finding for
/// each whose cost differs by more than \p Least, with the causes; without joules where the machine
/// or a value is missing. Error: as findingsOf(); thresholds without a machine.
std::expected<LintReport, Error> differencesOf(const LintOptions &Options, const Thresholds &Least);

} // namespace ergon
