//===- HardwareFormat.h - what a profile says of the hardware ---*- C++ -*-===//
//
// The parts of a machine profile that the cache-aware rooflines and the check of a
// profile against physics need: `byte_energy`, `domain_power` and `datasheet`.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Json.h"
#include "model/machine/Machine.h"

#include <nlohmann/json_fwd.hpp>

namespace ergon {

/// Reads these parts of the profile \p Root, all optional, into \p M, whose sources
/// and settings are there already.
void readHardware(JsonCursor Root, Machine &M);

/// Adds what readHardware() reads.
void addHardware(nlohmann::ordered_json &Profile, const Machine &M);

} // namespace ergon
