//===- CommandLint.cpp - ergon lint ---------------------------------------===//

#include "formats/json/TextFile.h"
#include "formats/prediction/ConfigFormat.h"
#include "formats/prediction/LintFormat.h"
#include "model/lint/Lint.h"
#include "tools/base/Terminal.h"
#include "tools/lint/LintBudgets.h"
#include "tools/lint/LintDiff.h"
#include "tools/lint/LintFindings.h"
#include "tools/lint/LintText.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace ergon {

static std::optional<Error> compareWith(const std::string &Path, LintReport &Into) {
  auto Text = readTextFile(Path);
  if (!Text)
    return Text.error();
  auto Known = parseBaseline(*Text);
  if (!Known) {
    Error Bad = Known.error();
    Bad.File = Path;
    return Bad;
  }
  for (Finding &Each : Into.Findings)
    Each.IsNew = !Known->contains(Each.Fingerprint);
  return std::nullopt;
}

/// The configuration; what the command line does not say is taken from it.
static std::expected<Config, Error> configure(LintOptions &Into) {
  static const std::string Default = "ergon.json";
  if (Into.Config.empty() && !std::filesystem::exists(Default))
    return Config();
  const std::string Path = Into.Config.empty() ? Default : Into.Config;
  auto Text = readTextFile(Path);
  if (!Text)
    return std::unexpected(Text.error());
  auto Result = parseConfig(*Text);
  if (!Result) {
    Error Bad = Result.error();
    Bad.File = Path;
    return std::unexpected(std::move(Bad));
  }
  if (Into.Machine.empty())
    Into.Machine = Result->Machine;
  if (Into.FailOn.empty())
    Into.FailOn = Result->FailOn;
  Into.Sets = joinedSets(std::move(Into.Sets), Result->Sets);
  return Result;
}

/// Levels as the configuration has them; rules that are off find nothing.
static void applyLevels(const Config &Of, LintReport &Into) {
  for (const auto &[Rule, Level] : Of.Rules) {
    if (!Level)
      std::erase_if(Into.Findings, [&](const Finding &Each) { return Each.Rule == Rule; });
    for (Finding &Each : Into.Findings)
      if (Each.Rule == Rule && Level)
        Each.How = *Level;
  }
}

int runLint(const LintOptions &Given) {
  LintOptions Options = Given;
  auto Configured = configure(Options);
  if (!Configured)
    return complain(Configured.error());
  if (Options.Diff.empty() == Options.Entry.Directory.empty())
    return complain({"one folder of records is needed, or --diff and two", "",
                     "write `ergon lint DIR`, or `ergon lint --diff OLD NEW`", "ergon lint"});
  auto Report =
      Options.Diff.empty() ? findingsOf(Options, Configured->Budgets) : differencesOf(Options);
  if (!Report)
    return complain(Report.error());
  applyLevels(*Configured, *Report);
  if (!Options.Baseline.empty())
    if (auto Bad = compareWith(Options.Baseline, *Report))
      return complain(*Bad);
  using Writer = std::string (*)(const LintReport &);
  const std::pair<const std::string &, Writer> Files[] = {
      {Options.WriteBaseline, &writeBaseline},
      {Options.Sarif,
       [](const LintReport &Of) { return writeSarif(Of, lintRules(), ERGON_VERSION); }},
      {Options.Junit, &writeJunit},
      {Options.Markdown, &lintMarkdown}};
  for (const auto &[Path, Write] : Files)
    if (!Path.empty())
      if (auto Written = writeTextFile(Path, Write(*Report)); !Written)
        return complain(Written.error());
  if (Options.Json)
    fmt::print("{}", writeLint(*Report));
  else
    fmt::print("{}", lintText(*Report, useColor(stdout)));
  for (const std::string &Each : Report->Changed)
    complain(
        {"it has changed since it was recorded, so the lines of its findings are those of then", "",
         "compile it again", Each});
  for (const std::string &Each : Report->Damaged)
    fmt::print(stderr, "ergon: {}; its findings are missing\n", Each);
  if (!Report->Changed.empty() || !Report->Damaged.empty())
    return BadInput;
  const auto Least = findingLevel(Options.FailOn.empty() ? "warning" : Options.FailOn);
  const bool Fails = Least && std::ranges::any_of(Report->Findings, [&](const Finding &Each) {
                       return isShown(Each) && Each.How >= *Least;
                     });
  return Fails ? Findings : Done;
}

} // namespace ergon
