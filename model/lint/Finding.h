//===- Finding.h - findings of lint -----------------------------*- C++ -*-===//
//
// A rule's finding: a source position, what is wrong there, how often it runs, and what a change
// would save. Rules produce findings, views print them.
//
//===----------------------------------------------------------------------===//
#pragma once

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

/// The replacement of the columns [Column, EndColumn) of the finding's line.
struct FixIt {
  unsigned Column, EndColumn;
  std::string Text;
};

/// The predicted saving of a change in one run of the entry.
struct Saving {
  double TimeS, EnergyJ;
  bool IsEstimated = false; ///< estimates stand for symbols without a value
};

/// One more position of a finding.
struct FindingPlace {
  SourceLocation Location;
  std::string Fingerprint;
};

struct Finding {
  std::string Rule; ///< its id
  FindingLevel How;
  SourceLocation Location; ///< to the column; the file as in the record, then as displayed
  std::string Function;    ///< demangled
  std::string Mangled;
  std::string Message;                  ///< what is wrong and what to do, one line
  std::vector<std::string> Causes = {}; ///< its causes, a line each
  SourceLocation Loop = {};             ///< the innermost loop around it; invalid outside of loops
  Expr Times = 1;                       ///< how often it happens in one call of the function
  Counts Saves = {};                    ///< counts of each class, over all times
  /// Of the bytes of cache lines that its accesses fetch, the share that nothing uses: 0 to 1.
  double Unused = 0;
  std::optional<Saving> Saved = {};     ///< where a machine is known
  /// Why a change saves no time, no energy, or why it is not known what it saves; clauses.
  std::string NoTime = {}, NoEnergy = {}, NotKnown = {};
  std::string Object = {};               ///< of a rule on accesses: the object that they go to
  std::vector<FindingPlace> Others = {}; ///< further accesses of the object
  std::optional<std::string> Text = {};  ///< the source line, if readable
  std::optional<FixIt> Fix = {};
  std::string Fingerprint = {}; ///< unchanged when only other lines change
  std::string Content = {};     ///< of rule and code alone; empty where the text is not known
  std::optional<std::string> Suppressed = {}; ///< the reason that the source gives
  bool IsNew = true;                          ///< not in the baseline, or worse than there
  bool IsWorse = false;                       ///< in the baseline with a smaller cost
};

/// What the finding costs: what its change would save, or how much more a regression takes.
std::optional<Saving> excessOf(const Finding &F);

/// A check that was asked for and could not be done.
struct UncheckedRule {
  std::string Rule; ///< the rule that would have found something
  std::string Text; ///< what, and why: `the budget of f: no machine is given`
  FindingLevel How = FindingLevel::Error;
  bool IsAllowed = false; ///< it does not fail the gate
};

/// Code of third parties, which the user cannot change.
inline bool isForeign(const Finding &F) {
  return F.Location.File.starts_with("/usr/") || !F.Location.isValid();
}

/// Findings of `ergon lint` in display order: by file, line, column, rule.
struct LintReport {
  std::vector<Finding> Findings;
  std::string Machine;      ///< empty: none was given
  bool IsEstimated = false; ///< savings are
  std::vector<std::string> Unbound =
      {}; ///< symbols without which savings are estimated, or unknown
  /// Files changed since they were recorded: findings show none of their text.
  std::vector<std::string> Changed = {};
  std::vector<std::string> Sets = {}; ///< NAME=VALUE of the run, sorted
  std::size_t Unchanged = 0;          ///< findings left out, in lines that no change touched
  /// What could not be read or compared, and why.
  std::vector<std::string> NotChecked = {};
  std::vector<UncheckedRule> Unchecked = {};
  /// Unreadable records and functions: findings may be missing.
  std::vector<std::string> Damaged = {};

  /// Unchecked and NotChecked as texts.
  std::vector<std::string> openTexts() const;
};

} // namespace ergon
