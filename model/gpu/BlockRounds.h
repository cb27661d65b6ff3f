//===- BlockRounds.h - a kernel's cost by its number of blocks --*- C++ -*-===//
//
// Boughzala, Lefèvre and Orgerie, "Predicting the energy consumption of CUDA kernels using SimGrid"
// (SBAC-PAD 2020; "2020" below): time is linear in the number of blocks, and blocks run in rounds
// of as many as are resident. Three measurements calibrate a kernel on a device.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/Error.h"

#include <cstdint>
#include <expected>
#include <span>
#include <string>

namespace ergon {

/// How a number of blocks fills rounds of \p PerRound blocks.
struct Waves {
  std::int64_t Blocks = 0;   ///< NB, above 0
  std::int64_t PerRound = 0; ///< resident blocks of the device, above 0

  std::int64_t rounds() const { return (Blocks - 1) / PerRound + 1; } ///< ceil(NB/PerRound)
  /// Blocks of the last round: 1 to PerRound.
  std::int64_t tail() const { return Blocks - (rounds() - 1) * PerRound; }
  /// The share of block slots in use over all rounds, above 0, at most 1.
  double filled() const { return double(Blocks) / (double(rounds()) * double(PerRound)); }
};

/// The round form (2020, eq. 4 to 7): every round costs the same, full or not.
struct RoundCost {
  std::int64_t PerRound = 0; ///< concurrent blocks: nbSMs of the paper
  double TimeS = 0;          ///< T_r = a·PerRound (2020, eq. 5)
  double EnergyJ = 0;        ///< E_r = E_b·PerRound + P_s·T_r (2020, eq. 7)

  double power() const { return EnergyJ / TimeS; } ///< P_r, watts (2020, below eq. 7)
  /// T(NB) = T_r·ceil(NB/PerRound), seconds (2020, eq. 4).
  double time(std::int64_t Blocks) const {
    return TimeS * double(Waves{Blocks, PerRound}.rounds());
  }
  /// E(NB) = E_r·ceil(NB/PerRound), joules (2020, eq. 6).
  double energy(std::int64_t Blocks) const {
    return EnergyJ * double(Waves{Blocks, PerRound}.rounds());
  }
};

/// The linear form (2020, eq. 1 to 3).
struct BlockCost {
  double PerBlockS = 0; ///< a, the slope of time, seconds, above 0
  double FixedS = 0;    ///< b, its intercept, seconds; may be below 0
  double PerBlockJ = 0; ///< E_b, dynamic energy of a block, joules, 0 or above
  double StaticW = 0;   ///< P_s, watts

  double time(double Blocks) const { return PerBlockS * Blocks + FixedS; } ///< 2020, eq. 1
  /// E_b·NB + P_s·T(NB), joules (2020, eq. 2 and 3).
  double energy(double Blocks) const { return PerBlockJ * Blocks + StaticW * time(Blocks); }
  /// Costs of a round of \p PerRound blocks. The paper takes one block for each
  /// multiprocessor; more are resident where they fit (2020, section IV-B).
  RoundCost rounds(std::int64_t PerRound) const;
};

/// A kernel launched with some blocks, measured.
struct BlockMeasurement {
  double Blocks = 0; ///< above 0
  double TimeS = 0;  ///< above 0
  double EnergyJ = 0;
};

/// The fit of three or more measurements, and its errors.
struct BlockCalibration {
  BlockCost Cost;
  /// Intercept of the dynamic energy's line, joules. Eq. 3 has none: it is reported, but not used.
  double FixedJ = 0;
  // Root mean square of measured minus modelled, seconds and joules.
  double TimeResidualS = 0, EnergyResidualJ = 0;
  // The largest error of the linear form, relative to the measured value.
  double WorstTime = 0, WorstEnergy = 0;
};

/// Linear regressions of time and of dynamic energy E - P_s·T on the number of blocks (2020,
/// section IV-C). Error, in words: fewer than three measurements or three different numbers of
/// blocks, a number that is not finite or out of range, energy below static energy, a slope that is
/// not above 0 (time) or below 0 (energy).
std::expected<BlockCalibration, Error> calibrate(std::span<const BlockMeasurement> Measured,
                                                 double StaticW);

} // namespace ergon
