//===- TuneOptions.cpp - limits and candidates from the command line ------===//

#include "tools/tune/TuneOptions.h"
#include "predict/values/Bindings.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

namespace ergon {

std::expected<double, Error> parseShare(const std::string &Text) {
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

static std::vector<std::string> split(std::string_view Text, char At) {
  std::vector<std::string> Result;
  for (auto Part : std::views::split(Text, At))
    Result.emplace_back(Part.begin(), Part.end());
  return Result;
}

/// The candidates of one `--try`.
static std::expected<std::vector<TryCandidate>, Error> readTry(const std::string &Text) {
  auto Bad = [&](std::string What) {
    return std::unexpected(Error{std::move(What), "",
                                 "write for example --try block.x=64,128,256 or --try \"block.x=64,"
                                 "128 grid.x=32,16\"",
                                 "--try " + Text});
  };
  std::vector<TryCandidate> Result;
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
      if (!parseNumber(Values[I]))
        return Bad(inQuotes(Values[I]) + " is not a number");
      Result[I].Label += (Result[I].Label.empty() ? "" : " ") + Set;
      Result[I].Sets.push_back(Set);
    }
  }
  return Result.empty() ? Bad("it names nothing")
                        : std::expected<std::vector<TryCandidate>, Error>(std::move(Result));
}

std::expected<std::vector<TryCandidate>, Error> readTries(const std::vector<std::string> &Tries) {
  std::vector<TryCandidate> Result(1);
  for (const std::string &Text : Tries) {
    auto Values = readTry(Text);
    if (!Values)
      return std::unexpected(Values.error());
    std::vector<TryCandidate> Longer;
    for (const TryCandidate &Before : Result)
      for (const TryCandidate &Each : *Values) {
        TryCandidate Next = Before;
        Next.Label += (Next.Label.empty() ? "" : " ") + Each.Label;
        std::ranges::copy(Each.Sets, std::back_inserter(Next.Sets));
        Longer.push_back(std::move(Next));
      }
    Result = std::move(Longer);
  }
  return Result;
}

std::string at(const Setting &Of) {
  if (!Of.CoreMhz)
    return "";
  return Of.MemMhz ? fmt::format(" at {:g}/{:g} MHz", *Of.CoreMhz, *Of.MemMhz)
                   : fmt::format(" at {:g} MHz", *Of.CoreMhz);
}

} // namespace ergon
