//===- PredictionJson.h - values that predictions are made of ---*- C++ -*-===//
//
// Pieces of JSON that several documents have in common.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/energy/Cost.h"
#include "model/program/SymbolEstimate.h"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// Whole numbers exactly up to 2^63, others as the nearest double.
nlohmann::ordered_json jsonOf(const Rational &Value);
/// Objects: numbers by name as above, bounds as `low` and `high`, an interval with its `value` too.
nlohmann::ordered_json jsonOf(const std::map<std::string, Rational> &Values);
nlohmann::ordered_json jsonOf(const std::map<std::string, Bounds> &Ranges);
nlohmann::ordered_json jsonOf(const Interval &I);
/// Its symbol, value, range and source.
nlohmann::ordered_json jsonOf(const SymbolEstimate &E);
/// Its clocks.
nlohmann::ordered_json jsonOf(const Setting &Clocks);
/// Adds `measured` and `measure_next` to \p Document where there are measured runs.
void addMeasured(nlohmann::ordered_json &Document, const std::vector<ComparedRun> &Runs,
                 const std::optional<Setting> &Next);

} // namespace ergon
