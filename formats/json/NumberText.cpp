//===- NumberText.cpp - numbers as people write them ----------------------===//

#include "formats/json/NumberText.h"

#include <cstdint>
#include <cstdlib>
#include <string>

namespace ergon {

std::optional<Rational> parseNumber(std::string_view Text) {
  bool Negative = Text.starts_with('-');
  if (Negative || Text.starts_with('+'))
    Text.remove_prefix(1);
  auto Digits = [&] {
    std::string Result;
    while (!Text.empty() && Text[0] >= '0' && Text[0] <= '9') {
      Result += Text[0];
      Text.remove_prefix(1);
    }
    return Result;
  };
  std::string Whole = Digits(), Fraction;
  Rational Denominator = 1;
  if (Text.starts_with('.')) {
    Text.remove_prefix(1);
    Fraction = Digits();
  } else if (Text.starts_with('/')) {
    Text.remove_prefix(1);
    std::string Below = Digits();
    if (Whole.empty() || !Text.empty() || Rational::ofDigits(Below) == 0)
      return std::nullopt;
    Denominator = Rational::ofDigits(Below);
  }
  if (Whole.empty() && Fraction.empty())
    return std::nullopt;
  std::int64_t Exponent = -std::int64_t(Fraction.size());
  if (Text.starts_with('e') || Text.starts_with('E')) {
    Text.remove_prefix(1);
    bool Down = Text.starts_with('-');
    if (Down || Text.starts_with('+'))
      Text.remove_prefix(1);
    std::string Power = Digits();
    if (Power.empty() || Power.size() > 3)
      return std::nullopt;
    Exponent += Down ? -std::stoi(Power) : std::stoi(Power);
  }
  if (!Text.empty())
    return std::nullopt;
  Rational Value = Rational::ofDigits(Whole + Fraction) / Denominator;
  const Rational Scale =
      Rational::ofDigits("1" + std::string(std::size_t(std::abs(Exponent)), '0'));
  if (Exponent >= 0)
    Value *= Scale;
  else
    Value /= Scale;
  return Negative ? Rational(-Value) : Value;
}

std::expected<Bounds, Error> parseInterval(std::string_view Text) {
  const std::size_t Dots = Text.find("..");
  const bool IsRange = Dots != std::string_view::npos;
  const auto Low = parseNumber(Text.substr(0, Dots));
  const auto High = IsRange ? parseNumber(Text.substr(Dots + 2)) : Low;
  if (!Low || !High)
    return std::unexpected(Error{inQuotes(Text) + " is not a number", "",
                                 "write for example 4096, 0.25, 1e9, or 0.2..0.5 for an interval",
                                 ""});
  if (*High < *Low)
    return std::unexpected(
        Error{inQuotes(Text) + " ends before it begins", "", "give the lower number first", ""});
  return Bounds{*Low, *High};
}

} // namespace ergon
