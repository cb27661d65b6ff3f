//===- SampleBounds.h - numbers that no run has -----------------*- C++ -*-===//
//
// Bounds of what runs of boards and machines can have. Readers refuse what is beyond, where they
// know its line; the checks of samples ask less, for slips of units.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace ergon {

/// Watts: a DGX B200 with eight boards takes at most 14.3 kW (its user guide, "Power
/// specifications").
inline constexpr double MostPowerW = 20000;
/// Seconds: thirty years.
inline constexpr double MostTimeS = 1e9;
inline constexpr double MostEnergyJ = MostPowerW * MostTimeS;
/// Units of a class: a DGX B200 does 1.44e17 operations of 4 bits a second (its data sheet), so
/// that it counts for three months up to here.
inline constexpr double MostCount = 1e24;
/// Megahertz: no processor's clock is lower in use, and sold ones go to 6.2 GHz (Intel's Core
/// i9-14900KS). Memories have an effective clock of some 30 GHz.
inline constexpr double LeastMhz = 10, MostCoreMhz = 10000, MostMemMhz = 100000;

} // namespace ergon
