//===- MachineTopology.h - the parts of a machine ---------------*- C++ -*-===//
//
// Caches, the multiprocessors of a GPU, and the cluster of a machine.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/Caches.h"
#include "model/machine/Cluster.h"
#include "model/machine/Occupancy.h"
#include "model/machine/Quantity.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// Core cycles from a load to the use of what it loaded, of one thread, by where that is.
struct MemoryLatencies {
  Quantity Shared, L1, L2, Dram;
};

/// The multiprocessors of a GPU.
struct Device {
  Quantity Multiprocessors;
  ComputeCapability Capability;
  std::string CapabilitySource;
  /// Limits that the profile states itself, by key; the others follow from the capability.
  std::map<std::string, Quantity> Stated;
  MultiprocessorLimits Limits;
  /// Number of shared memory banks, and bytes per bank.
  std::optional<Quantity> SharedBanks{}, SharedBankBytes{};
  /// Whether global loads use L1 before L2 by default.
  std::optional<bool> GlobalLoadsInL1{};
  std::string GlobalLoadsSource{};
  std::optional<MemoryLatencies> Latencies{};
};

/// The parts of a machine. Unknown ones are absent.
struct MachineTopology {
  std::vector<Cache> Caches; ///< nearest the core first; empty where nothing is stated
  std::optional<Device> Gpu;
  std::optional<ergon::Cluster> Cluster; ///< where the machine is a node of one
};

} // namespace ergon
