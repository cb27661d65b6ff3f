//===- Machine.h - what operations cost on a machine ------------*- C++ -*-===//
//
// A machine profile as plain values: throughput and energy per cost class, constant power, power
// cap, and the settings at which they hold. The functions answer for one setting. SI units, except
// clocks in MHz and voltages in mV, as in profiles, samples and data sheets.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/Datasheet.h"
#include "model/machine/MachineFit.h"
#include "model/machine/MachinePower.h"
#include "model/machine/MachineTiming.h"
#include "model/machine/MachineTopology.h"
#include "model/machine/Quantity.h"
#include "model/machine/Setting.h"

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// The kind of processor of a profile: determines how clocks are set, and which code it prices.
enum class MachineKind { Gpu, Cpu };
inline constexpr std::array<std::string_view, 2> MachineKindNames = {"gpu", "cpu"};
/// The word in profiles.
inline std::string_view name(MachineKind K) { return MachineKindNames[std::size_t(K)]; }

/// A machine profile. Cost classes are named by their keys; a profile may have costs of classes
/// that Ergon never counts (samples may have any column).
struct Machine {
  std::string Name;
  std::string Description;
  std::optional<MachineKind> Kind;
  /// The command that the profile holds data for, such as `scale`, where it does not price
  /// programs.
  std::string DataFor;
  std::map<std::string, Source> Sources;
  std::vector<Setting> Settings = {{}}; ///< never empty
  std::size_t Default = 0;              ///< index in Settings
  MachineTiming Timing;
  MachinePower Power;
  MachineTopology Topology;
  Datasheet Hardware;
  MachineFit Fit;

  /// The processor that costs are of: the stated kind, or what its parts tell.
  std::optional<MachineKind> processor() const;
  /// The setting that is used where none is given.
  const Setting &defaultSetting() const { return Settings[Default]; }
  /// The setting with those clocks; an absent clock matches any. Null where none matches, or more
  /// than one.
  const Setting *findSetting(std::optional<double> CoreMhz, std::optional<double> MemMhz) const;

  // Each is absent where the profile does not state it: no coefficient, or no clock or voltage of
  // the domain at that setting.

  /// Supply voltage in volts; with Power.CoreLaw relative to the voltage at low clocks.
  std::optional<double> volts(Domain D, const Setting &Clocks) const;
  /// V², or the power of V in Power.VoltageExponent.
  std::optional<double> voltsSquared(Domain D, const Setting &Clocks) const;
  /// Joules for one unit of the class: ε, or ĉ0·V² (2016, eq. 6 and 7).
  std::optional<double> energyPerUnit(const std::string &Class, const Setting &Clocks) const;
  /// Seconds for one unit of the class at full throughput: τ. Inversely
  /// proportional to its domain's clock (2016, at eq. 6).
  std::optional<double> timePerUnit(const std::string &Class, const Setting &Clocks) const;
  /// Power in watts whatever runs: π0 (2016, eq. 8).
  std::optional<double> constantPower(const Setting &Clocks) const;

  /// Every coefficient by its path in a profile: `energy.flops_f64`, `throughput.bytes_dram`,
  /// `constant_power.misc_w`, `power_cap_w`, `overlap.exponent`. Valid as long as the machine.
  std::map<std::string, Quantity *> coefficients();
  std::map<std::string, const Quantity *> coefficients() const;
};

} // namespace ergon
