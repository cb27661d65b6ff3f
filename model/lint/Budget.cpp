//===- Budget.cpp - cost budgets of functions -----------------------------===//

#include "model/lint/Budget.h"
#include "model/lint/Amount.h"

namespace ergon {

std::expected<Budget, Error> parseBudget(std::string_view Text) {
  const auto Wrong = [&](std::string_view What) {
    return std::unexpected(Error{"the budget \"" + std::string(Text) + "\" " + std::string(What),
                                 "", "write it as 3mJ@n=1000000 or 20ms"});
  };
  const std::size_t Position = Text.find('@');
  const auto Most = parseAmount(Text.substr(0, Position));
  if (!Most)
    return Wrong(Most.error());
  if (Most->In == Amount::Unit::Percent)
    return Wrong("is in neither J nor s");
  Budget Result;
  (Most->In == Amount::Unit::Joule ? Result.EnergyJ : Result.TimeS) = Most->Value;
  for (std::string_view Rest = Position == Text.npos ? "" : Text.substr(Position + 1);
       !Rest.empty();) {
    const std::size_t Comma = Rest.find(',');
    const std::string_view Single = stripped(Rest.substr(0, Comma));
    const std::size_t Equal = Single.find('=');
    if (Equal == 0 || Equal == Single.npos || Equal + 1 == Single.size())
      return Wrong("has a value that is not NAME=VALUE");
    Result.Sets.emplace_back(Single);
    Rest = Comma == Rest.npos ? "" : Rest.substr(Comma + 1);
  }
  return Result;
}

} // namespace ergon
