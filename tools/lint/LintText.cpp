//===- LintText.cpp - findings for people ---------------------------------===//

#include "tools/lint/LintText.h"
#include "formats/json/PlainText.h"
#include "predict/text/Text.h"
#include "tools/base/Terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

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

/// `saves 3 mJ`, `costs 3 mJ`, or that there is none, and \p Why.
static std::string partOf(const Finding &F, double Saved, const char *Unit, const char *Quantity,
                          const std::string &Why) {
  if (Saved != 0)
    return fmt::format("{} {}", Saved < 0 ? "costs" : "saves", quantity(std::abs(Saved), Unit));
  if (F.Rule == "regression" || F.Rule == "improvement")
    return fmt::format("takes as much {}", Quantity);
  return fmt::format("no saving in {}{}{}", Quantity, Why.empty() ? "" : ": ", Why);
}

/// `2·n times: saves 3 mJ, saves 2 µs`, or the counts; nothing of what is not known.
static std::string effectOf(const Finding &F) {
  std::string Times, Saves;
  if (F.Times.size() <= MaxSize && F.Times != Expr(1))
    Times = toPretty(splitConditions(F.Times).Formula) + " times";
  if (F.Saved)
    Saves = partOf(F, F.Saved->EnergyJ, "J", "energy", F.NoEnergy) + ", " +
            partOf(F, F.Saved->TimeS, "s", "time", F.NoTime) +
            (F.Saved->IsEstimated ? " (estimated)" : "");
  else
    Saves = countsOf(F.Saves);
  if (!F.NotKnown.empty())
    Saves += (Saves.empty() ? "" : "; ") + ("joules and seconds are not known: " + F.NotKnown);
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

/// `and 3 more accesses of `x`: lines 7, 9, a.h:3`; empty where there are none.
static std::string othersOf(const Finding &F, bool WithLines) {
  if (F.Others.empty())
    return "";
  std::string Result = fmt::format("and {} more access{} of `{}`", F.Others.size(),
                                   F.Others.size() == 1 ? "" : "es", plainText(F.Object));
  if (!WithLines)
    return Result;
  std::vector<std::string> Places;
  for (const FindingPlace &P : F.Others) {
    std::string Place = P.Location.File == F.Location.File
                            ? std::to_string(P.Location.Line)
                            : plainText(P.Location.File) + ":" + std::to_string(P.Location.Line);
    if (std::ranges::find(Places, Place) == Places.end())
      Places.push_back(std::move(Place));
  }
  static constexpr std::size_t Most = 8;
  const std::size_t Left = Places.size() > Most ? Places.size() - Most : 0;
  Places.resize(Places.size() - Left);
  return Result + (Places.size() == 1 ? ": line " : ": lines ") + joined(Places) +
         (Left ? fmt::format(" and {} more", Left) : "");
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
  if (!F.Others.empty())
    Result += fmt::format("{} {} {}\n", Place, levelText(FindingLevel::Note, Colored),
                          othersOf(F, /*WithLines=*/true));
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
  if (Report.Unchanged)
    Result += fmt::format(", {} in lines that did not change", Report.Unchanged);
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
      Rows += fmt::format(
          "| {} | {} | {} | {} | {} |\n", cell(F.Location.text()), F.Rule, cell(F.Function),
          cell(F.Message + (F.Others.empty() ? "" : ", ") + othersOf(F, false)), cell(effectOf(F)));
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
