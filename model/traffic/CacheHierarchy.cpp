//===- CacheHierarchy.cpp - the caches that one core uses -----------------===//

#include "model/traffic/CacheHierarchy.h"

#include <algorithm>
#include <bit>

namespace ergon {

/// More than any cache has, and small enough for sums of bytes.
static constexpr std::uint64_t MaxBytes = std::uint64_t(1) << 40;

static std::string count(std::uint64_t Number, const char *What) {
  return std::to_string(Number) + " " + What + (Number == 1 ? "" : "s");
}

static std::optional<std::string> checkLevel(const CacheLevel &Level) {
  const std::string Sets =
      "sets of " + count(Level.Ways, "line") + " of " + count(Level.LineBytes, "byte");
  if (Level.Ways == 0)
    return Level.Name + " has 0 ways; write 1 where a line has one place only, the number of lines "
                        "where it may be anywhere";
  if (!std::has_single_bit(Level.LineBytes))
    return "a line of " + Level.Name + " has " + count(Level.LineBytes, "byte") +
           ", which is no power of 2; correct it";
  if (Level.Bytes > MaxBytes)
    return Level.Name + " has " + count(Level.Bytes, "byte") + ", more than any cache; correct it";
  if (Level.Bytes < Level.LineBytes)
    return Level.Name + " has " + count(Level.Bytes, "byte") + ", less than one line of " +
           std::to_string(Level.LineBytes) + "; correct one of the two";
  if (Level.Bytes % (std::uint64_t(Level.LineBytes) * Level.Ways) != 0)
    return Level.Name + " has " + count(Level.Bytes, "byte") + ", which is no whole number of " +
           Sets + "; correct one of them";
  return std::nullopt;
}

std::optional<std::string> checkHierarchy(const CacheHierarchy &Hierarchy) {
  if (Hierarchy.empty())
    return "there is no cache level; give one or more";
  for (auto Position = Hierarchy.begin(); Position != Hierarchy.end(); ++Position) {
    if (auto Bad = checkLevel(*Position))
      return Bad;
    if (std::any_of(Hierarchy.begin(), Position,
                    [&](auto &Other) { return Other.Name == Position->Name; }))
      return "there are two levels " + Position->Name + "; leave one out";
    if (Position == Hierarchy.begin())
      continue;
    const CacheLevel &Inner = *std::prev(Position);
    if (Position->Bytes < Inner.Bytes)
      return Position->Name + " has " + count(Position->Bytes, "byte") + ", fewer than " +
             Inner.Name + " nearer the core; correct one of the two";
    if (Position->LineBytes != Inner.LineBytes)
      return "a line of " + Position->Name + " has " + count(Position->LineBytes, "byte") +
             ", one of " + Inner.Name + " " + std::to_string(Inner.LineBytes) +
             "; give both the same";
  }
  return std::nullopt;
}

std::optional<std::string> checkCaches(std::span<const Cache> Caches) {
  CacheHierarchy Known;
  for (const Cache &C : Caches) {
    if (C.LineBytes) // where the ways are unknown, one line per set: no further rule
      Known.push_back({C.Level, C.Bytes, *C.LineBytes, C.Ways.value_or(1)});
    if (C.SectorBytes && C.LineBytes && (*C.SectorBytes == 0 || *C.LineBytes % *C.SectorBytes != 0))
      return "sectors of " + count(*C.SectorBytes, "byte") + " do not fill a line of " + C.Level +
             "; correct one of the two";
    if (C.SharedBy == 0u)
      return C.Level + " is shared by 0 cores; write 1 where each has its own";
  }
  return Known.empty() && !Caches.empty() ? std::nullopt : checkHierarchy(Known);
}

namespace {
/// Adds one level to the path.
struct PathMaker {
  CorePath &Path;
  unsigned Cores, Team;

  void add(Cache C) {
    auto Assume = [&](std::string What) { Path.Assumptions.push_back(C.Level + " " + What); };
    if (!C.LineBytes) {
      static constexpr unsigned Usual = 64;
      C.LineBytes = Path.Levels.empty() ? Usual : Path.Levels.back().LineBytes;
      Assume("has lines of " + count(*C.LineBytes, "byte") + ", as it is not told");
    }
    if (!C.Ways) {
      C.Ways = usualWays(C);
      Assume("has " + count(*C.Ways, "way") + ", as it is not told");
    }
    Path.Levels.push_back({C.Level, share(C), *C.LineBytes, *C.Ways,
                           C.Write == WritePolicy::Through, C.WriteAllocate.value_or(true)});
    if (!C.Write)
      Assume("keeps what is stored until the line leaves (write-back)");
    if (!C.WriteAllocate)
      Assume("fetches the line of a store that misses");
    if (C.Holds == Inclusion::Exclusive)
      Assume("holds what it passes inward too, unlike the machine's");
  }

  /// Those of many last levels, or the most below that make whole sets: virtual machines and AMD's
  /// processors do not tell. The more ways, the less it matters how many.
  static unsigned usualWays(const Cache &C) {
    unsigned Ways = 16;
    while (Ways > 1 && C.Bytes % (std::uint64_t(*C.LineBytes) * Ways) != 0)
      --Ways;
    return Ways;
  }

  /// One core's share in bytes: whole sets.
  std::uint64_t share(const Cache &C) {
    if (Team > 1) {
      const unsigned Groups = (Team - 1) / C.SharedBy.value_or(1) + 1;
      if (Groups > 1)
        Path.Assumptions.push_back("threads have other data in each " + C.Level + ", " +
                                   count(Groups, "one") + " in all");
      const std::uint64_t Set = std::uint64_t(*C.LineBytes) * *C.Ways,
                          Nearer = Path.Levels.empty() ? 0 : Path.Levels.back().Bytes;
      static constexpr std::uint64_t Most = std::uint64_t(1) << 36;
      const std::uint64_t Together =
          std::max(Nearer, C.Bytes > Most / Groups ? std::max(C.Bytes, Most) : C.Bytes * Groups);
      return Set == 0 ? Together : (Together + Set - 1) / Set * Set;
    }
    const unsigned Sharers = std::min(Cores, C.SharedBy.value_or(1));
    if (C.SharedBy > 1u && Cores == 1)
      Path.Assumptions.push_back("one core has all of " + C.Level + ", which " +
                                 count(*C.SharedBy, "core") + " share");
    if (Sharers <= 1)
      return C.Bytes;
    Path.Assumptions.push_back("each of " + count(Sharers, "core") + " has an equal part of " +
                               C.Level);
    const std::uint64_t Set = std::uint64_t(*C.LineBytes) * *C.Ways;
    return Set == 0 ? C.Bytes : std::max(C.Bytes / Sharers / Set, std::uint64_t(1)) * Set;
  }
};
} // namespace

std::expected<CorePath, Error> pathOfOneCore(std::span<const Cache> Caches, unsigned Cores,
                                             unsigned Team) {
  if (auto Bad = checkCaches(Caches))
    return std::unexpected(Error{*Bad});
  CorePath Result;
  PathMaker Maker{Result, Cores, Team};
  for (const Cache &C : Caches)
    Maker.add(C);
  if (auto Bad = checkHierarchy(Result.Levels))
    return std::unexpected(Error{*Bad});
  return Result;
}

} // namespace ergon
