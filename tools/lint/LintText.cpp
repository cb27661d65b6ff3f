//===- LintText.cpp - findings for people ---------------------------------===//

#include "tools/lint/LintText.h"
#include "formats/json/PlainText.h"
#include "predict/text/Text.h"
#include "tools/base/Terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace ergon {

static constexpr std::size_t MaxSize = 60; // of a formula: about three lines

/// `saves n flops_f64 for n flops_f32`: what goes away, for what comes in its place. Empty where
/// a formula is too long.
static std::string countsOf(const Counts &Saves) {
  std::string Less, More;
  for (const auto &[Class, Amount] : Saves) {
    if (Amount.size() > MaxSize)
      return "";
    const Expr Formula = splitConditions(Amount).Formula;
    const bool IsLess = !toPretty(Formula).starts_with('-');
    std::string &Result = IsLess ? Less : More;
    Result += fmt::format("{}{} {}", Result.empty() ? "" : ", ",
                          toPretty(IsLess ? Formula : -Formula), name(Class));
  }
  return Less.empty() ? "" : "saves " + Less + (More.empty() ? "" : " for " + More);
}

/// `2·n times: saves 3 mJ, saves 2 µs`, or the counts; nothing of what is not known.
static std::string effectOf(const Finding &F) {
  std::string Times, Saves;
  if (F.Times.size() <= MaxSize && F.Times != Expr(1))
    Times = toPretty(splitConditions(F.Times).Formula) + " times";
  if (F.Saved)
    Saves = fmt::format("{} {}, {} {}", F.Saved->EnergyJ < 0 ? "costs" : "saves",
                        quantity(std::abs(F.Saved->EnergyJ), "J"),
                        F.Saved->TimeS < 0 ? "costs" : "saves",
                        quantity(std::abs(F.Saved->TimeS), "s")) +
            (F.Saved->IsEstimated ? " (estimated)" : "");
  else
    Saves = countsOf(F.Saves);
  return Times + (Times.empty() || Saves.empty() ? "" : ": ") + Saves;
}

/// The start of a line of code, blank. Characters of several bytes are one place, and tabs stay, so
/// that what comes below stands below.
static std::string blank(std::string_view Line) {
  std::string Result;
  for (char C : Line)
    if ((static_cast<unsigned char>(C) & 0xc0) != 0x80)
      Result += C == '\t' ? '\t' : ' ';
  return Result;
}

static std::string snippet(const Finding &F, bool Colored) {
  if (!F.Text)
    return "";
  const std::string Line = plainText(*F.Text);
  std::string Result = fmt::format("{:>5} | {}\n", F.Location.Line, Line);
  const auto Below = [&](unsigned Column, std::string_view What) {
    if (Column >= 1 && Column <= F.Text->size() + 1) {
      const std::string Before = plainText(std::string_view(*F.Text).substr(0, Column - 1));
      Result += fmt::format("      | {}{}\n", blank(Before), styled(What, Style::Green, Colored));
    }
  };
  if (F.Location.Column)
    Below(F.Location.Column, "^");
  if (F.Fix)
    Below(F.Fix->Column, F.Fix->Text);
  return Result;
}

static std::string levelText(FindingLevel Level, bool Colored) {
  static constexpr Style Styles[] = {Style::Cyan, Style::Magenta, Style::Red};
  return styled(fmt::format("{}:", name(Level)), Styles[std::size_t(Level)], Colored);
}

static std::string textOf(const Finding &F, bool Colored) {
  const std::string Place = styled(plainText(F.Location.text()) + ":", Style::Bold, Colored);
  std::string Result = fmt::format(
      "{} {} {}\n", Place, levelText(F.How, Colored),
      styled(fmt::format("{} [{}]", plainText(F.Message), F.Rule), Style::Bold, Colored));
  Result += snippet(F, Colored);
  const std::string Effect = effectOf(F);
  for (const std::string &Cause : F.Causes)
    Result +=
        fmt::format("{} {} {}\n", Place, levelText(FindingLevel::Note, Colored), plainText(Cause));
  return Result + fmt::format("{} {} in {}{}\n", Place, levelText(FindingLevel::Note, Colored),
                              plainText(F.Function), Effect.empty() ? "" : ", " + Effect);
}

std::string lintText(const LintReport &Report, bool Colored) {
  std::string Result;
  std::size_t Shown = 0, Known = 0, Suppressed = 0;
  for (const Finding &F : Report.Findings) {
    Suppressed += F.Suppressed.has_value();
    Known += !F.IsNew && !F.Suppressed;
    if (!isShown(F))
      continue;
    ++Shown;
    Result += textOf(F, Colored);
  }
  Result += fmt::format("{} finding{}", Shown, Shown == 1 ? "" : "s");
  if (Known)
    Result += fmt::format(", {} known", Known);
  if (Suppressed)
    Result += fmt::format(", {} suppressed", Suppressed);
  Result += '\n';
  if (!Report.Unbound.empty())
    Result += fmt::format("what some would save is {} without {}\n",
                          Report.IsEstimated ? "estimated" : "not known", joined(Report.Unbound));
  for (const std::string &Text : Report.openTexts())
    Result += fmt::format("not checked: {}\n", Text);
  return Result;
}

/// A cell of a table: no bars, no markup of its own.
static std::string cell(std::string_view Text) {
  std::string Result;
  for (char C : plainText(Text)) {
    if (std::string_view("|<>&*_[]`\\").find(C) != std::string_view::npos)
      Result += '\\';
    Result += C;
  }
  return Result;
}

std::string lintMarkdown(const LintReport &Report) {
  std::string Rows;
  std::size_t Shown = 0;
  for (const Finding &F : Report.Findings)
    if (isShown(F)) {
      ++Shown;
      Rows += fmt::format("| {} | {} | {} | {} | {} |\n", cell(F.Location.text()), F.Rule,
                          cell(F.Function), cell(F.Message), cell(effectOf(F)));
    }
  std::string Result = fmt::format("### Ergon: {} new finding{}\n", Shown, Shown == 1 ? "" : "s");
  if (Shown)
    Result +=
        "\n| place | rule | function | what | effect |\n| --- | --- | --- | --- | --- |\n" + Rows;
  for (const std::string &Text : Report.openTexts())
    Result += fmt::format("\nNot checked: {}\n", cell(Text));
  return Result;
}

} // namespace ergon
