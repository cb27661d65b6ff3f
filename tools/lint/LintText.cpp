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
    std::string &Into = IsLess ? Less : More;
    Into += fmt::format("{}{} {}", Into.empty() ? "" : ", ", toPretty(IsLess ? Formula : -Formula),
                        name(Class));
  }
  return Less.empty() ? "" : "saves " + Less + (More.empty() ? "" : " for " + More);
}

/// `2·n times: saves 3 mJ, saves 2 µs`, or the counts; nothing of what is not known.
static std::string effectOf(const Finding &Of) {
  std::string Times, Saves;
  if (Of.Times.size() <= MaxSize && Of.Times != Expr(1))
    Times = toPretty(splitConditions(Of.Times).Formula) + " times";
  if (Of.Saved)
    Saves = fmt::format("{} {}, {} {}", Of.Saved->EnergyJ < 0 ? "costs" : "saves",
                        quantity(std::abs(Of.Saved->EnergyJ), "J"),
                        Of.Saved->TimeS < 0 ? "costs" : "saves",
                        quantity(std::abs(Of.Saved->TimeS), "s"));
  else
    Saves = countsOf(Of.Saves);
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

static std::string snippet(const Finding &Of, bool Colored) {
  if (!Of.Text)
    return "";
  const std::string Line = plainText(*Of.Text);
  std::string Result = fmt::format("{:>5} | {}\n", Of.At.Line, Line);
  const auto Below = [&](unsigned Column, std::string_view What) {
    if (Column >= 1 && Column <= Of.Text->size() + 1) {
      const std::string Before = plainText(std::string_view(*Of.Text).substr(0, Column - 1));
      Result += fmt::format("      | {}{}\n", blank(Before), styled(What, Style::Green, Colored));
    }
  };
  if (Of.At.Column)
    Below(Of.At.Column, "^");
  if (Of.Fix)
    Below(Of.Fix->Column, Of.Fix->Text);
  return Result;
}

static std::string levelText(FindingLevel Of, bool Colored) {
  static constexpr Style Styles[] = {Style::Cyan, Style::Magenta, Style::Red};
  return styled(fmt::format("{}:", name(Of)), Styles[std::size_t(Of)], Colored);
}

static std::string textOf(const Finding &Of, bool Colored) {
  const std::string Place = styled(plainText(Of.At.text()) + ":", Style::Bold, Colored);
  std::string Result = fmt::format(
      "{} {} {}\n", Place, levelText(Of.How, Colored),
      styled(fmt::format("{} [{}]", plainText(Of.Message), Of.Rule), Style::Bold, Colored));
  Result += snippet(Of, Colored);
  const std::string Effect = effectOf(Of);
  for (const std::string &Each : Of.Causes)
    Result +=
        fmt::format("{} {} {}\n", Place, levelText(FindingLevel::Note, Colored), plainText(Each));
  return Result + fmt::format("{} {} in {}{}\n", Place, levelText(FindingLevel::Note, Colored),
                              plainText(Of.Function), Effect.empty() ? "" : ", " + Effect);
}

std::string lintText(const LintReport &Of, bool Colored) {
  std::string Result;
  std::size_t Shown = 0, Known = 0, Suppressed = 0;
  for (const Finding &Each : Of.Findings) {
    Suppressed += Each.Suppressed.has_value();
    Known += !Each.IsNew && !Each.Suppressed;
    if (!isShown(Each))
      continue;
    ++Shown;
    Result += textOf(Each, Colored);
  }
  Result += fmt::format("{} finding{}", Shown, Shown == 1 ? "" : "s");
  if (Known)
    Result += fmt::format(", {} known", Known);
  if (Suppressed)
    Result += fmt::format(", {} suppressed", Suppressed);
  Result += '\n';
  if (!Of.Unbound.empty())
    Result += fmt::format("what some would save is not known without {}\n", joined(Of.Unbound));
  for (const std::string &Each : Of.NotChecked)
    Result += fmt::format("not checked: {}\n", Each);
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

std::string lintMarkdown(const LintReport &Of) {
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
  for (const std::string &Each : Of.NotChecked)
    Result += fmt::format("\nNot checked: {}\n", cell(Each));
  return Result;
}

} // namespace ergon
