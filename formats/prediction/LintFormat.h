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

/// The page of a rule, as Markdown: a heading, a paragraph that says what the rule is, and more.
struct RulePage {
  std::string_view Id, Text;
};

/// What a log says of the tool and its rules.
struct SarifTool {
  std::string_view Version;
  std::span<const LintRule> Rules;
  std::span<const RulePage> Pages;
  std::string DocsUrl; ///< where the pages are served, `rules/ID/` below it; empty: not known
};

/// Names all rules. GitHub takes at most 25,000 results of a run: further ones are left out,
/// the least severe first.
std::string writeSarif(const LintReport &Report, const SarifTool &Tool);

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
