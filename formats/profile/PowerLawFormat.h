//===- PowerLawFormat.h - the laws of power in a profile --------*- C++ -*-===//
//
// The members `voltage`, `saturation` and `correction` of a machine profile.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Json.h"
#include "model/machine/Machine.h"

#include <nlohmann/json_fwd.hpp>

namespace ergon {

/// Reads the members that \p Root has into \p M, whose sources were read.
void readPowerLaws(JsonCursor Root, Machine &M);
/// The same members into \p Output.
void addPowerLaws(nlohmann::ordered_json &Output, const Machine &M);

} // namespace ergon
