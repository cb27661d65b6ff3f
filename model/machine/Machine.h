//===- Machine.h - what operations cost on a machine ------------*- C++ -*-===//
//
// A machine profile as plain values: throughput and energy per cost class,
// constant power, power cap, and the frequency settings they hold at. The
// functions answer for one setting. SI units throughout, except that clocks are
// in MHz and voltages in mV, as profiles, samples and vendors write them.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_MACHINE_MACHINE_H
#define ERGON_MODEL_MACHINE_MACHINE_H

#include "model/machine/Caches.h"
#include "model/machine/Cluster.h"
#include "model/machine/Occupancy.h"
#include "model/machine/Pipeline.h"
#include "model/machine/PowerLaw.h"
#include "model/machine/Quantity.h"

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// A part of the machine with a clock and a supply voltage of its own.
enum class Domain { Core, Mem };
inline constexpr std::array<std::string_view, 2> DomainNames = {"core", "mem"};
/// The word in profiles and on the command line.
inline std::string_view name(Domain D) { return DomainNames[std::size_t(D)]; }

/// Clocks and voltages the machine can be put at. What nobody stated is absent;
/// a machine without settings has a single one in which everything is absent.
struct Setting {
  std::optional<double> CoreMhz, MemMhz, CoreMv, MemMv;
  std::string Source; ///< key of the source of these
  /// What the core really ran at where that is not the clock it was asked for: costs
  /// follow it. CoreMhz stays the setting's name.
  std::optional<double> ActualCoreMhz{};

  /// The clock in MHz that costs follow; nothing where it is not stated.
  std::optional<double> mhz(Domain D) const {
    return D == Domain::Mem ? MemMhz : ActualCoreMhz ? ActualCoreMhz : CoreMhz;
  }
  /// Supply voltage in volts.
  std::optional<double> volts(Domain D) const;
  /// True where both have the same clocks: voltages follow from the clocks.
  bool sameClocks(const Setting &Other) const {
    return CoreMhz == Other.CoreMhz && MemMhz == Other.MemMhz;
  }
};

/// Units of a class per second.
struct Throughput {
  Quantity PerS;
  /// Where present, PerS holds at AtMhz and scales with the clock of this domain.
  std::optional<Domain> Clock;
  double AtMhz = 0;
};

