//===- RateOptions.cpp - what energy emits and costs ----------------------===//

#include "tools/base/RateOptions.h"
#include "predict/text/Text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <vector>

namespace ergon {

static constexpr double JoulesPerKwh = 3.6e6;

/// The number and the word of `NUMBERWORD/kWh`.
static std::expected<std::pair<double, std::string>, Error>
amountPerKwh(const std::string &Option, const std::string &Text, const char *Example) {
  const std::string_view PerKwh = "/kWh";
  double Value = 0;
  const char *const End = Text.data() + Text.size();
  const auto [Word, Bad] = std::from_chars(Text.data(), End, Value);
  if (Bad != std::errc() || !std::isfinite(Value) || Value < 0 || !Text.ends_with(PerKwh))
    return std::unexpected(Error{"`" + Text + "` is no amount for each kWh", "",
                                 std::string("write ") + Example, Option});
  return std::pair(Value, std::string(Word, End - PerKwh.size()));
}

std::expected<EnergyRates, Error> readRates(const RateOptions &Options) {
  EnergyRates Rates;
  if (!Options.Carbon.empty()) {
    static constexpr const char *Example = "400g/kWh or 0.4kg/kWh";
    const auto Amount = amountPerKwh("--carbon", Options.Carbon, Example);
    if (!Amount)
      return std::unexpected(Amount.error());
    if (Amount->second != "g" && Amount->second != "kg")
      return std::unexpected(Error{"`" + Options.Carbon + "` is not in g or kg for each kWh", "",
                                   std::string("write ") + Example, "--carbon"});
    Rates.GramsPerJ = Amount->first * (Amount->second == "kg" ? 1000 : 1) / JoulesPerKwh;
  }
  if (!Options.Price.empty()) {
    const auto Amount = amountPerKwh("--price", Options.Price, "0.3/kWh or 0.3EUR/kWh");
    if (!Amount)
      return std::unexpected(Amount.error());
    Rates.PricePerJ = Amount->first / JoulesPerKwh;
    Rates.Currency = Amount->second;
  }
  Rates.RunsPerDay = Options.RunsPerDay;
  if (Rates.RunsPerDay && !Rates.isGiven())
    return std::unexpected(Error{"neither what energy emits nor what it costs is given", "",
                                 "give --carbon or --price", "--runs-per-day"});
  return Rates;
}

std::string ratesText(const EnergyRates &Rates, double EnergyJ) {
  if (!Rates.isGiven())
    return "";
  auto Amounts = [&](double Joules) {
    std::vector<std::string> Parts;
    if (Rates.GramsPerJ)
      Parts.push_back(shortQuantity(Joules * *Rates.GramsPerJ, "g CO₂"));
    if (Rates.PricePerJ)
      Parts.push_back(fmt::format("{:.3g}{}{}", Joules * *Rates.PricePerJ,
                                  Rates.Currency.empty() ? "" : " ", Rates.Currency));
    return joined(Parts);
  };
  std::string Result = Amounts(EnergyJ) + " a run";
  if (Rates.RunsPerDay)
    Result += fmt::format("; {} a year of {:g} runs a day",
                          Amounts(EnergyJ * *Rates.RunsPerDay * DaysPerYear), *Rates.RunsPerDay);
  return Result;
}

} // namespace ergon
