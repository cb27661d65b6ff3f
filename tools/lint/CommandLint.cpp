//===- CommandLint.cpp - ergon lint ---------------------------------------===//

#include "formats/json/TextFile.h"
#include "formats/prediction/ConfigFormat.h"
#include "formats/prediction/LintFormat.h"
#include "model/lint/Lint.h"
#include "model/lint/Thresholds.h"
#include "predict/store/ParsedFile.h"
#include "tools/base/Terminal.h"
#include "tools/lint/ChangedLines.h"
#include "tools/lint/LintBaseline.h"
#include "tools/lint/LintBudgets.h"
#include "tools/lint/LintDiff.h"
#include "tools/lint/LintFindings.h"
#include "tools/lint/LintFixes.h"
#include "tools/lint/LintGroups.h"
#include "tools/lint/LintText.h"
#include "tools/lint/RulePages.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

namespace ergon {

/// The configuration; what the command line does not say is taken from it.
static std::expected<Config, Error> configure(LintOptions &Target) {
  static const std::string Default = "ergon.json";
  if (Target.Config.empty() && !std::filesystem::exists(Default))
    return Config();
  const std::string Path = Target.Config.empty() ? Default : Target.Config;
  auto Result = parseFile(Path, parseConfig);
  if (!Result)
    return Result;
  if (Target.Machine.empty())
    Target.Machine = Result->Machine;
  if (Target.FailOn.empty())
    Target.FailOn = Result->FailOn;
  if (Target.Thresholds.empty())
    Target.Thresholds = Result->Thresholds;
  Target.AllowsUnchecked |= Result->AllowsUnchecked;
  Target.Sets = joinedSets(std::move(Target.Sets), Result->Sets);
  return Result;
}

/// Levels as the configuration has them; rules that are off find nothing.
static void applyLevels(const Config &C, LintReport &Result) {
  for (const auto &[Rule, Level] : C.Rules) {
    if (!Level)
      std::erase_if(Result.Findings, [&](const Finding &F) { return F.Rule == Rule; });
    for (Finding &Element : Result.Findings)
      if (Element.Rule == Rule && Level)
        Element.How = *Level;
    for (UncheckedRule &Open : Result.Unchecked)
      if (Open.Rule == Rule && Level)
        Open.How = *Level;
    if (!Level)
      std::erase_if(Result.Unchecked, [&](const UncheckedRule &Open) { return Open.Rule == Rule; });
  }
}

/// Whether \p Report has something new, or something unchecked, of the level that fails.
static bool fails(const LintOptions &Options, const LintReport &Report) {
  const auto Least = findingLevel(Options.FailOn.empty() ? "warning" : Options.FailOn);
  if (!Least)
    return false;
  const auto Unchecked = std::ranges::count_if(Report.Unchecked, [&](const UncheckedRule &Open) {
    return !Open.IsAllowed && Open.How >= *Least;
  });
  if (Unchecked)
    printNotice(fmt::format("{} check{} could not be done, which fails: mend what `not checked` "
                            "names, or give --allow-unchecked",
                            Unchecked, Unchecked == 1 ? "" : "s"));
  return Unchecked || std::ranges::any_of(Report.Findings, [&](const Finding &F) {
           return isShown(F) && F.How >= *Least;
         });
}

static std::optional<Error> writeFiles(const LintOptions &Options, const Config &Configured,
                                       const LintReport &Report) {
  const SarifTool Tool{.Version = ERGON_VERSION,
                       .Rules = lintRules(),
                       .Pages = rulePages(),
                       .DocsUrl = Configured.DocsUrl};
  const std::pair<const std::string &, std::function<std::string()>> Files[] = {
      {Options.Sarif, [&] { return writeSarif(Report, Tool); }},
      {Options.Junit, [&] { return writeJunit(Report); }},
      {Options.Markdown, [&] { return lintMarkdown(Report); }}};
  for (const auto &[Path, Write] : Files)
    if (!Path.empty())
      if (auto Written = writeTextFile(Path, Write()); !Written)
        return Written.error();
  return std::nullopt;
}

int runLint(const LintOptions &Given) {
  LintOptions Options = Given;
  auto Configured = configure(Options);
  if (!Configured)
    return complain(Configured.error());
  if (Options.Diff.empty() == Options.Entry.Directory.empty())
    return complain({"one folder of records is needed, or --diff and two", "",
                     "write `ergon lint DIR`, or `ergon lint --diff OLD NEW`", "ergon lint"});
  auto Least = parseThresholds(Options.Thresholds);
  if (!Least) {
    Least.error().File = "--threshold";
    return complain(Least.error());
  }
  auto Report = Options.Diff.empty() ? findingsOf(Options, Configured->Budgets)
                                     : differencesOf(Options, *Least);
  if (!Report)
    return complain(Report.error());
  Report->Sets = Options.Sets;
  std::ranges::sort(Report->Sets);
  applyLevels(*Configured, *Report);
  for (UncheckedRule &Open : Report->Unchecked)
    Open.IsAllowed = Options.AllowsUnchecked;
  if (!Options.Baseline.empty())
    if (auto Bad = compareWithBaseline(Options.Baseline, *Least, *Report))
      return complain(*Bad);
  if (!Options.WriteBaseline.empty()) // of all findings, each by itself
    if (auto Written = writeTextFile(Options.WriteBaseline, writeBaseline(*Report)); !Written)
      return complain(Written.error());
  if (!Options.ChangedSince.empty()) {
    auto Lines = ChangedLines::since(Options.ChangedSince);
    if (!Lines)
      return complain(Lines.error());
    keepChanged(*Lines, *Report);
  }
  groupFindings(Report->Findings);
  if (auto Bad = writeFiles(Options, *Configured, *Report))
    return complain(*Bad);
  if (Options.Json)
    fmt::print("{}", writeLint(*Report));
  else
    fmt::print("{}", lintText(*Report, useColor(stdout)));
  for (const std::string &Text : Report->Changed)
    complain(
        {"it has changed since it was recorded, so the lines of its findings are those of then", "",
         "compile it again", Text});
  for (const std::string &T : Report->Damaged)
    fmt::print(stderr, "ergon: {}; its findings are missing\n", T);
  if (!Report->Changed.empty() || !Report->Damaged.empty()) {
    if (Options.Fix)
      printNotice("nothing is fixed in any file");
    return BadInput;
  }
  if (Options.Fix) {
    const auto Applied = applyFixes(*Report);
    if (!Applied)
      return complain(Applied.error());
    for (const std::string &Change : *Applied)
      printNotice(Change);
    printNotice(Applied->empty() ? "nothing to fix"
                                 : "the sources have changed: compile them again");
  }
  return fails(Options, *Report) ? Findings : Done;
}

} // namespace ergon
