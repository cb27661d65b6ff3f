//===- MachinePower.h - what operations cost in energy ----------*- C++ -*-===//
//
// Energies of cost classes, constant power, the power cap, and the laws for deviations of power
// from a sum of costs. Joules, watts, volts.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/PowerLaw.h"
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

/// Energy of one unit of a class.
struct EnergyCost {
  /// Joules; or where Rail is present ĉ0 in J/V², to be multiplied by the square
  /// of that domain's voltage (Choi & Vuduc 2016, eq. 6 and 7), or by another power of
  /// it, MachinePower::VoltageExponent.
  Quantity Coefficient;
  std::optional<Domain> Rail;
};

/// π0 = c1,core·V_core + c1,mem·V_mem + P_misc (Choi & Vuduc 2016, eq. 8). A machine of the 2013
/// model has only the last term. Without it π0 is unknown. Clocks that run without work add
/// c_core·f_core·V_core² and c_mem·f_mem (dynamic power, eq. 1, at constant activity).
struct ConstantPower {
  std::optional<Quantity> MiscW;
  std::optional<Quantity> CoreWPerV, MemWPerV;
  std::optional<Quantity> CoreWPerMhzV2{}, MemWPerMhz{};
};

/// What the energy of a byte from an outer memory level includes.
enum class ByteEnergy {
  WhereServed, ///< everything: the price of the level covers the byte's whole path
  AtEachLevel, ///< only its own level: the energies of all levels on the path to the core are added
};
inline constexpr std::array<std::string_view, 2> ByteEnergyNames = {"where_served",
                                                                    "at_each_level"};
/// The word in profiles.
inline std::string_view name(ByteEnergy E) { return ByteEnergyNames[std::size_t(E)]; }

/// Power of the parts of a processor chip, measured separately with flops of one class and bytes of
/// one memory level at their full rates: Ilic, Pratas and Sousa 2016, section 3, the source of the
/// symbols below.
struct DomainPower {
  std::optional<double> CoreMhz; ///< the clock of these; none where the profile has no settings
  std::string FlopsClass;
  Quantity CoresConstantW;                     ///< P_c^q
  Quantity CoresFlopsW;                        ///< P_c^{v,φ}, on top of the constant power
  std::map<std::string, Quantity> CoresBytesW; ///< P_c,y^{v,β} by `bytes_<level>`
  std::optional<Quantity> UncoreConstantW;     ///< P_u^q
  std::optional<Quantity> UncoreDramW;         ///< P_u^v, while main memory is read or written
};

/// The power of a machine. Unknown parts are absent.
struct MachinePower {
  std::map<std::string, EnergyCost> Energies; ///< by cost class
  ConstantPower Constant;
  std::optional<Quantity> Cap;       ///< watts that the machine does not exceed for long
  std::optional<VoltageLaw> CoreLaw; ///< where settings have no core voltage
  /// Replaces the 2 in V², where it was fitted to measured voltages.
  std::optional<Quantity> VoltageExponent;
  std::optional<Saturation> Saturates;
  std::optional<ByteEnergy> BytesPaid;
  std::string BytesPaidSource; ///< key of the source of BytesPaid
  std::vector<DomainPower> DomainPowers;
};

} // namespace ergon