/// Energy of one unit of a class.
struct EnergyCost {
  /// Joules; or where Rail is present ĉ0 in J/V², to be multiplied by the square
  /// of that domain's voltage (Choi & Vuduc 2016, eq. 6 and 7), or by another power of
  /// it, Machine::VoltageExponent.
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

/// What kind of processor a profile describes: by it clocks are set with other commands.
enum class MachineKind { Gpu, Cpu };
inline constexpr std::array<std::string_view, 2> MachineKindNames = {"gpu", "cpu"};
/// The word in profiles.
inline std::string_view name(MachineKind K) { return MachineKindNames[std::size_t(K)]; }

/// What going from one setting to another takes, whichever two they are.
struct SwitchCost {
  Quantity TimeS, EnergyJ;
};

/// How coefficients err together. Their names are those of Machine::coefficients().
struct Covariance {
  std::vector<std::string> Coefficients;
  /// Covariances of relative errors, a row for each of Coefficients: symmetric.
  std::vector<std::vector<double>> Relative;
  std::string Source;
};

/// How far a fit is from samples that it was not given: standard deviations of
/// predicted/measured - 1. Energy is predicted from measured time.
struct FitQuality {
  std::optional<Quantity> EnergyError, TimeError;
  /// The part of these that differs between the settings of one workload: what is
  /// left when each workload's mean is taken off. It alone can change a choice.
  std::optional<Quantity> EnergyChoiceError, TimeChoiceError;
  /// In the place of the uncertainties of these coefficients' sources.
  std::optional<Covariance> Together;
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

/// What the vendor says the hardware can do. It prices nothing; numbers are held against it.
struct Datasheet {
  /// Units of a class that the machine does in a cycle of some clock.
  struct Peak {
    double PerClock = 0, Mhz = 0;
    std::string Source;
    /// Units per second.
    double perS() const { return PerClock * Mhz * 1e6; }
  };
  struct Range {
    double Min = 0, Max = 0;
    std::string Source;
  };
  std::map<std::string, Peak> Peaks;
  std::map<std::string, Range> Ranges; ///< by `core_mhz`, `mem_mhz`, `core_mv`, `mem_mv`
};

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

/// A machine profile. Cost classes are named by their keys; a profile may price
/// classes that Ergon itself never counts (samples have any column).
struct Machine {
  std::string Name;
  std::string Description;
  std::map<std::string, Source> Sources;
  std::vector<Setting> Settings = {{}}; ///< never empty
  std::size_t Default = 0;              ///< index in Settings
  std::map<std::string, Throughput> Throughputs;
  std::map<std::string, EnergyCost> Energies;
  ConstantPower Constant;
  std::optional<Quantity> PowerCap; ///< watts that the machine does not exceed for long
  /// p in T = (Σ t^p)^(1/p) over the times t that classes take by themselves: 1 where
  /// nothing overlaps, infinity in a roofline. Without it T is a roofline's.
  std::optional<Quantity> OverlapExponent;
  std::optional<VoltageLaw> CoreLaw; ///< where settings have no core voltage
  /// In the place of the 2 in V², where it was fitted to measured voltages.
  std::optional<Quantity> VoltageExponent;
  std::optional<Saturation> Saturates;
  std::optional<Correction> Corrects;
  std::optional<MachineKind> Kind;
  std::optional<SwitchCost> Switching;
  std::optional<FitQuality> Fit;
  std::optional<ByteEnergy> BytesPaid;
  std::string BytesPaidSource; ///< key of the source of BytesPaid
  std::vector<DomainPower> DomainPowers;
  Datasheet Hardware;
  std::vector<Cache> Caches; ///< nearest the core first; empty where nothing is stated
  std::optional<Device> Gpu;
  std::optional<Pipeline> OfCore;   ///< of a CPU that was calibrated
  std::optional<Cluster> OfCluster; ///< where the machine is one of many

  /// The setting that is meant where none is asked for.
  const Setting &defaultSetting() const { return Settings[Default]; }
  /// The setting with those clocks; a clock that is not given fits any. Null
  /// where none fits, or more than one.
  const Setting *findSetting(std::optional<double> CoreMhz, std::optional<double> MemMhz) const;

  // Each of these is absent where the profile does not say it: no coefficient, or
  // no clock or voltage of the domain at that setting.

  /// Supply voltage in volts; by CoreLaw in units of that at low clocks.
  std::optional<double> volts(Domain D, const Setting &At) const;
  /// V², or the power of V that VoltageExponent says.
  std::optional<double> voltsSquared(Domain D, const Setting &At) const;
  /// Joules for one unit of the class: ε, or ĉ0·V² (2016, eq. 6 and 7).
  std::optional<double> energyPerUnit(const std::string &Class, const Setting &At) const;
  /// Seconds for one unit of the class at full throughput: τ. Inversely
  /// proportional to its domain's clock (2016, at eq. 6).
  std::optional<double> timePerUnit(const std::string &Class, const Setting &At) const;
  /// Watts drawn whatever runs: π0 (2016, eq. 8).
  std::optional<double> constantPower(const Setting &At) const;

  /// Every coefficient by its place in a profile: `energy.flops_f64`,
  /// `throughput.bytes_dram`, `constant_power.misc_w`, `power_cap_w`, `overlap.exponent`. They live
  /// as long as the machine.
  std::map<std::string, Quantity *> coefficients();
  std::map<std::string, const Quantity *> coefficients() const;
};

/// True for a name that can be a cost class: a letter or underscore, then
/// letters, digits and underscores; not one of the words `constant`, `power_cap`
/// and `none` that stand beside classes in predictions.
bool isClassName(std::string_view Name);

} // namespace ergon

#endif
