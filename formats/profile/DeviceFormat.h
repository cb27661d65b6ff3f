//===- DeviceFormat.h - the multiprocessors in a profile --------*- C++ -*-===//
//
// The section `device` of a machine profile; machine-profiles/README.md describes it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Json.h"
#include "model/machine/Machine.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <map>
#include <string>
#include <utility>

namespace ergon {

/// What a profile may say of a multiprocessor, by key.
inline constexpr std::array<std::pair<const char *, int MultiprocessorLimits::*>, 12> LimitKeys = {{
    {"threads_per_block", &MultiprocessorLimits::ThreadsPerBlock},
    {"threads", &MultiprocessorLimits::Threads},
    {"blocks", &MultiprocessorLimits::Blocks},
    {"registers", &MultiprocessorLimits::Registers},
    {"registers_per_block", &MultiprocessorLimits::RegistersPerBlock},
    {"registers_per_thread", &MultiprocessorLimits::RegistersPerThread},
    {"register_unit", &MultiprocessorLimits::RegisterUnit},
    {"register_partitions", &MultiprocessorLimits::RegisterPartitions},
    {"shared_bytes", &MultiprocessorLimits::SharedBytes},
    {"shared_bytes_per_block", &MultiprocessorLimits::SharedBytesPerBlock},
    {"shared_unit_bytes", &MultiprocessorLimits::SharedUnit},
    {"shared_reserved_bytes", &MultiprocessorLimits::SharedReserved},
}};

/// Refuses a limit that is no whole number, and a compute capability that is not known
/// here unless every limit is stated.
Device readDevice(JsonCursor Json, const std::map<std::string, Source> &Sources);
/// The object that readDevice() reads back as equal.
nlohmann::ordered_json writeDevice(const Device &D);

} // namespace ergon
