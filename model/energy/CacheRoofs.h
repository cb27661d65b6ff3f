//===- CacheRoofs.h - cache-aware rooflines ---------------------*- C++ -*-===//
//
// The cache-aware roofline models of Ilic, Pratas and Sousa: performance (IEEE
// Computer Architecture Letters 13(1), 2014), power, energy and efficiency ("Beyond
// the roofline", IEEE Transactions on Computers, 2016; "CARM" below). Intensity is
// flops per byte that the cores load or store, whichever memory level serves it;
// each level has a roof, and a power curve in the shape of a hill.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_ENERGY_CACHEROOFS_H
#define ERGON_MODEL_ENERGY_CACHEROOFS_H

#include "model/machine/Machine.h"

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// Memory levels from the core outward; the class of a level is `bytes_` and its
/// name. `shared` stands beside the others: no byte passes it on its way.
inline constexpr std::array<std::string_view, 5> MemoryLevelNames = {"shared", "l1", "l2", "l3",
                                                                     "dram"};

/// Power over intensity where flops and bytes of one memory level overlap: of one
/// part of a machine or of all of it. Rates are above 0, powers 0 or above, the
/// first two not both 0. Intensities may be 0 or infinite.
struct PowerHill {
  double FlopsPerS = 0; ///< F_p
  double BytesPerS = 0; ///< B_y
  double ConstantW = 0; ///< P^q
  double FlopsW = 0;    ///< P^{v,φ}, while flops are done
  double BytesW = 0;    ///< P_y^{v,β}, while bytes of the level move
  /// Where a fit has found that variable powers do not just add up.
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
  /// The lowest intensity from which on ξ is at least \p Share of ξ_max, 0 < Share ≤ 1:
  /// the entry point to the high-efficiency region (CARM, section 4).
  double entryPoint(double Share) const;

  /// Watts where variable powers add up to \p VariableW.
  double powerOf(double VariableW) const {
    return ConstantW + (Saturates ? Saturates->watts(VariableW) : VariableW);
  }
};

/// The most power over intensity when bytes may come from several of the levels at
/// once (Total Power CARM): hills of one part of a machine, alike but for BytesPerS
/// and BytesW. Time and energy of bytes of different levels add up.
double totalPower(std::span<const PowerHill> Levels, double Intensity);

/// A part of the machine whose power is known apart, the package of cores and
/// uncore, or all that a meter saw.
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

  /// The intensity, in flops per byte, at which both roofs meet.
  double ridge() const { return FlopsPerS / BytesPerS; }
  /// F_a,y = min(B_y·AI, F_p), flops per second (CARM, section 2).
  double attainable(double Intensity) const;
};

/// The roofs of a machine at a setting for flops of one class.
struct CacheRoofs {
  std::string FlopsClass;
  std::vector<LevelRoof> Levels; ///< those of known bandwidth, from the core outward
  /// What the profile does not say of levels that it names: one phrase each.
  std::vector<std::string> Unknown;

  /// The hills that a part has, of all levels that have one.
  std::vector<PowerHill> hills(PowerDomain D) const;
};

/// B_y is the least rate of the level and those a byte passes on its way from it, as
/// they overlap. Cores, uncore and package are known where the profile has their
/// power at this clock. The whole machine is, by its energies, where the price of the
/// level's bytes is: then P^q = π0, P^{v,φ} = ε_flop·F_p, P_y^{v,β} = ε_y·B_y, and eq. 1
/// is the power line of 2013, eq. 7. The saturation of a fit is in it, its correction
/// near the samples is not.
CacheRoofs cacheRoofs(const Machine &M, const Setting &Clocks, const std::string &FlopsClass);

/// The core clock in MHz at which a level as fast as \p Inner meets the ridge point of
/// one like \p Outer, by the settings' proportion of rates to clocks; below it the
/// inner level is no faster. Nothing where not exactly Inner follows the core clock.
std::optional<double> meetingCoreMhz(const Throughput &Inner, const Throughput &Outer,
                                     const Setting &Clocks);

} // namespace ergon

#endif
