//===- TuneOptions.cpp - limits and candidates from the command line ------===//

#include "tools/tune/TuneOptions.h"
#include "formats/json/NumberText.h"
#include "tools/base/SetOptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ranges>

namespace ergon {

/// `5%` or `0.05`. Error: no number, below 0, or a number above 1 without a percent sign.
static std::expected<double, Error> parseShare(const std::string &Text) {
  const bool IsPercent = Text.ends_with('%');
  const auto Number = parseNumber(std::string_view(Text).substr(0, Text.size() - IsPercent));
  auto Bad = [&](std::string What) {
    return std::unexpected(
        Error{std::move(What), "", "write 5% or 0.05", "--max-slowdown " + Text});
  };
  if (!Number)
    return Bad(inQuotes(Text) + " is no share");
  const double Share = Number->get_d() / (IsPercent ? 100 : 1);
  if (Share < 0)
    return Bad("nothing is faster than the fastest");
  if (!IsPercent && Share > 1)
    return Bad(inQuotes(Text) + " would be more than twice the time");
  return Share;
}

static std::vector<std::string> split(std::string_view Text, char Separator) {
  std::vector<std::string> Result;
  for (auto Part : std::views::split(Text, Separator))
    Result.emplace_back(Part.begin(), Part.end());
  return Result;
}

/// The candidates of one `--try`.
static std::expected<std::vector<TuneCandidate>, Error> readTry(const std::string &Text) {
  auto Bad = [&](std::string What) {
    return std::unexpected(Error{std::move(What), "",
                                 "write for example --try block.x=64,128,256 or --try \"block.x=64,"
                                 "128 grid.x=32,16\"",
                                 "--try " + Text});
  };
  std::vector<TuneCandidate> Result;
  for (const std::string &List : split(Text, ' ')) {
    if (List.empty())
      continue;
    const std::size_t Equals = List.rfind('=');
    if (Equals == std::string::npos || Equals == 0)
      return Bad(inQuotes(List) + " is no list of values for a name");
    const std::vector<std::string> Values = split(List.substr(Equals + 1), ',');
    if (Result.empty())
      Result.resize(Values.size());
    if (Result.size() != Values.size())
      return Bad(fmt::format("lists of {} and of {} values, though these names move together",
                             Result.size(), Values.size()));
    for (std::size_t I = 0; I != Values.size(); ++I) {
      const std::string Set = List.substr(0, Equals + 1) + Values[I];
      const auto Number = parseNumber(Values[I]);
      if (!Number)
        return Bad(inQuotes(Values[I]) + " is not a number");
      Result[I].Label += (Result[I].Label.empty() ? "" : " ") + Set;
      Result[I].Values.emplace_back(List.substr(0, Equals), Bounds{*Number, *Number}, Values[I],
                                    "--set " + Set);
    }
  }
  return Result.empty() ? Bad("it names nothing")
                        : std::expected<std::vector<TuneCandidate>, Error>(std::move(Result));
}

/// All combinations of the values of each \p Tries, `NAME=V1,V2 [OTHER=W1,W2]`, whose names
/// move together; one without values where none are tried. Error: no such list, or names of
/// one list with different numbers of values.
static std::expected<std::vector<TuneCandidate>, Error>
readTries(const std::vector<std::string> &Tries) {
  std::vector<TuneCandidate> Result(1);
  for (const std::string &Text : Tries) {
    auto Values = readTry(Text);
    if (!Values)
      return std::unexpected(Values.error());
    std::vector<TuneCandidate> Longer;
    for (const TuneCandidate &Before : Result)
      for (const TuneCandidate &Value : *Values) {
        TuneCandidate Next = Before;
        Next.Label += (Next.Label.empty() ? "" : " ") + Value.Label;
        std::ranges::copy(Value.Values, std::back_inserter(Next.Values));
        Longer.push_back(std::move(Next));
      }
    Result = std::move(Longer);
  }
  return Result;
}

std::expected<TuneQuery, Error> readTuneOptions(const TuneOptions &Options) {
  TuneQuery Result;
  Result.Functions = Options.Entry;
  Result.Entries = Options.Entries;
  Result.All = Options.All;
  Result.Strict = Options.Strict;
  Result.Goal =
      Objective(std::ranges::find(ObjectiveNames, Options.Objective) - ObjectiveNames.begin());
  if (!Options.MaxSlowdown.empty()) {
    auto Share = parseShare(Options.MaxSlowdown);
    if (!Share)
      return std::unexpected(Share.error());
    Result.Limit.MaxSlowdown = *Share;
  }
  Result.Limit.PowerCapW = Options.PowerCap;
  auto Refuse = [](const char *Option, const char *What, const char *Fix) {
    return std::unexpected(Error{What, "", Fix, Option});
  };
  if (Options.PowerCap && !(*Options.PowerCap > 0))
    return Refuse("--power-cap", "no power is that low", "give a number above 0");
  if (Options.SwitchTimeS.value_or(0) < 0)
    return Refuse("--switch-time", "a time below 0", "give a number of 0 or above");
  if (Options.SwitchEnergyJ.value_or(0) < 0)
    return Refuse("--switch-energy", "an energy below 0", "give a number of 0 or above");
  if (Options.SwitchTimeS.has_value() != Options.SwitchEnergyJ.has_value())
    return Refuse("ergon tune", "only one of --switch-time and --switch-energy",
                  "give both: a switch takes time and energy");
  if (Options.SwitchTimeS)
    Result.Switch = TimeEnergy{*Options.SwitchTimeS, *Options.SwitchEnergyJ};
  auto Tries = readTries(Options.Tries);
  if (!Tries)
    return std::unexpected(Tries.error());
  Result.Candidates = std::move(*Tries);
  auto Values = readSets(Options.Sets);
  if (!Values)
    return std::unexpected(Values.error());
  Result.Values = std::move(*Values);
  return Result;
}

} // namespace ergon
