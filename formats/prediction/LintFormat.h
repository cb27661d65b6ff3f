//===- LintFormat.h - documents of lint -------------------------*- C++ -*-===//
//
// A report as `ergon-lint/1`, as SARIF 2.1.0 (OASIS) and as JUnit's XML, and known findings with
// what they cost, `ergon-baseline/1`. Equal reports give equal bytes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"
#include "model/lint/Finding.h"

#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// `ergon-lint/1`: findings, suppressed ones and notes in the report's order.
std::string writeLint(const LintReport &Report);

/// Names all of \p Rules. GitHub takes at most 25,000 results of a run: further ones are left out,
/// the least severe first.
std::string writeSarif(const LintReport &Report, std::span<const LintRule> Rules,
                       std::string_view Version);

/// A test for each finding: failed where it is new and nothing suppresses it. One for each check
/// that could not be done: failed, or skipped where that is allowed.
std::string writeJunit(const LintReport &Report);

/// Findings that are accepted, and what they cost when they were.
struct Baseline {
  std::string Machine;           ///< empty: no costs are known
  std::vector<std::string> Sets; ///< NAME=VALUE for which the costs are
  struct Known {
    std::string Content;          ///< empty where it is not known
    std::optional<Saving> Excess; ///< where it is known
  };
  std::map<std::string, Known> Findings; ///< by fingerprint
};

/// `ergon-baseline/1`: all findings but budgets, in the report's order.
std::string writeBaseline(const LintReport &Report);
/// Fingerprints alone are enough. Error: no baseline, or one of another version.
std::expected<Baseline, Error> parseBaseline(std::string_view Text);

} // namespace ergon
