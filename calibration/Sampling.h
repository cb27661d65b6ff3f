//===- Sampling.h - when there are enough samples ---------------*- C++ -*-===//
#ifndef ERGON_CALIBRATION_SAMPLING_H
#define ERGON_CALIBRATION_SAMPLING_H

#include <cstddef>
#include <vector>

namespace ergon {

/// The middle of samples, and where the middle of all that could be taken is with 95 %.
struct Middle {
  double Median = 0, Low = 0, High = 0;
  std::size_t Samples = 0, Outliers = 0; ///< that were used; that were not
  /// Half the interval's width relative to the median.
  double relative() const { return (High - Low) / 2 / Median; }
};

/// Leaves out what is farther from the median than five standard deviations, these estimated
/// from the median of the distances (1.4826 of it, for normal errors). The interval is of order
/// statistics: whatever the distribution, n/2 ± 0.98·√n of n sorted samples enclose its median
/// (binomial, normal approximation). Fewer than 6 give their extremes, which is less than 95 %.
/// \p Of must not be empty.
Middle middleOf(std::vector<double> Of);

/// How well a probe is to be measured.
struct SamplingGoal {
  double SampleS = 2e-3;             ///< a sample takes so long at least
  double Relative = 0.01;            ///< the interval is to be so tight
  std::size_t Least = 10, Most = 60; ///< samples that are good
  std::size_t Attempts = 150;        ///< good ones and those that are dropped

  bool reached(const std::vector<double> &By) const {
    return By.size() >= Least && middleOf(By).relative() <= Relative;
  }
};

/// The goal of a coarse run of some seconds.
inline constexpr SamplingGoal QuickGoal = {2e-3, 0.05, 4, 6, 20};

} // namespace ergon

#endif
