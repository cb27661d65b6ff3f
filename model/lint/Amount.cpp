//===- Amount.cpp - numbers with units in texts ---------------------------===//

#include "model/lint/Amount.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace ergon {

std::string_view stripped(std::string_view Text) {
  while (Text.starts_with(' '))
    Text.remove_prefix(1);
  while (Text.ends_with(' '))
    Text.remove_suffix(1);
  return Text;
}

/// The power of ten of an SI prefix; nothing for other texts.
static std::optional<int> exponentOf(std::string_view Prefix) {
  static constexpr std::pair<std::string_view, int> Prefixes[] = {{"", 0},   {"p", -12}, {"n", -9},
                                                                  {"u", -6}, {"µ", -6},  {"m", -3},
                                                                  {"k", 3},  {"M", 6},   {"G", 9}};
  for (const auto &[Text, Power] : Prefixes)
    if (Text == Prefix)
      return Power;
  return std::nullopt;
}

std::expected<Amount, std::string_view> parseAmount(std::string_view Text) {
  Text = stripped(Text);
  double Value = 0;
  const auto [End, Failure] = std::from_chars(Text.data(), Text.data() + Text.size(), Value);
  if (Failure != std::errc() || !std::isfinite(Value) || Value <= 0)
    return std::unexpected("is no number above 0");
  std::string_view Unit = stripped(Text.substr(std::size_t(End - Text.data())));
  if (Unit == "%")
    return Amount{Value / 100, Amount::Unit::Percent};
  if (!Unit.ends_with('J') && !Unit.ends_with('s'))
    return std::unexpected("is in neither J nor s");
  const bool IsEnergy = Unit.ends_with('J');
  Unit.remove_suffix(1);
  const auto Power = exponentOf(Unit);
  if (!Power)
    return std::unexpected("has an unknown prefix");
  return Amount{Value * std::pow(10, *Power),
                IsEnergy ? Amount::Unit::Joule : Amount::Unit::Second};
}

} // namespace ergon
