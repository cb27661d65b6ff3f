//===- Caches.h - stated properties of caches -------------------*- C++ -*-===//
//
// The caches of a profile, or those found by hwloc, as far as they are known.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ergon {

/// What happens to stored data: they stay until eviction, or are written at once.
enum class WritePolicy { Back, Through };
inline constexpr std::array<std::string_view, 2> WritePolicyNames = {"back", "through"};
/// The word in profiles.
inline std::string_view name(WritePolicy P) { return WritePolicyNames[std::size_t(P)]; }

/// Whether a cache holds the lines of the levels nearer the core: all, none, either.
enum class Inclusion { Inclusive, Exclusive, Neither };
inline constexpr std::array<std::string_view, 3> InclusionNames = {"inclusive", "exclusive",
                                                                   "neither"};
/// The word in profiles.
inline std::string_view name(Inclusion I) { return InclusionNames[std::size_t(I)]; }

inline constexpr std::array<std::string_view, 3> CacheLevelNames = {"l1", "l2", "l3"};

/// One data cache level. Unknown properties are absent.
struct Cache {
  std::string Level; ///< one of CacheLevelNames
  std::uint64_t Bytes = 0;
  std::optional<unsigned> LineBytes{};
  std::optional<unsigned> SectorBytes{}; ///< where a part of a line can be fetched
  std::optional<unsigned> Ways{};
  /// Number of cores, or multiprocessors of a GPU, that share one.
  std::optional<unsigned> SharedBy{};
  std::optional<WritePolicy> Write{};
  std::optional<bool> WriteAllocate{}; ///< a store that misses fetches the line
  std::optional<Inclusion> Holds{};
  bool WithShared = false; ///< shared memory of blocks is taken from its bytes
  std::string Source{};    ///< key of the source
};

} // namespace ergon
