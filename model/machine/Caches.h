//===- Caches.h - what is stated of a machine's caches ----------*- C++ -*-===//
//
// The caches of a profile, or those that hwloc found, as far as they are known.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_MACHINE_CACHES_H
#define ERGON_MODEL_MACHINE_CACHES_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ergon {

/// What becomes of a store's data: they stay until the line leaves, or go on at once.
enum class WritePolicy { Back, Through };
inline constexpr std::array<std::string_view, 2> WritePolicyNames = {"back", "through"};
/// The word in profiles.
inline std::string_view name(WritePolicy P) { return WritePolicyNames[std::size_t(P)]; }

/// Whether a cache holds what the levels nearer the core hold: all of it, none, either.
enum class Inclusion { Inclusive, Exclusive, Neither };
inline constexpr std::array<std::string_view, 3> InclusionNames = {"inclusive", "exclusive",
                                                                   "neither"};
/// The word in profiles.
inline std::string_view name(Inclusion I) { return InclusionNames[std::size_t(I)]; }

inline constexpr std::array<std::string_view, 3> CacheLevelNames = {"l1", "l2", "l3"};

/// One level, of data. What nobody stated is absent.
struct Cache {
  std::string Level; ///< one of CacheLevelNames
  std::uint64_t Bytes = 0;
  std::optional<unsigned> LineBytes{};
  std::optional<unsigned> SectorBytes{}; ///< where a part of a line can be fetched
  std::optional<unsigned> Ways{};
  /// Cores, or multiprocessors of a GPU, that have one together.
  std::optional<unsigned> SharedBy{};
  std::optional<WritePolicy> Write{};
  std::optional<bool> WriteAllocate{}; ///< a store that misses fetches the line
  std::optional<Inclusion> Holds{};
  bool WithShared = false; ///< what blocks have as shared memory is taken from its bytes
  std::string Source{};    ///< key of the source
};

} // namespace ergon

#endif
