//===- GpuMachine.h - a profile from a GPU's probes -------------*- C++ -*-===//
#pragma once

#include "calibration/Sampling.h"
#include "calibration/cuda/GpuProbes.h"
#include "model/fit/Samples.h"
#include "model/machine/Machine.h"

#include <optional>
#include <string>
#include <vector>

namespace ergon::cuda {

/// What was found of a probe: one launch of a middle length.
struct GpuMeasured {
  const GpuProbe *Probe = nullptr;
  Counts Units;                        ///< of the launch
  MedianInterval Seconds;              ///< of the launch
  std::optional<MedianInterval> Watts; ///< where there is a meter
};

/// A mixture of operations that other probes measured alone, and its time as they predict it.
struct GpuMixed {
  const GpuProbe *Probe = nullptr;
  double MeasuredS = 0, PredictedS = 0; ///< a launch
  /// Relative: predicted/measured - 1.
  double error() const { return PredictedS / MeasuredS - 1; }
};

/// Whether a class gets a rate and a price. Counts of memory instructions do not, because they
/// depend on the width of accesses; bytes do.
bool isPriced(const std::string &Class);

/// The best rate of each class that a probe shows, with its interval, into \p M; of bytes of L2 and
/// of main memory that of a copy, as most kernels read and write.
void addRates(Machine &M, const std::vector<GpuMeasured> &All, const std::string &Source);

/// What the walks took: cycles from a load to the next that needs it, with all that is fixed taken
/// off, into the device of \p M. Nothing where one of the levels has no walk.
void addLatencies(Machine &M, const std::vector<GpuMeasured> &All, double ClockHz,
                  const std::string &Source);

/// The rates of `issue_<pipe>`, `warp_instructions` and `latency_cycles` into \p M: of pipes that a
/// probe fills what it reached, of others what NVIDIA states for the capability, at \p ClockHz.
void addIssueRates(Machine &M, double ClockHz, const std::string &Source);

/// Mixtures by the rates of \p M as a roofline has them: the longest of the times of their classes.
std::vector<GpuMixed> predictMixed(const Machine &M, const std::vector<GpuMeasured> &All);

/// Rows for a fit of energies: those of probes with random operands whose bytes are known at each
/// level. Empty without a meter.
Samples energySamples(const std::vector<GpuMeasured> &All, double CoreMhz);

/// The power with zeros as operands, relative to that with random ones, for each class that has
/// both.
struct ZerosShare {
  std::string Probe;
  double Share = 0;
};
/// A row for each class that was measured both with zeros and with random operands, in the order of
/// the probes.
std::vector<ZerosShare> zerosShares(const std::vector<GpuMeasured> &All);

/// Lowers the prices of bytes in \p M, fitted to random data, to the middle between these and
/// zeros: what programs move flips fewer bits than random numbers. By how much, from the power
/// beyond constant power of streams with both.
void takeMiddle(Machine &M, const std::vector<GpuMeasured> &All);

/// Probes of main memory that are no slower than those of L2: a cache may have had their data.
std::vector<std::string> notBeyondL2(const std::vector<GpuMeasured> &All);

/// Puts the GPU's kind, device and L2 into \p M.
void addDevice(Machine &M, const Properties &P, const std::string &Source);

} // namespace ergon::cuda
