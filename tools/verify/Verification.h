//===- Verification.h - compares predictions with measurements --*- C++ -*-===//
//
// What CommandVerify.cpp finds out of the shipped kernels and VerificationView.cpp shows.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "calibration/Probes.h"
#include "calibration/Sampling.h"
#include "formats/json/Error.h"
#include "model/energy/Cost.h"
#include "verification/Workloads.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ergon {

/// A kernel with data of a size, on threads that each have data of their own.
struct KernelCase {
  const VerifiedKernel *Kernel = nullptr;
  std::string Level = "none"; ///< where the data of a run are found: `l1` … `dram`
  unsigned Threads = 1;
  std::uint64_t Bytes = 0; ///< of data, at most, for each thread
};

/// The result. Times and energies are of one run of the kernel, in all threads at once.
struct VerifiedCase {
  KernelCase Case;
  std::uint64_t Bytes = 0;
  std::vector<std::string> Given; ///< NAME=VALUE
  std::vector<std::string> Known; ///< the same of unknowns, which follow from the data
  /// NAME=:BYTES of objects that are accessed anywhere, as for `--place`.
  std::vector<std::string> Places;
  std::optional<Cost> Predicted;
  std::string NotPredicted; ///< why
  std::optional<MedianInterval> Seconds;
  std::string NotMeasured;      ///< why, where it is not for want of good samples
  std::optional<double> Joules; ///< the median of some samples

  /// Predicted time or energy over the measured one, where there are both.
  std::optional<double> timeRatio() const;
  std::optional<double> energyRatio() const;
};

struct VerificationPlan {
  std::string Machine; ///< a shipped one or a profile's path
  KernelVariant Variant;
  std::string Records; ///< the variant's
  std::vector<KernelCase> Cases;
  SamplingGoal Goal;
  unsigned Passes = 1;              ///< over those without enough samples
  std::vector<std::string> LeftOut; ///< levels, a phrase each
};

/// What loads in order got from memory, in bytes a second, while kernels were measured there.
struct MemoryRate {
  unsigned Threads = 1;
  double Low = 0, Median = 0, High = 0; ///< a tenth of the looks gave less, a tenth more
  std::optional<double> Profile;        ///< what the profile says
};

struct VerificationResult {
  std::vector<VerifiedCase> Cases;
  bool HasMeter = false;
  std::string Meter; ///< what energies were measured by, or why they were not
  SampleTotals Samples;
  /// Cases with too few samples, with wider intervals than wanted, and with disturbed samples.
  std::vector<std::string> Unmeasured, Wide, Disturbed;
  double ClockHz = 0;                   ///< of the first processor, in the beginning
  std::optional<double> ProfileClockHz; ///< what it was when the profile was made
  std::vector<MemoryRate> MemoryRates;
};

/// `csr, l2, 2 threads`.
std::string name(const KernelCase &Case);

using ShowCase = std::function<void(const VerifiedCase &, bool HasMeter)>;

/// Predicts, measures and shows one case after another. Errors: an invalid profile or record; the
/// machine is too busy.
std::expected<VerificationResult, Error> verifyKernels(const VerificationPlan &Plan,
                                                       const ShowCase &Show);

/// Each predicted/measured - 1 in groups: by level and threads, and all together.
using ErrorGroups = std::vector<std::pair<std::string, std::vector<double>>>;
/// Groups in the order in which they first come; cases without a ratio are left out.
ErrorGroups groupErrors(const std::vector<VerifiedCase> &VerifiedCases,
                        std::optional<double> (VerifiedCase::*Ratio)() const);

/// The table's heading, and the row of one case as soon as it is measured.
void printHeading(bool HasEnergy);
void printCase(const VerifiedCase &Case, bool HasEnergy);
/// What stands below the cases.
void printSummary(const VerificationResult &Result, const VerificationPlan &Plan);
void printVerificationJson(const VerificationResult &Result, const VerificationPlan &Plan);

} // namespace ergon
