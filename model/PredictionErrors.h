//===- PredictionErrors.h - how far predictions are off ---------*- C++ -*-===//
#ifndef ERGON_MODEL_PREDICTIONERRORS_H
#define ERGON_MODEL_PREDICTIONERRORS_H

#include "model/Statistics.h"

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

namespace ergon {

/// Of |predicted/measured - 1| in several cases.
struct PredictionErrors {
  std::size_t Cases = 0;
  double Median = 0, Percentile90 = 0, Largest = 0;
};

/// \p Ratios are predicted/measured. Nothing where there are none.
inline std::optional<PredictionErrors> errorsOf(const std::vector<double> &Ratios) {
  if (Ratios.empty())
    return std::nullopt;
  std::vector<double> Errors;
  for (const double Each : Ratios)
    Errors.push_back(std::abs(Each - 1));
  return PredictionErrors{Errors.size(), median(Errors), quantile(Errors, 0.9),
                          quantile(Errors, 1)};
}

} // namespace ergon

#endif
