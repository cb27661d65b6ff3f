//===- MachineFit.h - how good the fit of a profile is ----------*- C++ -*-===//
//
// Errors of a fit, covariances of its coefficients, and the correction between the formula and the
// fitted runs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/PowerLaw.h"
#include "model/machine/Quantity.h"
#include "model/machine/Setting.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// Covariances of coefficients, named as in Machine::coefficients().
struct Covariance {
  std::vector<std::string> Coefficients;
  /// Covariances of relative errors, a row for each of Coefficients: symmetric.
  std::vector<std::vector<double>> Relative;
  std::string Source;

  /// Adds coefficients that were found apart from those before: no covariances between the two.
  void append(const std::vector<std::string> &Names,
              const std::vector<std::vector<double>> &Covariances) {
    const std::size_t Before = Coefficients.size(), After = Before + Names.size();
    Coefficients.insert(Coefficients.end(), Names.begin(), Names.end());
    Relative.resize(After);
    for (std::size_t Row = 0; Row != After; ++Row) {
      Relative[Row].resize(After, 0);
      for (std::size_t Column = Before; Row >= Before && Column != After; ++Column)
        Relative[Row][Column] = Covariances[Row - Before][Column - Before];
    }
  }
};

/// What programs needed in the mean at each setting, whatever they do: of the runs that a fit is
/// of, each family of workloads with the same weight.
struct TypicalEnergy {
  struct At {
    Setting Clocks;
    double LogEnergy = 0; ///< ln of the energy over that at the first setting, the mean

    /// The energy by both over that at the first setting, where it is \p Ratio by a model with the
    /// weight \p ModelWeight.
    double with(double Ratio, double ModelWeight) const {
      return std::exp(ModelWeight * std::log(Ratio) + (1 - ModelWeight) * LogEnergy);
    }
  };
  std::vector<At> Settings; ///< two or more; the first has the highest clocks
  std::string Source;

  const At *find(const Setting &Clocks) const {
    for (const At &Each : Settings)
      if (Each.Clocks.sameClocks(Clocks))
        return &Each;
    return nullptr;
  }
};

/// How far the change with the clocks is off where one run of a program is known: standard
/// deviations of slopes over ln f_core and ln f_mem, and how both go together.
struct SlopeErrors {
  double Core = 0, Mem = 0;
  double Correlation = 0; ///< between -1 and 1
};

/// That of programs that a fit did not see: of their time, and of their power in a known time.
struct ChangeErrors {
  std::optional<SlopeErrors> Time, Power;
  std::string Source;
};

/// Losses of rules for choosing a setting, for programs whose families a fit did not see, with
/// predicted times: mean energy over the least measured one, less 1.
struct ChoiceLosses {
  /// With some runs of a program known.
  struct WithRuns {
    double Model = 0;    ///< the model alone
    double Combined = 0; ///< with what programs need in the mean
    /// Of the logarithm of energy by the model, beside the mean: 0 to 1.
    double ModelWeight = 1;
  };
  std::size_t Workloads = 0;      ///< that were measured at several settings
  std::array<WithRuns, 3> ByRuns; ///< with none, one, and two
  double Fastest = 0, Slowest = 0;
  double Fixed = 0;     ///< the setting that loses least for the other families
  Setting FixedSetting; ///< that of all families
  std::string Source;

  /// Of runs at \p Settings settings.
  const WithRuns &with(std::size_t Settings) const {
    return ByRuns[std::min(Settings, ByRuns.size() - 1)];
  }
};

/// Errors of a fit on families that were left out: standard deviations of ln(predicted/measured).
/// Energy is predicted from measured time.
struct FitQuality {
  std::optional<Quantity> EnergyError, TimeError;
  /// Of runs that take less time than predicted, where that differs from TimeError: what is not
  /// counted makes times longer.
  std::optional<Quantity> TimeErrorBelow;
  /// The part that differs between the settings of one workload, after subtracting each workload's
  /// mean. Only this part can change a choice.
  std::optional<Quantity> EnergyChoiceError, TimeChoiceError;
  /// Replaces the uncertainties of these coefficients' sources.
  std::optional<Covariance> JointCovariance;
  std::optional<TypicalEnergy> Typical;
  std::optional<ChangeErrors> Change;
  std::optional<ChoiceLosses> Losses;
  std::vector<std::string> Families; ///< of the workloads that were fitted, sorted

  /// The model's weight in choices where runs at \p Settings settings are known, 0 to 1; 1: nothing
  /// else is known.
  double modelWeight(std::size_t Settings) const {
    return Typical && Losses ? Losses->with(Settings).ModelWeight : 1;
  }
};

/// What a fit states about its costs. Unknown parts are absent.
struct MachineFit {
  std::optional<FitQuality> Quality;
  std::optional<Correction> Corrects;
};

} // namespace ergon
