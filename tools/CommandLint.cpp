//===- CommandLint.cpp - ergon lint ---------------------------------------===//

#include "formats/LintFormat.h"
#include "model/Lint.h"
#include "tools/LintFindings.h"
#include "tools/SampleStore.h"
#include "tools/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ergon {

/// `2·n times, saves 3 mJ and 2 µs`; nothing of what is not known.
static std::string effectOf(const Finding &Of) {
  static constexpr std::size_t MaxSize = 60; // about three lines
  std::string Result;
  if (Of.Times.size() <= MaxSize && Of.Times != Expr(1))
    Result = toPretty(splitConditions(Of.Times).Formula) + " times";
  if (Of.Saved)
    Result += fmt::format(
        "{}{} {}, {} {}", Result.empty() ? "" : ": ", Of.Saved->EnergyJ < 0 ? "costs" : "saves",
        quantity(std::abs(Of.Saved->EnergyJ), "J"), Of.Saved->TimeS < 0 ? "costs" : "saves",
        quantity(std::abs(Of.Saved->TimeS), "s"));
  return Result;
}

static bool isShown(const Finding &Of) { return Of.IsNew && !Of.Suppressed; }

static void printText(const LintReport &Of) {
  std::size_t Shown = 0, Known = 0, Suppressed = 0;
  for (const Finding &Each : Of.Findings) {
    Suppressed += Each.Suppressed.has_value();
    Known += !Each.IsNew && !Each.Suppressed;
    if (!isShown(Each))
      continue;
    ++Shown;
    fmt::print("{}: {}: {} [{}]\n", Each.At.text(), name(Each.How), Each.Message, Each.Rule);
    const std::string Effect = effectOf(Each);
    fmt::print("    in {}{}\n", Each.Function, Effect.empty() ? "" : ", " + Effect);
  }
  fmt::print("{} finding{}", Shown, Shown == 1 ? "" : "s");
  if (Known)
    fmt::print(", {} known", Known);
  if (Suppressed)
    fmt::print(", {} suppressed", Suppressed);
  fmt::print("\n");
  if (!Of.Unbound.empty())
    fmt::print("what some would save is not known without {}\n", joined(Of.Unbound));
}

/// A cell of a table: no bars, no markup of its own.
static std::string cell(std::string_view Text) {
  std::string Result;
  for (char C : Text) {
    if (std::string_view("|<>&*_[]\\").find(C) != std::string_view::npos)
      Result += '\\';
    Result += C;
  }
  return Result;
}

static std::string markdownOf(const LintReport &Of) {
  std::string Rows;
  std::size_t Shown = 0;
  for (const Finding &Each : Of.Findings)
    if (isShown(Each)) {
      ++Shown;
      Rows += fmt::format("| {} | {} | {} | {} | {} |\n", cell(Each.At.text()), Each.Rule,
                          cell(Each.Function), cell(Each.Message), cell(effectOf(Each)));
    }
  std::string Result = fmt::format("### Ergon: {} new finding{}\n", Shown, Shown == 1 ? "" : "s");
  if (Shown)
    Result +=
        "\n| place | rule | function | what | effect |\n| --- | --- | --- | --- | --- |\n" + Rows;
  return Result;
}

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

int runLint(const LintOptions &Options) {
  auto Report = findingsOf(Options);
  if (!Report)
    return complain(Report.error());
  if (!Options.Baseline.empty())
    if (auto Bad = compareWith(Options.Baseline, *Report))
      return complain(*Bad);
  using Writer = std::string (*)(const LintReport &);
  const std::pair<const std::string &, Writer> Files[] = {
      {Options.WriteBaseline, &writeBaseline},
      {Options.Sarif,
       [](const LintReport &Of) { return writeSarif(Of, lintRules(), ERGON_VERSION); }},
      {Options.Junit, &writeJunit},
      {Options.Markdown, &markdownOf}};
  for (const auto &[Path, Write] : Files)
    if (!Path.empty())
      if (auto Written = writeTextFile(Path, Write(*Report)); !Written)
        return complain(Written.error());
  if (Options.Json)
    fmt::print("{}", writeLint(*Report));
  else
    printText(*Report);
  for (const std::string &Each : Report->Changed)
    complain(
        {"it has changed since it was recorded, so the lines of its findings are those of then", "",
         "compile it again", Each});
  if (!Report->Changed.empty())
    return BadInput;
  const auto Least = findingLevel(Options.FailOn);
  const bool Fails = Least && std::ranges::any_of(Report->Findings, [&](const Finding &Each) {
                       return isShown(Each) && Each.How >= *Least;
                     });
  return Fails ? Findings : Done;
}

} // namespace ergon
