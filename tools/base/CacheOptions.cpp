//===- CacheOptions.cpp - caches from the command line --------------------===//

#include "tools/base/CacheOptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

namespace ergon {

static std::vector<std::string> split(std::string_view Text, char Separator) {
  std::vector<std::string> Parts;
  for (std::size_t Begin = 0; Begin <= Text.size();) {
    const std::size_t End = std::min(Text.find(Separator, Begin), Text.size());
    Parts.emplace_back(Text.substr(Begin, End - Begin));
    Begin = End + 1;
  }
  return Parts;
}

/// A whole number; of base 16 after `0x`.
static std::optional<std::uint64_t> parseWhole(std::string_view Text) {
  const bool IsHex = Text.starts_with("0x");
  if (IsHex)
    Text.remove_prefix(2);
  std::uint64_t Value = 0;
  auto [End, Bad] = std::from_chars(Text.data(), Text.data() + Text.size(), Value, IsHex ? 16 : 10);
  return Bad == std::errc() && End == Text.data() + Text.size() ? std::optional(Value)
                                                                : std::nullopt;
}

/// `32768`, `32K`, `1M`, `2G`; K, M and G are powers of 1024.
static std::optional<std::uint64_t> parseCapacity(std::string_view Text) {
  constexpr std::string_view Suffixes = "KMG";
  unsigned Shift = 0;
  if (const std::size_t Found = Text.empty() ? std::string_view::npos : Suffixes.find(Text.back());
      Found != std::string_view::npos) {
    Shift = 10 * (unsigned(Found) + 1);
    Text.remove_suffix(1);
  }
  const auto Value = parseWhole(Text);
  if (!Value || *Value > std::numeric_limits<std::uint64_t>::max() >> Shift)
    return std::nullopt;
  return *Value << Shift;
}

static std::unexpected<Error> bad(const std::string &Text, std::string What, std::string Fix) {
  return std::unexpected(Error{std::move(What), "", std::move(Fix), "--caches " + Text});
}

static std::expected<Cache, Error> parseCache(const std::string &Text) {
  const std::size_t Equals = Text.find('=');
  Cache Result{.Level = Text.substr(0, Equals)};
  if (!(std::ranges::find(CacheLevelNames, Result.Level) != CacheLevelNames.end()))
    return bad(Text, inQuotes(Result.Level) + " is no cache level", "name l1, l2 or l3");
  const std::vector<std::string> Parts = Equals == std::string::npos
                                             ? std::vector<std::string>()
                                             : split(Text.substr(Equals + 1), '/');
  if (Parts.size() < 3)
    return bad(Text, "says too little of " + Result.Level,
               "write LEVEL=BYTES/WAYS/LINE, for example l1=32K/8/64");
  const auto Bytes = parseCapacity(Parts[0]), Ways = parseWhole(Parts[1]),
             Line = parseWhole(Parts[2]);
  const std::uint64_t Most = std::numeric_limits<unsigned>::max();
  for (std::size_t I = 0; const auto &Value : {Bytes, Ways, Line})
    if (const std::string &Wrong = Parts[I++]; !Value || (I > 1 && *Value > Most))
      return bad(Text, inQuotes(Wrong) + " is no number that a cache could have",
                 "write LEVEL=BYTES/WAYS/LINE, for example l1=32K/8/64");
  Result.Bytes = *Bytes;
  Result.Ways = unsigned(*Ways);
  Result.LineBytes = unsigned(*Line);
  Result.Write = WritePolicy::Back;
  Result.WriteAllocate = true;
  for (std::size_t I = 3; I != Parts.size(); ++I)
    if (Parts[I] == "through")
      Result.Write = WritePolicy::Through;
    else if (Parts[I] == "no-allocate")
      Result.WriteAllocate = false;
    else
      return bad(Text, inQuotes(Parts[I]) + " is nothing that is known of caches",
                 "only /through and /no-allocate can follow the line");
  return Result;
}

std::expected<std::vector<Cache>, Error> parseCaches(const std::string &Text) {
  std::vector<Cache> Result;
  for (const std::string &T : split(Text, ',')) {
    auto C = parseCache(T);
    if (!C)
      return std::unexpected(C.error());
    Result.push_back(std::move(*C));
  }
  if (auto Wrong = checkCaches(Result))
    return bad(Text, *Wrong, "");
  return Result;
}

/// `NAME=ADDRESS`, `NAME=ADDRESS:BYTES` or `NAME=:BYTES`.
static std::optional<ObjectAddress> parsePlace(std::string_view Text) {
  const std::size_t Equals = Text.rfind('=');
  if (Equals == std::string::npos)
    return std::nullopt;
  ObjectAddress Result{std::string(Text.substr(0, Equals)), {}, {}, "--place " + std::string(Text)};
  Text.remove_prefix(Equals + 1);
  const std::size_t Colon = Text.find(':');
  const bool HasBytes = Colon != std::string::npos;
  const std::string_view Address = Text.substr(0, Colon);
  if (!Address.empty() || !HasBytes)
    Result.Address = parseWhole(Address);
  if (HasBytes)
    Result.Bytes = parseWhole(Text.substr(Colon + 1));
  const bool IsWrong = (HasBytes && Result.Bytes.value_or(0) == 0) ||
                       (!Result.Address && !(HasBytes && Address.empty()));
  return IsWrong ? std::nullopt : std::optional(std::move(Result));
}

std::expected<TrafficQuery, Error> readTraffic(const CacheOptions &Options) {
  TrafficQuery Result;
  Result.IsWanted = Options.Method != "none";
  Result.Cores = Options.Cores;
  Result.Warm = Options.Warm;
  if (!Result.IsWanted)
    return Result;
  if (!Options.Method.empty())
    Result.Method = Options.Method == name(TrafficMethod::Simulate) ? TrafficMethod::Simulate
                                                                    : TrafficMethod::Analytic;
  if (Options.Caches) {
    auto Given = parseCaches(*Options.Caches);
    if (!Given)
      return std::unexpected(Given.error());
    Result.Caches = std::move(*Given);
  }
  for (const std::string &Place : Options.Places) {
    auto Parsed = parsePlace(Place);
    if (!Parsed)
      return std::unexpected(
          Error{"not NAME=ADDRESS, NAME=ADDRESS:BYTES or NAME=:BYTES", "",
                "write for example --place A=4096, --place A=0x1000:800 or --place A=:800",
                "--place " + Place});
    Result.Addresses.push_back(std::move(*Parsed));
  }
  return Result;
}

} // namespace ergon
