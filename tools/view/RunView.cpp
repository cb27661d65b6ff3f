//===- RunView.cpp - a run on one screen ----------------------------------===//

#include "tools/view/RunView.h"
#include "formats/json/PlainText.h"
#include "formats/prediction/Demangle.h"
#include "predict/store/RecordStore.h" // baseName
#include "predict/text/Text.h"
#include "tools/base/RateOptions.h"
#include "tools/base/Terminal.h"
#include "tools/view/MeasuredView.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ergon {

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// A bar of at most \p Width characters.
static std::string bar(double Share, unsigned Width) {
  static constexpr const char *Eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto Parts = unsigned(std::lround(std::clamp(Share, 0.0, 1.0) * 8 * Width));
  std::string Result;
  for (unsigned I = 0; I != Parts / 8; ++I)
    Result += "█";
  Result += Eighths[Parts % 8];
  const unsigned Used = Parts / 8 + (Parts % 8 != 0);
  return Result + std::string(Width - Used, ' ');
}

static std::string oneOf(std::size_t Number, const char *One, const char *Several) {
  return fmt::format("{} {}", Number, Number == 1 ? One : Several);
}

/// The number of characters, of which one may be several bytes.
static std::size_t widthOf(std::string_view Text) {
  return std::size_t(
      std::ranges::count_if(Text, [](unsigned char C) { return (C & 0xC0U) != 0x80; }));
}

/// \p Text in at most \p Width characters.
static std::string shortened(const std::string &Text, std::size_t Width) {
  if (widthOf(Text) <= Width)
    return Text;
  std::size_t End = 0, Number = 0;
  for (; End != Text.size(); ++End)
    if ((static_cast<unsigned char>(Text[End]) & 0xC0U) != 0x80 && ++Number == Width)
      break;
  return Text.substr(0, End) + "…";
}

static std::string padLeft(const std::string &Text, std::size_t Width) {
  return std::string(Width - std::min(Width, widthOf(Text)), ' ') + Text;
}

std::string noteLine(std::string_view Word, std::string_view Text) {
  return fmt::format("  {:<11}  {}", Word, Text);
}

/// `1000`, `2.5e+06`
static std::string callsText(const Rational &Calls) {
  if (Calls.sign() == 0)
    return "";
  if (Calls.isInteger() && Calls < Rational(10'000'000))
    return Calls.get_str();
  return fmt::format("{:.3g}", Calls.get_d());
}

static std::string place(const SourceLocation &L, const RunTitle &Title) {
  std::string Text = SourceLocation{L.File, L.Line}.text();
  if (!Title.Directory.empty() && Text.starts_with(Title.Directory + "/"))
    Text.erase(0, Title.Directory.size() + 1);
  static constexpr std::size_t MaxPlace = 44;
  const std::size_t Cut =
      Text.size() <= MaxPlace ? std::string::npos : Text.find('/', Text.size() - MaxPlace);
  return Cut == std::string::npos ? Text : "…" + Text.substr(Cut);
}

void printLines(const TextLines &Lines) {
  for (const std::string &Line : Lines)
    fmt::print("{}\n", Line);
}

//===----------------------------------------------------------------------===//
// Head
//===----------------------------------------------------------------------===//

