//===- Finding.h - what lint has to say -------------------------*- C++ -*-===//
//
// A rule's finding: a place in the source, what is wrong there, how often it runs, and what a
// change would save. Rules make findings, views print them.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_LINT_FINDING_H
#define ERGON_MODEL_LINT_FINDING_H

#include "model/program/Function.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// How bad, the least first.
enum class FindingLevel { Note, Warning, Error };
std::string_view name(FindingLevel Level); ///< `note`, `warning`, `error`
std::optional<FindingLevel> findingLevel(std::string_view Name);

/// One row of the table of rules.
struct LintRule {
  std::string_view Id; ///< `double-promotion`; also the page `docs/rules/ID.md`
  FindingLevel Default;
  std::string_view Summary; ///< one line, no full stop: `operation in double because of a literal`
};

/// What stands in the place of the columns [Column, EndColumn) of the finding's line then.
struct FixIt {
  unsigned Column, EndColumn;
  std::string Text;
};

/// What a change saves in one run of the entry, by prediction.
struct Saving {
  double TimeS, EnergyJ;
};

struct Finding {
  std::string Rule; ///< its id
  FindingLevel How;
  SourceLocation Location; ///< to the column; the file as the record has it, then as it is shown
  std::string Function;    ///< demangled
  std::string Mangled;
  std::string Message;                  ///< what is wrong and what to do, one line
  std::vector<std::string> Causes = {}; ///< what it comes from, a line each
  Expr Times = 1;                       ///< how often it happens in one call of the function
  Counts Saves = {};                    ///< what that costs of each class, all times together
  std::optional<Saving> Saved = {};     ///< where a machine and all values are known
  std::optional<std::string> Text = {}; ///< the line, where the source can be read
  std::optional<FixIt> Fix = {};
  std::string Fingerprint = {};               ///< the same when only other lines change
  std::optional<std::string> Suppressed = {}; ///< the reason that the source gives
  bool IsNew = true;                          ///< not in the baseline
};

/// What `ergon lint` found, in the order in which it is shown: by file, line, column, rule.
struct LintReport {
  std::vector<Finding> Findings;
  std::string Machine;                   ///< empty: none was given
  std::vector<std::string> Unbound = {}; ///< symbols that kept savings from being known
  /// Files that have changed since they were recorded: nothing of their text is in the findings.
  std::vector<std::string> Changed = {};
  /// What was to be looked at and could not be, and why: `the budget of f: no machine is given`.
  std::vector<std::string> NotChecked = {};
  /// Of these, records and functions that cannot be read: findings may be missing.
  std::vector<std::string> Damaged = {};
};

} // namespace ergon

#endif
