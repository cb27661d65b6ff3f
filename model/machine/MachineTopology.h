//===- MachineTopology.h - the parts of a machine ---------------*- C++ -*-===//
//
// Caches, the multiprocessors of a GPU, and the cluster that a machine is one of.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_MACHINE_MACHINETOPOLOGY_H
#define ERGON_MODEL_MACHINE_MACHINETOPOLOGY_H

#include "model/machine/Caches.h"
#include "model/machine/Cluster.h"
#include "model/machine/Occupancy.h"
#include "model/machine/Quantity.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// The multiprocessors of a GPU.
struct Device {
  Quantity Multiprocessors;
  ComputeCapability Capability;
  std::string CapabilitySource;
  /// Those that the profile states itself, by key; the rest are the capability's.
  std::map<std::string, Quantity> Stated;
  MultiprocessorLimits Limits;
  /// Banks of shared memory, and the bytes that one is wide.
  std::optional<Quantity> SharedBanks{}, SharedBankBytes{};
  /// Loads of global memory look in L1 before L2, unless the code says otherwise.
  std::optional<bool> GlobalLoadsInL1{};
  std::string GlobalLoadsSource{};
};

/// The parts of a machine. What a profile does not say is absent.
struct MachineTopology {
  std::vector<Cache> Caches; ///< nearest the core first; empty where nothing is stated
  std::optional<Device> Gpu;
  std::optional<ergon::Cluster> Cluster; ///< where the machine is one of many
};

} // namespace ergon

#endif
