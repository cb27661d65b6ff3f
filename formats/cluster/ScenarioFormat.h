//===- ScenarioFormat.h - ergon-scenario/1 ----------------------*- C++ -*-===//
//
// Reads what `ergon simulate` is given: nodes made from machine profiles, a network,
// and what ranks do in order. docs/simulate.md describes the document.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/cluster/Scenario.h"

#include <string_view>

namespace ergon {

/// Errors: not JSON, another schema version, unknown or absent keys, numbers out of their range,
/// names of things that do not exist, a calibration to which no line can be fitted, blocks that do
/// not fit on a multiprocessor, more than 10 million tasks and messages.
std::expected<Scenario, Error> parseScenario(std::string_view Text, const ScenarioSources &From);

} // namespace ergon
