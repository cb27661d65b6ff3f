//===- TopView.cpp - the table of ergon top -------------------------------===//

#include "tools/top/TopView.h"
#include "predict/store/RecordStore.h" // baseName
#include "predict/text/Text.h"
#include "tools/base/Terminal.h"
#include "tools/view/MeasuredView.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ergon {

/// `698 mJ`: three digits and a prefix of the SI.
static std::string shortQuantity(double Value, const char *Unit) {
  static constexpr const char *Prefixes[] = {"p", "n", "µ", "m", "", "k", "M", "G", "T", "P"};
  if (Value == 0 || !std::isfinite(Value))
    return fmt::format("{:g} {}", Value, Unit);
  const int Thousands = std::clamp(int(std::floor(std::log10(std::abs(Value)) / 3 + 1e-12)), -4, 5);
  const double Number = Value / std::pow(1000.0, Thousands);
  const int Digits = Number >= 99.95 ? 0 : Number >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}{}", Number, Digits, Prefixes[Thousands + 4], Unit);
}

/// `1.83 J  (1.62 … 2.10 J)`
static std::string withInterval(const Interval &I, const char *Unit) {
  const std::string Value = shortQuantity(I.Value, Unit), Low = shortQuantity(I.Low, Unit);
  if (std::isinf(I.High))
    return fmt::format("{}  ({} or more)", Value, Low);
  const std::string High = shortQuantity(I.High, Unit);
  return Low == High ? Value : fmt::format("{}  ({} … {})", Value, Low, High);
}

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

namespace {
class TopPrinter {
public:
  TopPrinter(const ProgramProfile &Profile, const TopTitle &Title)
      : Profile(Profile), Title(Title), Whole(Profile.Whole), All(Profile.measure(Profile.Sum)),
        Colored(useColor(stdout)) {}
  void print();

private:
  const ProgramProfile &Profile;
  const TopTitle &Title;
  const PredictionDocument &Whole;
  double All;
  bool Colored;

  double share(const PartCost &C) const { return All > 0 ? Profile.measure(C) / All : 0; }
  std::string place(const SourceLocation &L) const;
  std::string shown(const ProfileRow &Row) const;
  void printHeadline();
  void printHead(std::size_t Names);
  void printRow(const PartCost &Self, const PartCost *Total, const std::string &Calls,
                const std::string &Bound, const std::string &Name, std::size_t Names,
                const std::string &Where, bool IsEstimated);
  void printRows();
  void printEstimates();
  void printLeftOut();
};
} // namespace

static std::string oneOf(std::size_t Number, const char *One, const char *Several) {
  return fmt::format("{} {}", Number, Number == 1 ? One : Several);
}

static std::string percent(double Share) {
  const double Value = 100 * Share;
  return Value != 0 && Value < 0.05 ? "< 0.1 %" : fmt::format("{:.1f} %", Value);
}

void TopPrinter::printHeadline() {
  fmt::print("{}{}{}\n\n", styled(Title.Program, Style::Bold, Colored),
             Whole.Machine.empty() ? "" : " on " + Whole.Machine,
             Profile.Scope == RunScope::All    ? ""
             : Profile.Scope == RunScope::Host ? ", the host alone"
                                               : ", kernels and transfers alone");
  const bool IsWhole = Profile.Scope == RunScope::All;
  std::vector<std::string> Parts;
  if (Whole.OnMachine && IsWhole)
    Parts = {withInterval(Whole.OnMachine->EnergyJ, "J"), withInterval(Whole.OnMachine->TimeS, "s"),
             shortQuantity(Whole.OnMachine->PowerW.Value, "W"),
             "bound by " + Whole.OnMachine->Bound};
  else if (Profile.hasTime()) {
    if (Profile.hasEnergy())
      Parts.push_back(shortQuantity(Profile.Sum.EnergyJ, "J"));
    Parts.push_back(shortQuantity(Profile.Sum.TimeS, "s"));
    if (Whole.Time && IsWhole)
      Parts.push_back("bound by " + Whole.Time->Bound);
  } else
    Parts.push_back(shortQuantity(Profile.Sum.Size, "operations and bytes"));
  std::string Line;
  for (const std::string &Part : Parts)
    Line += (Line.empty() ? "  " : "     ") + Part;
  fmt::print("{}\n", styled(Line, Style::Bold, Colored));
  printMeasured(Whole.Measured, Whole.MeasureNext);
  if (Whole.Estimates.empty())
    fmt::print("  no unknown is estimated\n");
  else
    fmt::print("  {} estimated, in {} of the answer\n",
               oneOf(Whole.Estimates.size(), "unknown is", "unknowns are"),
               percent(Profile.EstimatedShare));
  if (Whole.OnMachine && !Whole.OnMachine->NotCovered.empty() && Profile.Scope != RunScope::Kernels)
    fmt::print("  the host's code has no time and energy: the profile is of the processor that "
               "runs the kernels\n");
  if (!Whole.NotPriced.empty())
    fmt::print("  energy{} not known: the profile has no cost for {}\n",
               Profile.hasTime() ? " is" : " and time are", joined(Whole.NotPriced));
  fmt::print("\n");
}

