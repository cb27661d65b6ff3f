//===- Sampling.cpp - when there are enough samples -----------------------===//

#include "calibration/Sampling.h"
#include "model/Statistics.h"

#include <algorithm>
#include <cmath>

namespace ergon {

Middle middleOf(std::vector<double> Of) {
  const double Centre = median(Of);
  std::vector<double> Distances;
  for (double Each : Of)
    Distances.push_back(std::abs(Each - Centre));
  const double Limit = 5 * 1.4826 * median(Distances);
  Middle Result;
  // Half of them are no farther than the median of the distances: these are never left out.
  Result.Outliers = std::erase_if(Of, [&](double Each) { return std::abs(Each - Centre) > Limit; });
  Result.Samples = Of.size();
  std::ranges::sort(Of);
  Result.Median = median(Of);
  const double N = double(Of.size()), Wide = 0.98 * std::sqrt(N);
  const double Below = std::floor(N / 2 - Wide), Above = std::ceil(N / 2 + Wide);
  Result.Low = Of[std::size_t(std::clamp(Below - 1, 0.0, N - 1))];
  Result.High = Of[std::size_t(std::clamp(Above, 0.0, N - 1))];
  return Result;
}

} // namespace ergon
