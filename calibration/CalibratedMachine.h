//===- CalibratedMachine.h - a profile from probes --------------*- C++ -*-===//
#pragma once

#include "calibration/Probes.h"
#include "calibration/Sampling.h"
#include "model/machine/Machine.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// What was found of a probe: seconds of an iteration.
struct Measured {
  const Probe *Probed = nullptr;
  MedianInterval Seconds;
  double ClockHz = 0; ///< of the core meanwhile; 0 where it is not known
};

/// A mixture of operations that other probes measured alone, and its time as they predict it.
struct MixedProbe {
  const Probe *Probed = nullptr;
  double MeasuredS = 0, PredictedS = 0; ///< an iteration
  /// Relative: predicted/measured - 1.
  double error() const { return PredictedS / MeasuredS - 1; }
};

/// Brings the times of probes that only the core decides, on data in its own caches or on none, to
/// one clock: that of most probes with as many threads and bits, as cores may run slower together
/// or with wide vectors. Returns the clocks of single threads without vectors. Does nothing, and
/// returns nothing, where a clock is not known, as of samples that an earlier run took.
std::vector<double> bringToOneClock(std::vector<Measured> &All);

/// Mixtures whose parts were measured, in the order of \p All. The predicted time of a mixture is
/// the longest of its parts' times, in a chain their sum. Nothing is fitted.
std::vector<MixedProbe> predictMixed(const std::vector<Measured> &All);

/// The best rate of each class in units a second, with its interval. Only probes count that cause
/// no traffic at other levels than their own; not those of flushed data.
std::map<std::string, MeasuredQuantity> bestRates(const std::vector<Measured> &All,
                                                  unsigned LineBytes, const std::string &Source);

/// Puts throughputs, their uncertainties, the pipeline and the error of mixtures into \p M, from
/// the source of that key.
void fillMachine(Machine &M, const std::vector<Measured> &All, const std::vector<MixedProbe> &Mixed,
                 const std::vector<double> &ClockHz, unsigned LineBytes, const std::string &Source);

} // namespace ergon
