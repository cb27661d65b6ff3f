//===- FootprintView.h - footprints of loops --------------------*- C++ -*-===//

#pragma once

#include "model/traffic/CacheFits.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace ergon {

/// What the loops of one function touch.
struct FootprintView {
  CacheHierarchy Levels; ///< empty: not requested
  AccessProgram Accesses{};
  std::vector<LoopFits> Loops{};

  /// Of the loop; null where it is none of these, or touches nothing.
  const LoopFits *find(const std::string &Variable, const SourceLocation &Location) const;
};

/// A line for an iteration, one for the whole loop and one for each object: bytes, and the levels
/// they fit.
void printFootprint(const FootprintView &View, const LoopFits &Fits, const std::string &Indent);
/// The same as a member of `ergon-show/1`.
nlohmann::ordered_json jsonOf(const FootprintView &View, const LoopFits &Fits);

} // namespace ergon
