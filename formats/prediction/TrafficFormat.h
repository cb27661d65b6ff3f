//===- TrafficFormat.h - traffic in predictions -----------------*- C++ -*-===//

#pragma once

#include "model/gpu/DeviceReport.h"
#include "model/traffic/TrafficReport.h"

#include <nlohmann/json_fwd.hpp>

namespace ergon {

/// The member `traffic` of a prediction; docs/traffic.md describes it.
nlohmann::ordered_json jsonOf(const TrafficReport &Report);
nlohmann::ordered_json jsonOf(const DeviceReport &Report);

} // namespace ergon
