//===- Campaign.h - samples of all probes -----------------------*- C++ -*-===//
//
// Which samples are taken, which of them are used, and when there are enough. The caller provides
// the samples.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "calibration/CalibratedMachine.h"
#include "calibration/Sampling.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ergon {

struct Progress {
  std::size_t Done = 0, Index = 0; ///< probes, in this round
  unsigned Round = 0;
  double LeftS = 0; ///< from what it took so far
  const Probe *Next = nullptr;
};

/// What a campaign works with.
struct CampaignHooks {
  /// Empty where there is no memory for the data.
  std::function<TakeSample(const Probe &)> Open;
  /// Good samples of a probe, of so many iterations each; false: to be ended.
  std::function<bool(const Probe &, std::uint64_t Iterations, const std::vector<double> &Seconds)>
      Keep;
  std::function<bool()> Stop;
  std::function<void(const Progress &)> Show;
  SampleSizes *Sizes; ///< those that are known; others are put in
};

enum class CampaignEnd {
  Done,
  Stopped, ///< by Stop or Keep
  TooBusy, ///< almost no sample can be used
};

struct CampaignResult : SampleTotals {
  CampaignEnd End = CampaignEnd::Done;
  std::vector<Measured> Probes;
  std::size_t Outliers = 0;
  std::vector<std::string> Unmeasured; ///< too few samples
  std::vector<std::string> Wide;       ///< the interval is wider than wanted
  /// Disturbed samples had to be used, too: the interval has room for what disturbed them.
  std::vector<std::string> Disturbed;
  std::map<std::string, double> OtherClockHz; ///< of probes that ran at another clock: 2 % off
};

/// Samples all probes that \p Earlier, seconds of an iteration by name, has not enough samples of.
CampaignResult sampleAll(const std::vector<Probe> &Probes,
                         const std::map<std::string, std::vector<double>> &Earlier,
                         const SamplingGoal &Goal, double ClockHz, const CampaignHooks &Hooks);

/// Seconds that a probe takes where nothing disturbs it, and at most.
struct ExpectedTime {
  double LeastS = 0, MostS = 0;
};
/// Least: memory is filled, then come three times the goal's least number of samples. Most: all of
/// the goal's rounds.
ExpectedTime expectedTime(const Probe &P, const SamplingGoal &Goal);

} // namespace ergon
