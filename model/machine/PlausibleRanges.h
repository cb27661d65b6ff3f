//===- PlausibleRanges.h - numbers that machines and runs have --*- C++ -*-===//
//
// Readers refuse what is beyond, where they know its line; the checks of samples ask less, for
// slips of units.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace ergon {

/// Watts: a DGX B200 with eight boards takes at most 14.3 kW (its user guide, "Power
/// specifications").
inline constexpr double MostPowerW = 20000;
/// A board: NVIDIA's HGX B200 has 1 kW per GPU.
inline constexpr double BoardW = 1500;
/// A small processor: a Cortex-A15 takes 0.43 W at 1 GHz (measurements of kranik/ARMPM_BUILDMODEL).
inline constexpr double SmallW = 0.3;
/// An active processor: Ambiq's Apollo, built for low power, takes 34 µA/MHz at 2.1 V or more,
/// which is 0.7 mW at the lowest clock accepted here.
inline constexpr double LeastPowerW = 1e-4;
/// Seconds: thirty years.
inline constexpr double MostTimeS = 1e9;
inline constexpr double MostEnergyJ = MostPowerW * MostTimeS;
/// Units of a class: a DGX B200 does 1.44e17 operations of 4 bits a second (its data sheet), so
/// that it counts for three months up to here.
inline constexpr double MostCount = 1e24;
/// Megahertz: no processor's clock is lower in use, and sold ones go to 6.2 GHz (Intel's Core
/// i9-14900KS). Memories have an effective clock of some 30 GHz.
inline constexpr double LeastMhz = 10, MostCoreMhz = 10000, MostMemMhz = 100000;
/// The unit that \p Mhz, a clock of at most \p Most, looks like where it is not in MHz; else null.
inline const char *otherUnitOfClock(double Mhz, double Most) {
  return Mhz < LeastMhz ? "GHz" : Mhz > Most ? "kHz or Hz" : nullptr;
}
/// Factor beyond which the unit is wrong.
inline constexpr double UnitsFactor = 100;
/// Tolerated difference between repeats of one measurement.
inline constexpr double RepeatFactor = 1.2;
/// Time at a clock over that at a lower one, beyond which a run is doubtful; honest sweeps: 1.40.
inline constexpr double TimeRises = 1.6;

} // namespace ergon
