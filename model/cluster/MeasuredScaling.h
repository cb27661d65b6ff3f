//===- MeasuredScaling.h - scaling learned from measured runs ---*- C++ -*-===//
//
// How the time and the power of programs change with the number of processors, from runs on a few.
// docs/decisions/0046-measured-scaling.md has the laws and what they were tried on.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/cluster/IsoEnergy.h"
#include "model/cluster/ScalingRuns.h"

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// A number and one standard deviation of its logarithm.
struct UncertainAmount {
  double Value = 0, Error = 0;

  /// The ends of the interval that holds it with 95 %.
  double low() const;
  double high() const;
};

/// What a series takes on so many processors.
struct ScaledRun {
  UncertainAmount TimeS;
  UncertainAmount TimeEfficiency;                     ///< T_1/(p·T)
  std::optional<UncertainAmount> EnergyJ, Efficiency; ///< E_p, E_1/E_p; nothing: no energy is known

  /// That of energy; that of time where no energy is known.
  const UncertainAmount &knownEfficiency() const {
    return Efficiency ? *Efficiency : TimeEfficiency;
  }
};

/// Programs on equal nodes at one clock: Gaussian processes over the number of processors, of ln
/// p·T and of power, whose runs tell of each other.
class MeasuredScaling {
public:
  /// ln(p·T) less that at p = 1, where something is known of it beforehand.
  using TimeLaw = std::function<std::optional<double>(const ScalingSeries &, double P)>;
  /// By how much the noise of times and of powers is above what is usual.
  struct Noise {
    double Time = 1, Power = 1;
  };

  /// \p Runs of one clock, at least one. Nodes are filled one after the other with \p PerNode
  /// processors; infinity: all are on one. Without \p Known noise it is what makes the runs most
  /// likely.
  MeasuredScaling(ScalingRuns Runs, double PerNode, TimeLaw Law = {},
                  std::optional<Noise> Known = {});
  ~MeasuredScaling();
  MeasuredScaling(MeasuredScaling &&) noexcept;

  Noise noise() const;
  /// Error: a series without a run, or runs that are too few.
  std::expected<ScaledRun, NoEfficiency> at(const ScalingSeries &Series,
                                            const Processors &On) const;

private:
  struct Impl;
  std::unique_ptr<Impl> State;
};

/// The runs of a program, and at most a hundred of others, evenly chosen: the time of a
/// MeasuredScaling grows with the cube of their number.
ScalingRuns runsFor(const std::string &Workload, const ScalingRuns &Runs);

/// The measured and the predicted efficiency of a run beside that on the fewest processors, from
/// all runs but those of its series on as many.
struct LeftOutRun {
  ScalingSeries Series;
  Processors On{}, First{}; ///< First: the fewest
  bool IsEnergy = true; ///< E_First/E_p; T_First/T, each times its p, where there are no energies
  double FirstCost = 1; ///< E_First, or p·T
  double Measured = 1;
  UncertainAmount Predicted{};

  double error() const { return Predicted.Value / Measured - 1; }
  bool isInside() const { return Predicted.low() <= Measured && Measured <= Predicted.high(); }
};
/// For each number of processors but the fewest of each series; of many runs, for some of them,
/// evenly chosen.
std::vector<LeftOutRun> leaveOutProcessors(const ScalingRuns &Runs, double PerNode,
                                           const MeasuredScaling::TimeLaw &Law = {});

} // namespace ergon
