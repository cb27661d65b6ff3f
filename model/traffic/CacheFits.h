//===- CacheFits.h - up to which size data fit a cache ----------*- C++ -*-===//

#ifndef ERGON_MODEL_TRAFFIC_CACHEFITS_H
#define ERGON_MODEL_TRAFFIC_CACHEFITS_H

#include "model/traffic/Footprint.h"
#include "model/traffic/Traffic.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// When some bytes fit a cache: always, never, up to a value of the one symbol that they
/// depend on, or where a formula in several is not above the capacity.
struct CacheFit {
  enum class Kind { Always, Never, UpTo, Where } When;
  std::string Parameter{}; ///< UpTo: the symbol
  std::int64_t Most = 0;   ///< UpTo: its largest value that fits
};
/// When \p Bytes is at most \p Capacity, in bytes; parameters are at least what the formula's own
/// checks say, and are looked at up to 2^40.
CacheFit fitOf(const Expr &Bytes, std::uint64_t Capacity);

/// What a loop touches, and for each level when that fits.
struct LoopFits {
  LoopFootprint Footprint;
  std::vector<CacheFit> PerIteration, Whole;
};
/// Of each loop of \p Program, calls written out, through \p Levels.
std::vector<LoopFits> loopFits(const AccessProgram &Program, const CacheHierarchy &Levels);

} // namespace ergon

#endif
