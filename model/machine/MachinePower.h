//===- MachinePower.h - what operations cost in energy ----------*- C++ -*-===//
//
// Energies of cost classes, constant power, the power cap, and the laws by which power departs
// from a sum of prices. Joules, watts, volts.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_MACHINE_MACHINEPOWER_H
#define ERGON_MODEL_MACHINE_MACHINEPOWER_H

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

/// π0 = c1,core·V_core + c1,mem·V_mem + P_misc (Choi & Vuduc 2016, eq. 8). A
/// machine of the 2013 model has the last term alone. Without it π0 is not known.
/// Clocks that run whether or not there is work add c_core·f_core·V_core² and
/// c_mem·f_mem (dynamic power, eq. 1, at constant activity).
struct ConstantPower {
  std::optional<Quantity> MiscW;
  std::optional<Quantity> CoreWPerV, MemWPerV;
  std::optional<Quantity> CoreWPerMhzV2{}, MemWPerMhz{};
};

/// What the energy of a byte that an outer memory level serves is to be added to.
enum class ByteEnergy {
  WhereServed, ///< nothing: the level that serves a byte has the price of all of its way
  AtEachLevel, ///< the energies of all levels that the byte passes on its way to the core
};
inline constexpr std::array<std::string_view, 2> ByteEnergyNames = {"where_served",
                                                                    "at_each_level"};
/// The word in profiles.
inline std::string_view name(ByteEnergy E) { return ByteEnergyNames[std::size_t(E)]; }

/// Power of the parts of a processor chip, measured apart with flops of one class
/// and bytes of one memory level at their full rates: Ilic, Pratas and Sousa 2016,
/// section 3, where the comments have the symbols from.
struct DomainPower {
  std::optional<double> CoreMhz; ///< that it holds at; none where the profile has no settings
  std::string FlopsClass;
  Quantity CoresConstantW;                     ///< P_c^q
  Quantity CoresFlopsW;                        ///< P_c^{v,φ}, on top of the constant power
  std::map<std::string, Quantity> CoresBytesW; ///< P_c,y^{v,β} by `bytes_<level>`
  std::optional<Quantity> UncoreConstantW;     ///< P_u^q
  std::optional<Quantity> UncoreDramW;         ///< P_u^v, while main memory is read or written
};

/// What a machine draws. What a profile does not say is absent.
struct MachinePower {
  std::map<std::string, EnergyCost> Energies; ///< by cost class
  ConstantPower Constant;
  std::optional<Quantity> Cap;       ///< watts that the machine does not exceed for long
  std::optional<VoltageLaw> CoreLaw; ///< where settings have no core voltage
  /// In the place of the 2 in V², where it was fitted to measured voltages.
  std::optional<Quantity> VoltageExponent;
  std::optional<Saturation> Saturates;
  std::optional<ByteEnergy> BytesPaid;
  std::string BytesPaidSource; ///< key of the source of BytesPaid
  std::vector<DomainPower> DomainPowers;
};

} // namespace ergon

#endif