std::string TopPrinter::place(const SourceLocation &L) const {
  std::string Text = SourceLocation{L.File, L.Line}.text();
  if (!Title.Directory.empty() && Text.starts_with(Title.Directory + "/"))
    Text.erase(0, Title.Directory.size() + 1);
  static constexpr std::size_t MaxPlace = 44;
  const std::size_t Cut =
      Text.size() <= MaxPlace ? std::string::npos : Text.find('/', Text.size() - MaxPlace);
  return Cut == std::string::npos ? Text : "…" + Text.substr(Cut);
}

static constexpr std::size_t MaxName = 44;

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

std::string TopPrinter::shown(const ProfileRow &Row) const {
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

static constexpr unsigned BarWidth = 10;

void TopPrinter::printHead(std::size_t Names) {
  std::string Line = "  ";
  if (Profile.hasEnergy())
    Line += fmt::format("{:>9} ", "energy");
  else if (!Profile.hasTime())
    Line += fmt::format("{:>9} ", "size");
  if (Profile.hasTime())
    Line += fmt::format("{:>9} ", "time");
  Line += fmt::format("{:>6}  {:<{}} {:>6} {:>8}  ", "share", "", BarWidth, "total", "calls");
  if (Profile.hasTime())
    Line += fmt::format("{:<11}", "bound");
  Line += fmt::format("{:<{}}  {}", Profile.By == ProfileBy::Line ? "line of" : "function", Names,
                      "where");
  fmt::print("{}\n", styled(Line, Style::Bold, Colored));
}

/// The number of characters, of which one may be several bytes.
static std::size_t widthOf(std::string_view Text) {
  return std::size_t(
      std::ranges::count_if(Text, [](unsigned char C) { return (C & 0xC0U) != 0x80; }));
}

static std::string padLeft(const std::string &Text, std::size_t Width) {
  return std::string(Width - std::min(Width, widthOf(Text)), ' ') + Text;
}

void TopPrinter::printRow(const PartCost &Self, const PartCost *Total, const std::string &Calls,
                          const std::string &Bound, const std::string &Name, std::size_t Names,
                          const std::string &Where, bool IsEstimated) {
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
  Line += fmt::format("{:>4.0f} %  {} {:>6} {:>8}  ", 100 * share(Self), bar(share(Self), BarWidth),
                      Total ? fmt::format("{:.0f} %", 100 * share(*Total)) : "", Calls);
  if (Profile.hasTime())
    Line += fmt::format("{:<11}", Bound);
  Line += Name;
  if (!Where.empty())
    Line += std::string(Names - std::min(Names, widthOf(Name)), ' ') + "  " + Where;
  while (Line.ends_with(' '))
    Line.pop_back();
  fmt::print("{}\n", Line);
}

/// `1000`, `2.5e+06`
static std::string callsText(const Rational &Calls) {
  if (Calls.sign() == 0)
    return "";
  if (Calls.isInteger() && Calls < Rational(10'000'000))
    return Calls.get_str();
  return fmt::format("{:.3g}", Calls.get_d());
}

/// The rows of 1 % or more, and one for the others together.
void TopPrinter::printRows() {
  static constexpr std::size_t MaxRows = 20;
  static constexpr double Matters = 0.01;
  std::size_t Shown = 0, Names = 24;
  while (Shown != Profile.Rows.size() && Shown != MaxRows &&
         (share(Profile.Rows[Shown].Self) >= Matters ||
          (Shown < 5 && share(Profile.Rows[Shown].Self) > 0)))
    ++Shown;
  for (std::size_t I = 0; I != Shown; ++I)
    Names = std::max(Names, std::min(MaxName, widthOf(shown(Profile.Rows[I]))));
  printHead(Names);
  for (std::size_t I = 0; I != Shown; ++I) {
    const ProfileRow &Row = Profile.Rows[I];
    printRow(Row.Self, &Row.Total, callsText(Row.Calls), Row.Bound, shown(Row), Names,
             place(Row.Where), Row.How == Known::Estimated);
  }
  PartCost Rest;
  bool IsEstimated = false;
  for (std::size_t I = Shown; I != Profile.Rows.size(); ++I) {
    Rest += Profile.Rows[I].Self;
    IsEstimated |= Profile.Rows[I].How == Known::Estimated && share(Profile.Rows[I].Self) > 0;
  }
  if (const std::size_t Others = Profile.Rows.size() - Shown)
    printRow(Rest, nullptr, "", "", oneOf(Others, "other", "others"), Names, "", IsEstimated);
}

void TopPrinter::printEstimates() {
  static constexpr std::size_t MaxShown = 5;
  std::size_t Shown = 0;
  const auto &All = Whole.Estimates;
  if (All.size() > 1 && !All.front().IsMinor && All.front().Spread == All.back().Spread) {
    fmt::print("  {:<11}  {} unknowns, too many to compare; run the program once: ergon run\n",
               "uncertain", All.size());
    return;
  }
  for (const SymbolEstimate &E : Whole.Estimates) {
    if (E.IsMinor || Shown == MaxShown)
      break;
    auto Text = [](const Rational &Value) {
      return Value.isInteger() ? Value.get_str() : fmt::format("{:.3g}", Value.get_d());
    };
    fmt::print("  {:<11}  {:>3.0f} % of the spread: {} is estimated at {} ({} {})\n",
               Shown ? "" : "uncertain", 100 * E.Spread, E.What.Symbol, Text(E.Value), Text(E.Low),
               E.High ? "to " + Text(*E.High) : "or more");
    ++Shown;
  }
  if (Shown)
    fmt::print("  {:<11}  bind them: ergon run, or --set NAME=VALUE\n", "");
}

void TopPrinter::printLeftOut() {
  if (Whole.Counts.LeftOut.empty())
    return;
  static constexpr std::size_t MaxShown = 12;
  std::vector<std::string> Names;
  for (const auto &[Name, Times] : Whole.Counts.LeftOut) {
    if (Names.size() == MaxShown)
      break;
    const std::string Callee = Name.starts_with("call:") ? Name.substr(Name.find(':') + 1) : Name;
    const auto Number = Times.constant();
    Names.push_back(
        Number && *Number == Rational(1)
            ? Callee
            : fmt::format("{} ({} times)", Callee, Number ? callsText(*Number) : toPretty(Times)));
  }
  const std::size_t Others = Whole.Counts.LeftOut.size() - Names.size();
  fmt::print("  {:<11}  {}{}: calls of unknown cost\n", "left out", joined(Names),
             Others ? fmt::format(" and {} more", Others) : "");
}

void TopPrinter::print() {
  printHeadline();
  printRows();
  fmt::print("\n");
  printEstimates();
  printLeftOut();
  for (const auto &[Function, What] : Profile.NotEvaluated)
    fmt::print("  {:<11}  {}: a formula has no value: {}\n", "missing", Function, What);
}

void printTop(const ProgramProfile &Profile, const TopTitle &Title) {
  TopPrinter(Profile, Title).print();
}

} // namespace ergon