TextLines headLines(const ProgramProfile &Profile, const RunTitle &Title, bool Colored,
                    const TextLines &Below) {
  const PredictionDocument &Whole = Profile.Whole;
  const bool IsWhole = Profile.Scope == RunScope::All;
  TextLines Lines = {
      fmt::format("{}{}{}{}", styled(Title.Program, Style::Bold, Colored),
                  Whole.Machine.empty() ? "" : " on " + Whole.Machine, at(Whole.Clocks),
                  IsWhole                           ? ""
                  : Profile.Scope == RunScope::Host ? ", the host alone"
                                                    : ", kernels and transfers alone"),
      ""};
  std::vector<std::string> Parts;
  if (Whole.OnMachine && IsWhole) {
    if (Whole.OnMachine->hasEnergy())
      Parts.push_back(shortInterval(Whole.OnMachine->EnergyJ, "J"));
    Parts.push_back(shortInterval(Whole.OnMachine->TimeS, "s"));
    if (Whole.OnMachine->hasEnergy())
      Parts.push_back(shortQuantity(Whole.OnMachine->PowerW.Value, "W"));
    Parts.push_back("bound by " + Whole.OnMachine->Bound);
  } else if (Profile.hasTime()) {
    if (Profile.hasEnergy())
      Parts.push_back(shortQuantity(Profile.Sum.EnergyJ, "J"));
    Parts.push_back(IsWhole && Whole.Time ? shortInterval(Whole.timeS(), "s")
                                          : shortQuantity(Profile.Sum.TimeS, "s"));
    if (Whole.Time && IsWhole)
      Parts.push_back("bound by " + Whole.Time->Bound);
  } else
    Parts.push_back(shortQuantity(Profile.Sum.Size, "operations and bytes"));
  std::string Line;
  for (const std::string &Part : Parts)
    Line += (Line.empty() ? "  " : "     ") + Part;
  Lines.push_back(styled(Line, Style::Bold, Colored));
  Lines.insert(Lines.end(), Below.begin(), Below.end());
  if (Whole.OnMachine && Whole.OnMachine->hasEnergy() && Whole.Rates.isGiven())
    Lines.push_back("  " + ratesText(Whole.Rates, Whole.OnMachine->EnergyJ.Value));
  for (std::string &Measured : measuredLines(Whole.Measured, Whole.MeasureNext))
    Lines.push_back(std::move(Measured));
  Lines.push_back(Whole.Estimates.empty()
                      ? "  no unknown is estimated"
                      : fmt::format("  {} estimated, in {} of the answer",
                                    oneOf(Whole.Estimates.size(), "unknown is", "unknowns are"),
                                    shareText(Profile.EstimatedShare)));
  if (Whole.OnMachine && !Whole.OnMachine->NotCovered.empty() && Profile.Scope != RunScope::Kernels)
    Lines.emplace_back("  the host's code has no time and energy: the profile is of the processor "
                       "that runs the kernels");
  if (!Whole.NotPriced.empty())
    Lines.push_back(fmt::format("  energy{} not known: the profile has no cost for {}",
                                Profile.hasTime() ? " is" : " and time are",
                                joined(Whole.NotPriced)));
  Lines.emplace_back();
  return Lines;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static constexpr std::size_t MaxName = 44;
static constexpr unsigned BarWidth = 10;

/// `std::sort<…>`: a function without its parameters and the type that it returns, and without
/// template arguments where these are long.
static std::string rowName(const std::string &Demangled) {
  const std::string Name(baseName(Demangled));
  if (Name.size() <= MaxName)
    return Name;
  std::string Result;
  int Depth = 0;
  for (std::size_t I = 0; I != Name.size(); ++I) {
    const bool IsOperator = std::string_view(Name).substr(0, I).ends_with("operator") ||
                            std::string_view(Name).substr(0, I).ends_with("operator<") ||
                            (I && Name[I - 1] == '-');
    if (Name[I] == '>' && !IsOperator && Depth > 0 && --Depth == 0)
      Result += "…>";
    else if (Depth == 0)
      Result += Name[I];
    if (Name[I] == '<' && !IsOperator)
      ++Depth;
  }
  return Depth == 0 ? Result : Name;
}

namespace {
/// A table of rows.
class RowTable {
public:
  RowTable(const ProgramProfile &Profile, const RowColumns &Columns)
      : Profile(Profile), Columns(Columns), All(Profile.measure(Profile.Sum)) {}
  double share(const PartCost &C) const { return All > 0 ? Profile.measure(C) / All : 0; }
  std::string head() const;
  std::string row(const ProfileRow &Row, std::string Name, const std::string &Where) const;
  std::string rest(std::size_t First) const;
  std::size_t NameWidth = 24;

private:
  const ProgramProfile &Profile;
  const RowColumns &Columns;
  const double All;

  std::string line(const PartCost &Self, const PartCost *Total, const std::string &Calls,
                   const std::string &Bound, const std::string &Name, const std::string &Where,
                   bool IsEstimated) const;
};
} // namespace

std::string RowTable::head() const {
  std::string Line = "  ";
  if (Profile.hasEnergy())
    Line += fmt::format("{:>9} ", "energy");
  else if (!Profile.hasTime())
    Line += fmt::format("{:>9} ", "size");
  if (Profile.hasTime())
    Line += fmt::format("{:>9} ", "time");
  Line += fmt::format("{:>6}  {:<{}} ", "share", "", BarWidth);
  if (Columns.Calls)
    Line += fmt::format("{:>6} {:>8}  ", "total", "calls");
  if (Profile.hasTime())
    Line += fmt::format("{:<11}", "bound");
  return Line + fmt::format("{:<{}}  {}", Columns.Name, NameWidth, "where");
}

std::string RowTable::line(const PartCost &Self, const PartCost *Total, const std::string &Calls,
                           const std::string &Bound, const std::string &Name,
                           const std::string &Where, bool IsEstimated) const {
  std::string Line = "  ";
  auto Add = [&](double Value, const char *Unit) {
    Line += padLeft((IsEstimated && Value != 0 ? "~" : "") + shortQuantity(Value, Unit), 9) + " ";
  };
  if (Profile.hasEnergy())
    Add(Self.EnergyJ, "J");
  else if (!Profile.hasTime())
    Add(Self.Size, "");
  if (Profile.hasTime())
    Add(Self.TimeS, "s");
  Line += fmt::format("{:>4.0f} %  {} ", 100 * share(Self), bar(share(Self), BarWidth));
  if (Columns.Calls)
    Line += fmt::format("{:>6} {:>8}  ", Total ? fmt::format("{:.0f} %", 100 * share(*Total)) : "",
                        Calls);
  if (Profile.hasTime())
    Line += fmt::format("{:<11}", Bound);
  Line += Name;
  if (!Where.empty())
    Line += std::string(NameWidth - std::min(NameWidth, widthOf(Name)), ' ') + "  " + Where;
  while (Line.ends_with(' '))
    Line.pop_back();
  return Line;
}

std::string RowTable::row(const ProfileRow &Row, std::string Name, const std::string &Where) const {
  return line(Row.Self, &Row.Total, callsText(Row.Calls), Row.Bound, Name, Where,
              Row.How == Known::Estimated);
}

/// The rows from \p First on, together.
std::string RowTable::rest(std::size_t First) const {
  PartCost Rest;
  bool IsEstimated = false;
  for (std::size_t I = First; I != Profile.Rows.size(); ++I) {
    Rest += Profile.Rows[I].Self;
    IsEstimated |= Profile.Rows[I].How == Known::Estimated && share(Profile.Rows[I].Self) > 0;
  }
  return line(Rest, nullptr, "", "", oneOf(Profile.Rows.size() - First, "other", "others"), "",
              IsEstimated);
}

static std::string shownName(const ProfileRow &Row) {
  const std::string Name = rowName(Row.Name);
  switch (Row.What) {
  case ProfileRow::Kind::Loop:
    return "loop in " + Name;
  case ProfileRow::Kind::Kernel:
    return Name + " (kernel)";
  case ProfileRow::Kind::Library:
    return Name + " (library)";
  default:
    return Row.What == ProfileRow::Kind::Transfer ? Row.Name : Name;
  }
}

TextLines rowLines(const ProgramProfile &Profile, const RunTitle &Title, const RowColumns &Columns,
                   std::size_t Most, bool Colored, const SourceText &TextAt) {
  static constexpr double Matters = 0.01;
  static constexpr std::size_t AlwaysShown = 5;
  RowTable Table(Profile, Columns);
  std::vector<std::string> Names;
  for (const ProfileRow &Row : Profile.Rows) {
    const double Share = Table.share(Row.Self);
    if (Names.size() == Most || Share <= 0 || (Share < Matters && Names.size() >= AlwaysShown))
      break;
    const bool IsCode = Row.What == ProfileRow::Kind::Loop || Row.What == ProfileRow::Kind::Line;
    std::string Text = TextAt && IsCode ? TextAt(Row.Where) : "";
    Names.push_back(Text.empty() ? shownName(Row) : shortened(Text, MaxName));
    Table.NameWidth = std::max(Table.NameWidth, std::min(MaxName, widthOf(Names.back())));
  }
  TextLines Lines = {styled(Table.head(), Style::Bold, Colored)};
  for (std::size_t I = 0; I != Names.size(); ++I)
    Lines.push_back(
        Table.row(Profile.Rows[I], std::move(Names[I]), place(Profile.Rows[I].Where, Title)));
  if (Names.size() != Profile.Rows.size())
    Lines.push_back(Table.rest(Names.size()));
  return Lines;
}

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

/// What to do, of a finding's message: `what is wrong: what to do`.
static std::string remedyIn(const std::string &Message) {
  const std::size_t Colon = Message.rfind(": ");
  return plainText(Colon == std::string::npos ? Message : Message.substr(Colon + 2));
}

static void addAdvice(const ProgramProfile &Profile, const RunTitle &Title, bool IsWhole,
                      TextLines &Lines) {
  const std::size_t Most = IsWhole ? 10 : 2;
  std::size_t Shown = 0;
  bool IsSaving = false;
  for (const Advice &A : Profile.Advised) {
    if (Shown++ == Most)
      break;
    std::string Amount, Word;
    if (A.What.Saved) {
      Word = IsSaving ? "" : "saves most";
      IsSaving = true;
      std::vector<std::string> Saves;
      if (Profile.hasEnergy() && A.What.Saved->EnergyJ > 0)
        Saves.push_back("−" + shortQuantity(A.What.Saved->EnergyJ, "J"));
      if (A.What.Saved->TimeS > 0)
        Saves.push_back("−" + shortQuantity(A.What.Saved->TimeS, "s"));
      Amount = joined(Saves);
    } else {
      Word = IsSaving || Shown > 1 ? "" : "may save";
      Amount = fmt::format("a part of {:.0f} %", 100 * A.Share);
    }
    Lines.push_back(noteLine(
        Word,
        fmt::format("{}  {}: {} [{}]",
                    Amount + std::string(18 - std::min<std::size_t>(18, widthOf(Amount)), ' '),
                    place(A.What.Location, Title), remedyIn(A.What.Message), A.What.Rule)));
  }
}

static void addEstimates(const PredictionDocument &Whole, bool IsWhole, TextLines &Lines) {
  const std::size_t Most = IsWhole ? 5 : 2;
  std::size_t Shown = 0;
  const auto &All = Whole.Estimates;
  if (All.size() > 1 && !All.front().IsMinor && All.front().Spread == All.back().Spread) {
    Lines.push_back(
        noteLine("uncertain",
                 fmt::format("{} unknowns, too many to compare; run the program once: ergon run",
                             All.size())));
    return;
  }
  auto Text = [](const Rational &Value) {
    return Value.isInteger() ? Value.get_str() : fmt::format("{:.3g}", Value.get_d());
  };
  for (const SymbolEstimate &E : Whole.Estimates) {
    if (E.IsMinor || Shown == Most)
      break;
    Lines.push_back(noteLine(Shown ? "" : "uncertain",
                             fmt::format("{:>3.0f} % of the spread: {} is estimated at {} ({} {})",
                                         100 * E.Spread, E.What.Symbol, Text(E.Value), Text(E.Low),
                                         E.High ? "to " + Text(*E.High) : "or more")));
    ++Shown;
  }
  if (Shown)
    Lines.push_back(noteLine("", "bind them: ergon run, or --set NAME=VALUE"));
}

static void addLeftOut(const PredictionDocument &Whole, bool IsWhole, TextLines &Lines) {
  if (Whole.Counts.LeftOut.empty())
    return;
  const std::size_t Most = IsWhole ? 12 : 4;
  std::vector<std::string> Names;
  for (const auto &[Name, Times] : Whole.Counts.LeftOut) {
    if (Names.size() == Most)
      break;
    const std::string Callee =
        shortName(Name.substr(Name.starts_with("call:") ? Name.find(':') + 1 : 0));
    const auto Number = Times.constant();
    Names.push_back(
        Number && *Number == Rational(1)
            ? Callee
            : fmt::format("{} ({} times)", Callee, Number ? callsText(*Number) : toPretty(Times)));
  }
  const std::size_t Others = Whole.Counts.LeftOut.size() - Names.size();
  Lines.push_back(noteLine("left out", joined(Names) +
                                           (Others ? fmt::format(" and {} more", Others) : "") +
                                           ": calls of unknown cost"));
}

TextLines noteLines(const ProgramProfile &Profile, const RunTitle &Title, bool IsWhole) {
  TextLines Lines;
  addAdvice(Profile, Title, IsWhole, Lines);
  addEstimates(Profile.Whole, IsWhole, Lines);
  addLeftOut(Profile.Whole, IsWhole, Lines);
  std::size_t Missing = 0;
  for (const auto &[Function, What] : Profile.NotEvaluated) {
    if (!IsWhole && ++Missing > 2) {
      Lines.push_back(noteLine("", fmt::format("and {} more", Profile.NotEvaluated.size() - 2)));
      break;
    }
    Lines.push_back(
        noteLine("missing", fmt::format("{}: a formula has no value: {}", Function, What)));
  }
  return Lines;
}

} // namespace ergon
