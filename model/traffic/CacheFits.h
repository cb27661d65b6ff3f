//===- CacheFits.h - up to which size data fit a cache ----------*- C++ -*-===//

#pragma once

#include "model/traffic/Footprint.h"
#include "model/traffic/Traffic.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// When some bytes fit a cache: always, never, up to a value of the one symbol that they depend on,
/// or where a formula in several symbols is at most the capacity.
struct CacheFit {
  enum class Kind { Always, Never, UpTo, Where } When;
  std::string Parameter{}; ///< UpTo: the symbol
  std::int64_t Most = 0;   ///< UpTo: its largest value that fits
};
/// When \p Bytes is at most \p Capacity, in bytes. Parameters are searched from the minimum that
/// the formula's checks imply up to 2^40.
CacheFit fitOf(const Expr &Bytes, std::uint64_t Capacity);

/// The footprint of a loop, and for each level when it fits.
struct LoopFits {
  LoopFootprint Footprint;
  std::vector<CacheFit> PerIteration, Whole;
};
/// For each loop of \p Program, with calls expanded, and \p Levels.
std::vector<LoopFits> loopFits(const AccessProgram &Program, const CacheHierarchy &Levels);

} // namespace ergon
