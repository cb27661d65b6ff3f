//===- PowerLaw.cpp - how power departs from a sum of prices --------------===//

#include "model/PowerLaw.h"

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
                       std::span<double> Into) const {
  for (std::size_t K = 0; K != Axes.size(); ++K)
    Into[K] = std::sqrt(Rates[K] / (CoreMhz.value_or(1) * Axes[K].FullRate));
  Into[Axes.size()] = CoreFullMhz > 0 ? 0.5 * CoreMhz.value_or(CoreFullMhz) / CoreFullMhz : 0;
}

double Correction::logFactor(std::span<const double> At) const {
  const std::size_t Size = dimensions();
  const double Scale = -0.5 / (Length * Length);
  double Sum = 0;
  const double *Point = Points.data();
  for (double Weight : Weights) {
    double Square = 0;
    for (std::size_t K = 0; K != Size; ++K) {
      const double Apart = At[K] - Point[K];
      Square += Apart * Apart;
    }
    Point += Size;
    if (const double Power = Scale * Square; Power > -30) // below it nothing is left
      Sum += Weight * std::exp(Power);
  }
  return Sum;
}

} // namespace ergon
