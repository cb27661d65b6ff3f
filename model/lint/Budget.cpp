//===- Budget.cpp - cost budgets of functions -----------------------------===//

#include "model/lint/Budget.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace ergon {

static std::string_view trimmed(std::string_view Text) {
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

std::expected<Budget, Error> parseBudget(std::string_view Text) {
  const auto Wrong = [&](std::string_view What) {
    return std::unexpected(Error{"the budget \"" + std::string(Text) + "\" " + std::string(What),
                                 "", "write it as 3mJ@n=1000000 or 20ms"});
  };
  const std::size_t Position = Text.find('@');
  std::string_view Most = trimmed(Text.substr(0, Position));
  double Value = 0;
  const auto [End, Failure] = std::from_chars(Most.data(), Most.data() + Most.size(), Value);
  if (Failure != std::errc() || !std::isfinite(Value) || Value <= 0)
    return Wrong("is no number above 0");
  std::string_view Unit = trimmed(Most.substr(std::size_t(End - Most.data())));
  if (!Unit.ends_with('J') && !Unit.ends_with('s'))
    return Wrong("is in neither J nor s");
  const bool IsEnergy = Unit.ends_with('J');
  Unit.remove_suffix(1);
  const auto Power = exponentOf(Unit);
  if (!Power)
    return Wrong("has an unknown prefix");
  Budget Result;
  (IsEnergy ? Result.EnergyJ : Result.TimeS) = Value * std::pow(10, *Power);
  for (std::string_view Rest = Position == Text.npos ? "" : Text.substr(Position + 1);
       !Rest.empty();) {
    const std::size_t Comma = Rest.find(',');
    const std::string_view Single = trimmed(Rest.substr(0, Comma));
    const std::size_t Equal = Single.find('=');
    if (Equal == 0 || Equal == Single.npos || Equal + 1 == Single.size())
      return Wrong("has a value that is not NAME=VALUE");
    Result.Sets.emplace_back(Single);
    Rest = Comma == Rest.npos ? "" : Rest.substr(Comma + 1);
  }
  return Result;
}

} // namespace ergon
