//===- BlockRounds.cpp - a kernel's cost by its number of blocks ----------===//

#include "model/gpu/BlockRounds.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ergon {

RoundCost BlockCost::rounds(std::int64_t PerRound) const {
  const double TimeS = PerBlockS * double(PerRound);
  return {PerRound, TimeS, PerBlockJ * double(PerRound) + StaticW * TimeS};
}

namespace {
struct Line {
  double Slope, Intercept;
};
} // namespace

/// Linear regression through \p Measured. Centred on the means to avoid cancellation for large
/// numbers of blocks.
template <typename Value>
static Line regression(std::span<const BlockMeasurement> Measured, Value Select) {
  const auto Count = double(Measured.size());
  double MeanX = 0, MeanY = 0, Sxx = 0, Sxy = 0;
  for (const BlockMeasurement &M : Measured) {
    MeanX += M.Blocks / Count;
    MeanY += Select(M) / Count;
  }
  for (const BlockMeasurement &M : Measured) {
    Sxx += (M.Blocks - MeanX) * (M.Blocks - MeanX);
    Sxy += (M.Blocks - MeanX) * (Select(M) - MeanY);
  }
  return {Sxy / Sxx, MeanY - Sxy / Sxx * MeanX};
}

static constexpr const char *Remedy = "correct the measurements";

/// An error in the measurements; empty if there is none.
static std::string problem(std::span<const BlockMeasurement> Measured, double StaticW) {
  std::set<double> Different;
  for (const BlockMeasurement &M : Measured) {
    if (!(M.Blocks >= 1 && M.TimeS > 0 && M.EnergyJ > 0) || !std::isfinite(M.Blocks) ||
        !std::isfinite(M.TimeS) || !std::isfinite(M.EnergyJ))
      return "a measurement has blocks below 1, or a time or energy that is not above 0";
    if (M.EnergyJ < StaticW * M.TimeS)
      return "a measurement has less energy than static power alone takes in its time";
    Different.insert(M.Blocks);
  }
  if (Different.size() < 3)
    return "a calibration needs measurements at three different numbers of blocks";
  return "";
}

std::expected<BlockCalibration, Error> calibrate(std::span<const BlockMeasurement> Measured,
                                                 double StaticW) {
  if (std::string Problem = problem(Measured, StaticW); !Problem.empty())
    return std::unexpected(Error{Problem, "", Remedy});
  const Line Time = regression(Measured, [](auto &M) { return M.TimeS; });
  const Line Dynamic = regression(Measured, [&](auto &M) { return M.EnergyJ - StaticW * M.TimeS; });
  if (!(Time.Slope > 0))
    return std::unexpected(Error{"time does not grow with the number of blocks", "", Remedy});
  if (Dynamic.Slope < 0)
    return std::unexpected(Error{"dynamic energy falls with the number of blocks", "", Remedy});
  BlockCalibration Result{{Time.Slope, Time.Intercept, Dynamic.Slope, StaticW}, Dynamic.Intercept};
  double TimeSquares = 0, EnergySquares = 0;
  for (const BlockMeasurement &M : Measured) {
    const double TimeOff = M.TimeS - Result.Cost.time(M.Blocks);
    const double EnergyOff = M.EnergyJ - Result.Cost.energy(M.Blocks);
    TimeSquares += TimeOff * TimeOff;
    EnergySquares += EnergyOff * EnergyOff;
    Result.WorstTime = std::max(Result.WorstTime, std::abs(TimeOff) / M.TimeS);
    Result.WorstEnergy = std::max(Result.WorstEnergy, std::abs(EnergyOff) / M.EnergyJ);
  }
  Result.TimeResidualS = std::sqrt(TimeSquares / double(Measured.size()));
  Result.EnergyResidualJ = std::sqrt(EnergySquares / double(Measured.size()));
  return Result;
}

} // namespace ergon
