//===- Cluster.h - time and power parameters of a cluster -------*- C++ -*-===//
//
// The machine vector of Song, Su, Ge, Vishnu and Cameron, "Iso-energy-efficiency"
// (IPDPS 2011; "2011" below), Table 2: V_machine = (t_c, t_m, t_msg, t_Byte,
// P_total-idle, ΔP_c, ΔP_m), each as a power of the clock. A machine profile has
// one; an application may have measured some of its terms anew. The paper's
// processors are whole systems. Where several share a node, terms of the node
// stand beside it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/Quantity.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>

namespace ergon {

/// In the order of the vector. Times in seconds, powers in watts of one processor.
enum class ClusterTerm {
  ComputationS, ///< t_c = CPI/f, of an instruction that stays on the chip
  MemoryS,      ///< t_m, of an access to main memory
  MessageS,     ///< t_msg, to start up a message
  ByteS,        ///< t_Byte, to transmit a byte
  IdleW,        ///< P_total-idle, of the whole system
  ComputationW, ///< ΔP_c = P_c-on - P_c-idle, on top while it computes
  MemoryW,      ///< ΔP_m, on top while it accesses memory
  NetworkW,     ///< P_net-on - P_net-idle (2011, eq. 11); without it eq. 12
  IoW,          ///< ΔP_IO (2011, eq. 9)
  NodeIdleW,    ///< of a node that is in use, whatever its processors do
  NodeMemoryS,  ///< an access takes a node's memory so long, whichever processor waits for it
  NodeMessageS, ///< t_msg between processors of a node; without it that of the network
  NodeByteS,    ///< t_Byte between processors of a node; without it that of the network
};
/// The keys of profiles and of applications, and the paper's symbols.
inline constexpr std::array<std::string_view, 13> ClusterTermNames = {
    "computation_s", "memory_s",       "message_s",  "byte_s", "idle_w",
    "computation_w", "memory_w",       "network_w",  "io_w",   "node_idle_w",
    "node_memory_s", "node_message_s", "node_byte_s"};
inline constexpr std::array<std::string_view, 13> ClusterTermSymbols = {
    "t_c",    "t_m",   "t_msg",  "t_byte",   "P_idle",     "ΔP_c",       "ΔP_m",
    "ΔP_net", "ΔP_IO", "P_node", "t_m,node", "t_msg,node", "t_byte,node"};
/// The key in profiles and applications, and the paper's symbol.
inline std::string_view name(ClusterTerm T) { return ClusterTermNames[std::size_t(T)]; }
inline std::string_view symbol(ClusterTerm T) { return ClusterTermSymbols[std::size_t(T)]; }

/// Amount·(f/AtMhz)^Exponent: t_c has -1, powers γ (2011, at eq. 20). Without
/// AtMhz it is the same at every clock.
struct ClusterQuantity {
  Quantity Amount;
  std::optional<double> AtMhz;
  double Exponent = 0;

  /// The amount at that clock, in the unit of Amount.
  double at(double Mhz) const {
    return AtMhz ? Amount.Value * std::pow(Mhz / *AtMhz, Exponent) : Amount.Value;
  }
};
/// The stated ones.
using ClusterTerms = std::map<ClusterTerm, ClusterQuantity>;

/// A cluster of equal processors, counted by p.
struct Cluster {
  std::optional<Quantity> Processors;        ///< number of processors
  std::optional<Quantity> ProcessorsPerNode; ///< that share a node's power, memory and messages
  ClusterTerms Terms;
};

} // namespace ergon
