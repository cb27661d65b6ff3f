//===- NumberTexts.cpp - numbers at the beginning of texts ----------------===//

#include "model/library/NumberTexts.h"

#include "model/code/Value.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

namespace ergon::code {

static bool isDigit(char C) { return C >= '0' && C <= '9'; }
static bool isSign(char C) { return C == '-' || C == '+'; }
static bool isX(char C) { return C == 'x' || C == 'X'; }
static bool isE(char C) { return C == 'e' || C == 'E'; }

/// What \p C is as a digit, 36 where it is none.
static int digit(char C) {
  if (isDigit(C))
    return C - '0';
  if (C >= 'a' && C <= 'z')
    return C - 'a' + 10;
  return C >= 'A' && C <= 'Z' ? C - 'A' + 10 : 36;
}

std::size_t spacesIn(std::string_view Text) {
  return std::size_t(std::ranges::find_if_not(Text, isSpace) - Text.begin());
}

/// Digits from \p At on, with a sign before them; nothing where they do not fit.
static std::optional<NumberRead<std::int64_t>> readDigits(std::string_view Text, std::size_t At,
                                                          int Base, bool IsNegative) {
  std::int64_t Number = 0;
  auto [End, Bad] = std::from_chars(Text.data() + At, Text.data() + Text.size(), Number, Base);
  if (Bad == std::errc::result_out_of_range)
    return std::nullopt;
  return NumberRead<std::int64_t>{IsNegative ? -Number : Number, std::size_t(End - Text.data()),
                                  true};
}

/// Whether a text has `0x` at \p At, which begins a number of this base.
static bool beginsHex(std::string_view Text, std::size_t At, int Base) {
  return (Base == 0 || Base == 16) && At + 1 < Text.size() && Text[At] == '0' && isX(Text[At + 1]);
}

static int baseAt(std::string_view Text, std::size_t At, int Base) {
  return Base != 0 ? Base : At != Text.size() && Text[At] == '0' ? 8 : 10;
}

std::optional<NumberRead<std::int64_t>> readInteger(std::string_view Text, int Base) {
  std::size_t At = spacesIn(Text);
  const bool IsNegative = At != Text.size() && Text[At] == '-';
  At += At != Text.size() && isSign(Text[At]);
  if (beginsHex(Text, At, Base) && At + 2 < Text.size() && digit(Text[At + 2]) < 16)
    return readDigits(Text, At + 2, 16, IsNegative);
  Base = baseAt(Text, At, Base);
  if (At == Text.size() || digit(Text[At]) >= Base)
    return NumberRead<std::int64_t>{};
  return readDigits(Text, At, Base, IsNegative);
}

/// `0x` is a number for scanf, as is the zero that it begins with.
std::optional<NumberRead<std::int64_t>> scanInteger(std::string_view Text, int Base) {
  const bool IsNegative = Text.starts_with('-');
  const std::size_t At = !Text.empty() && isSign(Text.front());
  const bool IsHex = beginsHex(Text, At, Base);
  const std::size_t Digits = IsHex ? At + 2 : At;
  Base = IsHex ? 16 : baseAt(Text, At, Base);
  if (Digits == Text.size() || digit(Text[Digits]) >= Base)
    return NumberRead<std::int64_t>{0, Digits, IsHex};
  return readDigits(Text, Digits, Base, IsNegative);
}

/// A decimal number without a plus before it, or `inf` and `nan`, all of \p Text.
template <typename T> static std::optional<NumberRead<double>> convert(std::string_view Text) {
  T Number = 0;
  auto [End, Bad] = std::from_chars(Text.data(), Text.data() + Text.size(), Number);
  if (Bad == std::errc::result_out_of_range)
    return std::nullopt;
  return NumberRead<double>{double(Number), std::size_t(End - Text.data()), Bad == std::errc()};
}

std::optional<NumberRead<double>> readReal(std::string_view Text, bool IsFloat) {
  std::size_t At = spacesIn(Text);
  if (At != Text.size() && Text[At] == '+') {
    ++At;
    if (At != Text.size() && Text[At] == '-')
      return NumberRead<double>{};
  }
  if (beginsHex(Text, At + (At != Text.size() && Text[At] == '-'), 16))
    return std::nullopt;
  auto Found = IsFloat ? convert<float>(Text.substr(At)) : convert<double>(Text.substr(At));
  if (Found)
    Found->Length = Found->IsNumber ? Found->Length + At : 0;
  return Found;
}

/// How many characters look like a decimal number, its exponent perhaps without digits.
static std::size_t decimalLength(std::string_view Text) {
  std::size_t At = !Text.empty() && isSign(Text.front());
  bool HasDigits = false, HasPoint = false;
  for (; At != Text.size(); ++At)
    if (isDigit(Text[At]))
      HasDigits = true;
    else if (Text[At] == '.' && !HasPoint)
      HasPoint = true;
    else
      break;
  if (!HasDigits || At == Text.size() || !isE(Text[At]))
    return At;
  ++At;
  At += At != Text.size() && isSign(Text[At]);
  while (At != Text.size() && isDigit(Text[At]))
    ++At;
  return At;
}

std::optional<NumberRead<double>> scanReal(std::string_view Text, bool IsFloat) {
  const std::size_t Sign = !Text.empty() && isSign(Text.front());
  if (Sign != Text.size() && digit(Text[Sign]) >= 10 && Text[Sign] != '.') {
    auto Named = readReal(Text, IsFloat); // `inf`, `nan`
    if (Named && !Named->IsNumber)
      return digit(Text[Sign]) == digit('i') || digit(Text[Sign]) == digit('n')
                 ? std::nullopt // a part of these may be taken
                 : std::optional(NumberRead<double>{0, Sign, false});
    return Named;
  }
  const std::size_t Length = decimalLength(Text);
  auto Found = readReal(Text.substr(0, Length), IsFloat);
  if (Found)
    Found->Length = Length;
  return beginsHex(Text, Sign, 16) ? std::nullopt : Found;
}

NumberRead<std::int64_t> extractInteger(std::string_view Text, unsigned Bits, bool IsSigned) {
  const bool IsNegative = Text.starts_with('-');
  std::size_t At = !Text.empty() && isSign(Text.front());
  const std::size_t Start = At;
  const std::uint64_t Most = lowBits(~std::uint64_t(0), Bits) >> IsSigned,
                      Limit = Most + (IsNegative && IsSigned);
  std::uint64_t Number = 0;
  bool Fits = true;
  for (; At != Text.size() && isDigit(Text[At]); ++At) {
    const auto Next = std::uint64_t(digit(Text[At]));
    Fits = Fits && Number <= (Limit - Next) / 10;
    if (Fits)
      Number = 10 * Number + Next;
  }
  if (!Fits) // the nearest number that does, of which a negative one is for signed types alone
    Number = Limit;
  const bool IsBelow = IsNegative && (Fits || IsSigned);
  return {std::int64_t(IsBelow ? 0 - Number : Number), At, Fits && At != Start};
}

std::optional<NumberRead<double>> extractReal(std::string_view Text, bool IsFloat) {
  const std::size_t Length = decimalLength(Text);
  auto Found = readReal(Text.substr(0, Length), IsFloat);
  if (!Found)
    return std::nullopt;
  const bool IsWhole = Found->IsNumber && Found->Length == Length;
  return NumberRead<double>{IsWhole ? Found->Number : 0, Length, IsWhole};
}

} // namespace ergon::code
