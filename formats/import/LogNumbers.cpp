//===- LogNumbers.cpp - numbers and units of tools' logs ------------------===//

#include "formats/import/LogNumbers.h"
#include "formats/import/LogText.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

namespace ergon {

static bool isDigit(char C) { return C >= '0' && C <= '9'; }

/// The part of \p Cell that is written like a number, at its beginning.
static std::string_view numberPart(std::string_view Cell) {
  std::size_t End = 0;
  if (End < Cell.size() && (Cell[End] == '-' || Cell[End] == '+'))
    ++End;
  const std::size_t Digits = End;
  while (End < Cell.size() && (isDigit(Cell[End]) || Cell[End] == '.' || Cell[End] == ','))
    ++End;
  if (std::ranges::none_of(Cell.substr(Digits, End - Digits), isDigit))
    return {};
  while (Cell[End - 1] == ',') // not of the number
    --End;
  std::size_t Exponent = End;
  if (Exponent < Cell.size() && (Cell[Exponent] == 'e' || Cell[Exponent] == 'E')) {
    ++Exponent;
    if (Exponent < Cell.size() && (Cell[Exponent] == '-' || Cell[Exponent] == '+'))
      ++Exponent;
    const std::size_t First = Exponent;
    while (Exponent < Cell.size() && isDigit(Cell[Exponent]))
      ++Exponent;
    if (Exponent > First)
      End = Exponent;
  }
  return Cell.substr(0, End);
}

void NumberStyleFinder::look(std::string_view Cell) {
  std::string_view Text = numberPart(trimmed(Cell));
  Text = Text.substr(0, Text.find_first_of("eE"));
  const std::size_t Points = std::size_t(std::ranges::count(Text, '.')),
                    Commas = std::size_t(std::ranges::count(Text, ','));
  if (Points + Commas == 0)
    return;
  const std::size_t Last = Text.find_last_of(".,");
  const bool IsPoint = Text[Last] == '.';
  if (Points && Commas) { // the last one is the decimal
    (IsPoint ? HasPoint : HasComma) = true;
  } else if (Points + Commas > 1) { // groups of thousands
    (IsPoint ? HasComma : HasPoint) = true;
  } else if (Text.size() - Last - 1 != 3 || Last > 3 || Text.front() == '0') { // decimals
    (IsPoint ? HasPoint : HasComma) = true;
  } // else 1.234 or 1,234: either
}

std::optional<NumberStyle> NumberStyleFinder::found() const {
  if (HasPoint && HasComma)
    return std::nullopt;
  return HasComma ? NumberStyle::Comma : NumberStyle::Point;
}

LogNumber readNumber(std::string_view Cell, NumberStyle Style) {
  Cell = trimmed(Cell);
  const std::string_view Text = numberPart(Cell);
  if (Text.empty())
    return {std::nullopt, Cell};
  std::string Plain;
  for (const char C : Text)
    if (C == (Style == NumberStyle::Point ? '.' : ','))
      Plain += '.';
    else if (C != '.' && C != ',' && C != '+')
      Plain += C;
    else if (C == '+' && !Plain.empty()) // of an exponent
      Plain += C;
  double Value = 0;
  const char *End = Plain.data() + Plain.size();
  const auto [Read, Problem] = std::from_chars(Plain.data(), End, Value);
  if (Problem != std::errc() || Read != End || !std::isfinite(Value))
    return {std::nullopt, Cell};
  return {Value, trimmed(Cell.substr(Text.size()))};
}

std::optional<LogUnit> logUnit(std::string_view Name) {
  using enum LogQuantity;
  static constexpr std::pair<std::string_view, LogUnit> Units[] = {
      {"s", {Time, 1}},
      {"sec", {Time, 1}},
      {"second", {Time, 1}},
      {"seconds", {Time, 1}},
      {"ms", {Time, 1e-3}},
      {"msec", {Time, 1e-3}},
      {"msecond", {Time, 1e-3}},
      {"us", {Time, 1e-6}},
      {"usec", {Time, 1e-6}},
      {"usecond", {Time, 1e-6}},
      {"\xC2\xB5s", {Time, 1e-6}},
      {"\xCE\xBCs", {Time, 1e-6}},
      {"ns", {Time, 1e-9}},
      {"nsec", {Time, 1e-9}},
      {"nsecond", {Time, 1e-9}},
      {"J", {Energy, 1}},
      {"Joules", {Energy, 1}},
      {"joules", {Energy, 1}},
      {"mJ", {Energy, 1e-3}},
      {"uJ", {Energy, 1e-6}},
      {"nJ", {Energy, 1e-9}},
      {"kJ", {Energy, 1e3}},
      {"W", {Power, 1}},
      {"watts", {Power, 1}},
      {"mW", {Power, 1e-3}},
      {"kW", {Power, 1e3}},
      {"Hz", {Frequency, 1}},
      {"hz", {Frequency, 1}},
      {"KHz", {Frequency, 1e3}},
      {"kHz", {Frequency, 1e3}},
      {"MHz", {Frequency, 1e6}},
      {"Mhz", {Frequency, 1e6}},
      {"GHz", {Frequency, 1e9}},
      {"Ghz", {Frequency, 1e9}},
      {"cycle/second", {Frequency, 1}},
      {"cycle/s", {Frequency, 1}},
      {"cycle/msecond", {Frequency, 1e3}},
      {"cycle/usecond", {Frequency, 1e6}},
      {"cycle/us", {Frequency, 1e6}},
      {"cycle/nsecond", {Frequency, 1e9}},
      {"cycle/ns", {Frequency, 1e9}},
      {"byte", {Bytes, 1}},
      {"B", {Bytes, 1}},
      {"bytes", {Bytes, 1}},
      {"Bytes", {Bytes, 1}},
      {"Kbyte", {Bytes, 1e3}},
      {"Mbyte", {Bytes, 1e6}},
      {"Gbyte", {Bytes, 1e9}},
      {"Tbyte", {Bytes, 1e12}},
      {"KiB", {Bytes, 0x1p10}},
      {"MiB", {Bytes, 0x1p20}},
      {"GiB", {Bytes, 0x1p30}},
      {"MBytes", {Bytes, 1e6}},
      {"GBytes", {Bytes, 1e9}},
      {"", {Count, 1}},
      {"inst", {Count, 1}},
      {"sector", {Count, 1}},
      {"cycle", {Count, 1}},
      {"request", {Count, 1}},
      {"warp", {Count, 1}},
      {"thread", {Count, 1}},
      {"block", {Count, 1}},
      {"Kinst", {Count, 1e3}},
      {"Minst", {Count, 1e6}},
      {"Ginst", {Count, 1e9}},
      {"Ksector", {Count, 1e3}},
      {"Msector", {Count, 1e6}},
      {"Gsector", {Count, 1e9}},
  };
  for (const auto &[Known, Unit] : Units)
    if (Known == Name)
      return Unit;
  return std::nullopt;
}

std::optional<double> unitSize(std::string_view Name, LogQuantity Quantity) {
  const auto Unit = logUnit(Name);
  return Unit && Unit->Quantity == Quantity ? std::optional(Unit->Size) : std::nullopt;
}

/// Takes a whole number of \p Digits digits from \p Text.
static std::optional<int> takeDigits(std::string_view &Text, std::size_t Digits) {
  int Value = 0;
  if (Text.size() < Digits || !std::ranges::all_of(Text.substr(0, Digits), isDigit))
    return std::nullopt;
  std::from_chars(Text.data(), Text.data() + Digits, Value);
  Text.remove_prefix(Digits);
  return Value;
}

static bool takeOne(std::string_view &Text, std::string_view Any) {
  if (Text.empty() || !has(Any, Text.substr(0, 1)))
    return false;
  Text.remove_prefix(1);
  return true;
}

std::optional<double> readTimestamp(std::string_view Text) {
  Text = trimmed(Text);
  if (const LogNumber Seconds = readNumber(Text);
      Seconds.Value && Seconds.Unit.empty() && *Seconds.Value >= 1e9 && *Seconds.Value < 1e11 &&
      (has(Text.substr(0, 11), ".") || Text.size() == 10))
    return Seconds.Value;
  const auto Year = takeDigits(Text, 4);
  takeOne(Text, "/-");
  const auto Month = takeDigits(Text, 2);
  takeOne(Text, "/-");
  const auto Day = takeDigits(Text, 2);
  if (!Year || !Month || !Day || !takeOne(Text, " T"))
    return std::nullopt;
  Text = trimmed(Text);
  const auto Hour = takeDigits(Text, 2);
  const bool First = takeOne(Text, ":");
  const auto Minute = takeDigits(Text, 2);
  const bool Second = takeOne(Text, ":");
  if (!Hour || !Minute || !First || !Second)
    return std::nullopt;
  const LogNumber Seconds = readNumber(Text);
  const std::chrono::year_month_day Date{std::chrono::year(*Year),
                                         std::chrono::month(unsigned(*Month)),
                                         std::chrono::day(unsigned(*Day))};
  if (!Date.ok() || *Hour > 23 || *Minute > 59 || !Seconds.Value || *Seconds.Value < 0 ||
      *Seconds.Value >= 61 || (!Seconds.Unit.empty() && Seconds.Unit != "Z"))
    return std::nullopt;
  const auto Days = std::chrono::sys_days(Date).time_since_epoch().count();
  return double(Days) * 86400 + *Hour * 3600 + *Minute * 60 + *Seconds.Value;
}

} // namespace ergon
