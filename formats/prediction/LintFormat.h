//===- LintFormat.h - documents of lint -------------------------*- C++ -*-===//
//
// A report as `ergon-lint/1`, as SARIF 2.1.0 (OASIS) and as JUnit's XML, and the fingerprints of
// known findings, `ergon-baseline/1`. Equal reports give equal bytes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"
#include "model/lint/Finding.h"

#include <expected>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace ergon {

/// `ergon-lint/1`: findings, suppressed ones and notes in the report's order.
std::string writeLint(const LintReport &Report);

/// Names all of \p Rules. GitHub takes at most 25,000 results of a run: further ones are left out,
/// the least severe first.
std::string writeSarif(const LintReport &Report, std::span<const LintRule> Rules,
                       std::string_view Version);

/// A test for each finding: failed where it is new and nothing suppresses it.
std::string writeJunit(const LintReport &Report);

/// `ergon-baseline/1`: the fingerprints of all findings, in the report's order.
std::string writeBaseline(const LintReport &Report);
/// The fingerprints. Error: no baseline, or one of another version.
std::expected<std::set<std::string>, Error> parseBaseline(std::string_view Text);

} // namespace ergon
