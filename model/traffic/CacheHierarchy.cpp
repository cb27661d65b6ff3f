//===- CacheHierarchy.cpp - caches as one core meets them -----------------===//

#include "model/traffic/CacheHierarchy.h"

#include <algorithm>
#include <bit>

namespace ergon {

/// More than any cache has, and little enough for sums of bytes.
static constexpr std::uint64_t MaxBytes = std::uint64_t(1) << 40;

static std::string count(std::uint64_t Number, const char *What) {
  return std::to_string(Number) + " " + What + (Number == 1 ? "" : "s");
}

static std::optional<std::string> checkLevel(const CacheLevel &Of) {
  const std::string Sets =
      "sets of " + count(Of.Ways, "line") + " of " + count(Of.LineBytes, "byte");
  if (Of.Ways == 0)
    return Of.Name + " has 0 ways; write 1 where a line has one place only, the number of lines "
                     "where it may be anywhere";
  if (!std::has_single_bit(Of.LineBytes))
    return "a line of " + Of.Name + " has " + count(Of.LineBytes, "byte") +
           ", which is no power of 2; correct it";
  if (Of.Bytes > MaxBytes)
    return Of.Name + " has " + count(Of.Bytes, "byte") + ", more than any cache; correct it";
  if (Of.Bytes < Of.LineBytes)
    return Of.Name + " has " + count(Of.Bytes, "byte") + ", less than one line of " +
           std::to_string(Of.LineBytes) + "; correct one of the two";
  if (Of.Bytes % (std::uint64_t(Of.LineBytes) * Of.Ways) != 0)
    return Of.Name + " has " + count(Of.Bytes, "byte") + ", which is no whole number of " + Sets +
           "; correct one of them";
  return std::nullopt;
}

std::optional<std::string> checkHierarchy(const CacheHierarchy &Of) {
  if (Of.empty())
    return "there is no cache level; give one or more";
  for (auto Each = Of.begin(); Each != Of.end(); ++Each) {
    if (auto Bad = checkLevel(*Each))
      return Bad;
    if (std::any_of(Of.begin(), Each, [&](auto &Other) { return Other.Name == Each->Name; }))
      return "there are two levels " + Each->Name + "; leave one out";
    if (Each == Of.begin())
      continue;
    const CacheLevel &Inner = *std::prev(Each);
    if (Each->Bytes < Inner.Bytes)
      return Each->Name + " has " + count(Each->Bytes, "byte") + ", fewer than " + Inner.Name +
             " nearer the core; correct one of the two";
    if (Each->LineBytes != Inner.LineBytes)
      return "a line of " + Each->Name + " has " + count(Each->LineBytes, "byte") + ", one of " +
             Inner.Name + " " + std::to_string(Inner.LineBytes) + "; give both the same";
  }
  return std::nullopt;
}

std::optional<std::string> checkCaches(std::span<const Cache> Of) {
  CacheHierarchy Known;
  for (const Cache &Each : Of) {
    if (Each.LineBytes) // one line to a set where the ways are not known: no further rule then
      Known.push_back({Each.Level, Each.Bytes, *Each.LineBytes, Each.Ways.value_or(1)});
    if (Each.SectorBytes && Each.LineBytes &&
        (*Each.SectorBytes == 0 || *Each.LineBytes % *Each.SectorBytes != 0))
      return "sectors of " + count(*Each.SectorBytes, "byte") + " do not fill a line of " +
             Each.Level + "; correct one of the two";
    if (Each.SharedBy == 0u)
      return Each.Level + " is shared by 0 cores; write 1 where each has its own";
  }
  return Known.empty() && !Of.empty() ? std::nullopt : checkHierarchy(Known);
}

namespace {
/// Puts one level into the path.
struct PathMaker {
  CorePath &Path;
  unsigned Cores;

  std::optional<Error> add(const Cache &Of) {
    std::string Missing = !Of.LineBytes ? "line size" : !Of.Ways ? "number of ways" : "";
    if (!Missing.empty())
      return Error{"the " + Missing + " of " + Of.Level + " is not known", "",
                   "add it to the profile, or give the caches with --caches"};
    Path.Levels.push_back({Of.Level, share(Of), *Of.LineBytes, *Of.Ways,
                           Of.Write == WritePolicy::Through, Of.WriteAllocate.value_or(true)});
    auto Assume = [&](std::string What) { Path.Assumptions.push_back(Of.Level + " " + What); };
    if (!Of.Write)
      Assume("keeps what is stored until the line leaves (write-back)");
    if (!Of.WriteAllocate)
      Assume("fetches the line of a store that misses");
    if (Of.Holds == Inclusion::Exclusive)
      Assume("holds what it passes inward too, unlike the machine's");
    return std::nullopt;
  }

  /// Bytes of one core: whole sets.
  std::uint64_t share(const Cache &Of) {
    const unsigned Sharers = std::min(Cores, Of.SharedBy.value_or(1));
    if (Of.SharedBy > 1u && Cores == 1)
      Path.Assumptions.push_back("one core has all of " + Of.Level + ", which " +
                                 count(*Of.SharedBy, "core") + " share");
    if (Sharers <= 1)
      return Of.Bytes;
    Path.Assumptions.push_back("each of " + count(Sharers, "core") + " has an equal part of " +
                               Of.Level);
    const std::uint64_t Set = std::uint64_t(*Of.LineBytes) * *Of.Ways;
    return Set == 0 ? Of.Bytes : std::max(Of.Bytes / Sharers / Set, std::uint64_t(1)) * Set;
  }
};
} // namespace

std::expected<CorePath, Error> pathOfOneCore(std::span<const Cache> Of, unsigned Cores) {
  if (auto Bad = checkCaches(Of))
    return std::unexpected(Error{*Bad});
  CorePath Result;
  for (const Cache &Each : Of)
    if (auto Bad = PathMaker{Result, Cores}.add(Each))
      return std::unexpected(*Bad);
  return Result;
}

} // namespace ergon
