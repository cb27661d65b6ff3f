//===- PlausibleRanges.h - numbers that machines can have -------*- C++ -*-===//
#pragma once

namespace ergon {

// Bounds on watts. A board: NVIDIA's HGX B200 has 1 kW per GPU. A machine: a DGX B200 with eight of
// them takes at most 14.3 kW (its user guide, "Power specifications"). An active processor: Ambiq's
// Apollo, built for low power, takes 34 µA/MHz at 2.1 V or more, which is 0.7 mW at the lowest
// clock accepted here. A small one: a Cortex-A15 takes 0.43 W at 1 GHz (measurements of
// kranik/ARMPM_BUILDMODEL).
inline constexpr double MachineW = 20000, BoardW = 1500, SmallW = 0.3, ProcessorW = 1e-4;
/// Clocks in MHz beyond which they are of another unit.
inline constexpr double LeastMhz = 10, MostCoreMhz = 20000, MostMemMhz = 100000;
/// No processor runs at this clock: sold ones go to 6.2 GHz (Intel's Core i9-14900KS).
inline constexpr double NoCoreMhz = 10000;
/// Factor beyond which the unit is wrong.
inline constexpr double UnitsFactor = 100;
/// Tolerated difference between repeats of one measurement.
inline constexpr double RepeatFactor = 1.2;

} // namespace ergon
