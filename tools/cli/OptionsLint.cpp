//===- OptionsLint.cpp - options of lint ----------------------------------===//

#include "tools/cli/Options.h"

#include <CLI/CLI.hpp>

namespace ergon {

static void addLint(CLI::App &App, int &Status) {
  auto &Result = keep(LintOptions{});
  CLI::App *Linter = App.add_subcommand("lint", "what could cost less, line by line");
  addFilters(*Linter, Result.Entry);
  Linter->get_option("DIR")->required(false);
  Linter
      ->add_option("--diff", Result.Diff,
                   "OLD NEW, in the place of DIR: which functions cost more or less, and why")
      ->expected(2);
  Linter->add_option("--config", Result.Config,
                     "levels of rules, budgets, machine (default: ergon.json, where there is one)");
  Linter->add_option("--entry", Result.Entry.Entry, "one function alone, as for predict");
  addList(*Linter, "--set", Result.Sets,
          "NAME=VALUE, as for predict, for every function that has NAME: then savings "
          "have numbers");
  Linter->add_option("--machine", Result.Machine, "a shipped machine or a profile's path");
  Linter->add_option("--baseline", Result.Baseline,
                     "findings that are known: only new ones count, and those that cost more "
                     "than there; budgets are never known; a file that is missing is empty");
  Linter->add_option("--write-baseline", Result.WriteBaseline, "a file for those there are now");
  addList(*Linter, "--threshold", Result.Thresholds,
          "1%, 0.5J or 20ms: with --diff, and with --baseline, changes up to that are none. Energy "
          "and time are compared each by itself; of several thresholds each that applies has to be "
          "exceeded (% applies to both; a quantity to which none applies is not compared)");
  Linter->add_flag("--allow-unchecked", Result.AllowsUnchecked,
                   "budgets and changes that cannot be checked do not fail; they are still named");
  Linter->add_option("--changed-since", Result.ChangedSince,
                     "a revision of git: findings in lines that changed since then alone; budgets, "
                     "regressions and improvements stay");
  Linter->add_option("--sarif", Result.Sarif, "a file for SARIF 2.1.0");
  Linter->add_option("--junit", Result.Junit, "a file for JUnit's XML");
  Linter->add_option("--markdown", Result.Markdown, "a file for a comment to a pull request");
  Linter
      ->add_option("--fail-on", Result.FailOn,
                   "exit status 1 where a new finding is a note, warning or error, or above; or "
                   "never (default: warning)")
      ->check(CLI::IsMember({"note", "warning", "error", "never"}));
  Linter->add_flag(
      "--fix", Result.Fix,
      "apply the fix-its of the findings that are printed to the sources, where none has "
      "changed since it was compiled");
  addSourceRoots(*Linter, Result.SourceRoots);
  Linter->add_flag("--strict", Result.Strict,
                   "estimate nothing: what a change saves is said where all values are given");
  Linter->add_flag("--json", Result.Json, "print JSON (ergon-lint/1)");
  addExample(*Linter, "lint records --machine epyc-9654 --sarif lint.sarif --baseline known.json",
             "docs/lint.md");
  Linter->callback([&Result, &Status] { Status = runLint(Result); });
}

void addLintCommands(CLI::App &App, int &Status) { addLint(App, Status); }

} // namespace ergon
