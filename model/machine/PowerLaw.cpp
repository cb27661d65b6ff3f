//===- PowerLaw.cpp - deviations of power from a sum of costs -------------===//

#include "model/machine/PowerLaw.h"

#include <algorithm>
#include <cmath>

namespace ergon {

double Saturation::watts(double SumW) const {
  return ReferenceW.Value * std::pow(SumW / ReferenceW.Value, Exponent.Value);
}

double Saturation::sumWatts(double Watts) const {
  return ReferenceW.Value * std::pow(Watts / ReferenceW.Value, 1 / Exponent.Value);
}

void Correction::place(std::span<const double> Rates, std::optional<double> CoreMhz,
                       std::span<double> Result) const {
  for (std::size_t K = 0; K != Axes.size(); ++K)
    Result[K] = std::sqrt(Rates[K] / (CoreMhz.value_or(1) * Axes[K].FullRate));
  Result[Axes.size()] = CoreFullMhz > 0 ? 0.5 * CoreMhz.value_or(CoreFullMhz) / CoreFullMhz : 0;
}

double Correction::logFactor(std::span<const double> Values) const {
  // Coordinate by coordinate over blocks of points, for vectorization.
  constexpr std::size_t Block = 32;
  // Beyond this distance, in units of 2·length², a point contributes less than 1e-6 of its weight.
  constexpr double Far = 14;
  const double Scale = 0.5 / (Length * Length);
  const std::size_t Count = Weights.size();
  double Sum = 0;
  for (std::size_t First = 0; First < Count; First += Block) {
    const std::size_t Current = std::min(Block, Count - First);
    double Squares[Block] = {};
    for (std::size_t D = 0; D != Values.size(); ++D) {
      const double *Coordinate = Points.data() + D * Count + First;
      for (std::size_t K = 0; K != Current; ++K) {
        const double Apart = Values[D] - Coordinate[K];
        Squares[K] += Apart * Apart;
      }
    }
    for (std::size_t K = 0; K != Current; ++K)
      if (const double Power = Scale * Squares[K]; Power < Far)
        Sum += Weights[First + K] * std::exp(-Power);
  }
  return Sum;
}

} // namespace ergon
