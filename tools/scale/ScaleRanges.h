//===- ScaleRanges.h - where an efficiency is kept, in words ----*- C++ -*-===//

#pragma once

#include "model/cluster/IsoEnergy.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace ergon {

/// `1 to 20, 24, 30 and above`, or `none`.
std::string rangesText(const std::vector<KeptRange> &Ranges);
/// An object with `first`, `last` and `end` for each.
nlohmann::ordered_json rangesJson(const std::vector<KeptRange> &Ranges);

} // namespace ergon
