//===- CacheRoofs.h - cache-aware rooflines ---------------------*- C++ -*-===//
//
// The cache-aware roofline models of Ilic, Pratas and Sousa: performance (IEEE
// Computer Architecture Letters 13(1), 2014), power, energy and efficiency ("Beyond
// the roofline", IEEE Transactions on Computers, 2016; "CARM" below). Intensity is
// flops per byte that the cores load or store, whichever memory level serves it;
// each level has a roof, and a power curve in the shape of a hill.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/Machine.h"

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// Memory levels from the core outward; a level's class is `bytes_` and its name. `shared` is
/// separate: no other byte passes it.
inline constexpr std::array<std::string_view, 5> MemoryLevelNames = {"shared", "l1", "l2", "l3",
                                                                     "dram"};

/// Power over intensity where flops and bytes of one memory level overlap, for a part of a machine
/// or all of it. Rates are positive, powers not negative, the first two not both 0. Intensities may
/// be 0 or infinite.
struct PowerHill {
  double FlopsPerS = 0; ///< F_p
  double BytesPerS = 0; ///< B_y
  double ConstantW = 0; ///< P^q
  double FlopsW = 0;    ///< P^{v,φ}, while flops are done
  double BytesW = 0;    ///< P_y^{v,β}, while bytes of the level move
  /// Where a fit found that variable powers are not additive.
  std::optional<Saturation> Saturates{};

  double ridge() const { return FlopsPerS / BytesPerS; } ///< F_p/B_y: the hill's top
  double attainable(double Intensity) const; ///< F_a,y = min(B_y·AI, F_p) (CARM, section 2)
  double power(double Intensity) const;      ///< watts (CARM, eq. 1 and 2)
  double topPower() const { return powerOf(FlopsW + BytesW); }
  /// Joules of that many flops: P·T (CARM, eq. 3).
  double energy(double Flops, double Intensity) const;
  double efficiency(double Intensity) const; ///< ξ = F_a/P, flops per joule (CARM, eq. 4)
  /// ξ_max = F_p/P^φ with P^φ = P^q + P^{v,φ}, where intensity is infinite.
  double maxEfficiency() const { return FlopsPerS / powerOf(FlopsW); }
  /// The lowest intensity from which on ξ is at least \p Share of ξ_max, 0 < Share ≤ 1: the entry
  /// point to the high-efficiency region (CARM, section 4).
  double entryPoint(double Share) const;

  /// Watts for a sum of variable powers of \p VariableW.
  double powerOf(double VariableW) const {
    return ConstantW + (Saturates ? Saturates->watts(VariableW) : VariableW);
  }
};

/// The maximum power over intensity where bytes may come from several levels at once (Total Power
/// CARM): hills of one part of a machine that differ only in BytesPerS and BytesW. Time and energy
/// of bytes of different levels are additive.
double totalPower(std::span<const PowerHill> Levels, double Intensity);

/// A part of the machine with known power, the package of cores and uncore, or everything in the
/// measurement.
enum class PowerDomain { Cores, Uncore, Package, Machine };
inline constexpr std::array<std::string_view, 4> PowerDomainNames = {"cores", "uncore", "package",
                                                                     "machine"};
/// The key in `ergon-roofs/1`.
inline std::string_view name(PowerDomain D) { return PowerDomainNames[std::size_t(D)]; }

/// A memory level as the cores see it.
struct LevelRoof {
  std::string Level;
  double FlopsPerS = 0; ///< F_p
  double BytesPerS = 0; ///< B_y
  std::map<PowerDomain, PowerHill> Hills;

  /// The intensity, in flops per byte, of the ridge point.
  double ridge() const { return FlopsPerS / BytesPerS; }
  /// F_a,y = min(B_y·AI, F_p), flops per second (CARM, section 2).
  double attainable(double Intensity) const;
};

/// The roofs of a machine at a setting for flops of one class.
struct CacheRoofs {
  std::string FlopsClass;
  std::vector<LevelRoof> Levels; ///< those of known bandwidth, from the core outward
  /// What the profile does not state about levels that it names: one phrase each.
  std::vector<std::string> Unknown;

  /// The hills of a part, for all levels that have one.
  std::vector<PowerHill> hills(PowerDomain D) const;
};

/// B_y is the lowest rate of the level and of those on a byte's path from it, as they overlap.
/// Cores, uncore and package are known where the profile has their power at this clock. The whole
/// machine is known where the level's bytes have an energy cost: then P^q = π0, P^{v,φ} =
/// ε_flop·F_p, P_y^{v,β} = ε_y·B_y, and eq. 1 is the power line of 2013, eq. 7. It includes the
/// saturation of a fit, but not its correction near the samples.
CacheRoofs cacheRoofs(const Machine &M, const Setting &Clocks, const std::string &FlopsClass);

/// The core clock in MHz at which a level as fast as \p Inner meets the ridge point of one like \p
/// Outer, by the settings' ratios of rates to clocks; below it the inner level is no faster.
/// Nothing unless only Inner follows the core clock.
std::optional<double> meetingCoreMhz(const Throughput &Inner, const Throughput &Outer,
                                     const Setting &Clocks);

} // namespace ergon
