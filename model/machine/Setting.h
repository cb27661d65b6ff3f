//===- Setting.h - clocks and voltages of a machine -------------*- C++ -*-===//
//
// The parts of a machine with their own clock, and their possible clocks and voltages: in MHz and
// mV, as in profiles, samples and data sheets.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ergon {

/// A part of the machine with a clock and a supply voltage of its own.
enum class Domain { Core, Mem };
inline constexpr std::array<std::string_view, 2> DomainNames = {"core", "mem"};
/// The word in profiles.
inline std::string_view name(Domain D) { return DomainNames[std::size_t(D)]; }

/// Clocks and voltages of the machine. Unknown ones are absent; a machine without settings has one
/// in which everything is absent.
struct Setting {
  std::optional<double> CoreMhz, MemMhz, CoreMv, MemMv;
  std::string Source; ///< key of the source of these
  /// The core's real clock where it differs from the requested one: costs follow it. CoreMhz
  /// remains the setting's name.
  std::optional<double> ActualCoreMhz{};

  /// The clock in MHz that costs follow; nothing where unknown.
  std::optional<double> mhz(Domain D) const {
    return D == Domain::Mem ? MemMhz : ActualCoreMhz ? ActualCoreMhz : CoreMhz;
  }
  /// Supply voltage in volts.
  std::optional<double> volts(Domain D) const;
  /// Whether both have the same clocks: voltages follow from the clocks.
  bool sameClocks(const Setting &Other) const {
    return CoreMhz == Other.CoreMhz && MemMhz == Other.MemMhz;
  }
};

} // namespace ergon
