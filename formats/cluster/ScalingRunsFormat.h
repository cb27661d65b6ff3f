//===- ScalingRunsFormat.h - runs on several processors as CSV --*- C++ -*-===//
#pragma once

#include "formats/json/Error.h"
#include "model/cluster/ScalingRuns.h"

#include <array>
#include <expected>
#include <string_view>

namespace ergon {

/// The columns; `p` and `time_s` must be there.
inline constexpr std::array<std::string_view, 7> ScalingRunColumns = {
    "workload", "n", "p", "nodes", "core_mhz", "time_s", "energy_j"};

/// Errors: those of CsvTable, an unknown column, `p`, `n` or `nodes` that are no whole numbers from
/// 1 to 1e15, a time or energy that is not from 1e-12 to 1e15, more nodes than processors.
std::expected<ScalingRuns, Error> parseScalingRuns(std::string_view Text);

} // namespace ergon
