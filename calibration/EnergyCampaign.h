//===- EnergyCampaign.h - what classes cost in joules -----------*- C++ -*-===//
//
// Takes samples with their energies, long enough for the meter, and fits prices and constant power
// to them: ergon fit's own fit (model/fit/EnergyFit.h). The caller provides times and energies.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "calibration/Campaign.h"
#include "model/fit/EnergyFit.h"
#include "model/symbolic/Error.h"

#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// A sample with its energy; none where the meter can no longer be read.
struct EnergySample {
  Timing Time;
  std::optional<double> Joules;
};
using TakeEnergy = std::function<EnergySample(std::uint64_t Iterations)>;

struct EnergyGoal {
  double SampleS = 0.05;
  double Relative = 0.01;           ///< half the interval's width of joules an iteration
  std::size_t Least = 6, Most = 20; ///< samples that are good
  double RoundS = 2;                ///< a probe takes no longer
};

/// A goal with samples of which the meter's period is 2 %: they last 50 ms for a period of 1 ms.
EnergyGoal energyGoal(double MeterPeriodS, bool IsQuick);

/// Classes that get a price.
std::vector<std::string> pricedClasses();
/// The probes that do little besides the operations of these classes.
std::vector<Probe> energyProbes(const std::vector<Probe> &All);

/// Seconds, joules and units of the classes, of one sample.
struct EnergyRow {
  std::string Workload;
  double Seconds = 0, Joules = 0;
  std::map<std::string, double> Counts;
  double CoreMhz = 0; ///< of the setting
};

struct EnergyHooks {
  std::function<TakeEnergy(const Probe &)> Open; ///< empty where there is no memory
  std::function<bool(const EnergyRow &)> Keep;   ///< false: to be ended
  std::function<bool()> Stop;
  std::function<void(const Progress &)> Show;
  SampleSizes *Sizes; ///< as in CampaignHooks
};

struct EnergyResult : SampleTotals {
  CampaignEnd End = CampaignEnd::Done;
  bool MeterEnded = false;
  std::vector<EnergyRow> Rows;
  /// As in CampaignResult.
  std::vector<std::string> Wide, Unmeasured, Disturbed;
};

/// Samples the probes of which \p Earlier has too few rows; these are among the result's. Rows have
/// no setting yet.
EnergyResult sampleEnergies(const std::vector<Probe> &Probes, std::vector<EnergyRow> Earlier,
                            const EnergyGoal &Goal, unsigned LineBytes, const EnergyHooks &Hooks);

/// Prices and constant power of these rows, and how they follow the clock where there are several
/// settings. Error: in words, what is missing.
std::expected<EnergyFit, Error> fitEnergies(const std::vector<EnergyRow> &Rows);

/// Puts what was fitted into \p M, from the source of that key.
void fillMachine(Machine &M, const EnergyFit &Fit, const std::string &Source);

/// Whether a machine is warm: four blocks of work in a row have power or clock within 1 % of each
/// other.
struct WarmUp {
  unsigned Blocks = 0;
  bool IsSteady = false;
};
/// Runs \p Block, which works for some time and returns power or clock, until the machine is warm,
/// at most \p Most times. Blocks is how often it ran.
WarmUp warmUp(const std::function<double()> &Block, unsigned Most);

} // namespace ergon
