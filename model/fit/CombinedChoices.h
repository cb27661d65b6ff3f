//===- CombinedChoices.h - choices by a model and by the mean ---*- C++ -*-===//
//
// A model says how much more energy a program needs at one setting than at another, and so does the
// mean of other programs. Two predictions with independent parts of error are better together: with
// the weights that leave the least mean square (Bates & Granger, "The Combination of Forecasts",
// 1969).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/fit/Samples.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace ergon {

class CombinedChoices {
public:
  /// \p Joules are energies of the rows of \p S by a model that was fitted without their families.
  /// All is relative to a program's energy at \p Reference, at which each workload must have run.
  CombinedChoices(const Samples &S, const Setting &Reference, std::span<const double> Joules);

  /// The model's weight, 0 to 1, by the families; without that of the number \p Without.
  double weight(std::optional<std::size_t> Without = std::nullopt) const;
  /// For each row, an energy by both: by weights, \p MostWeight at most, and means without the
  /// row's family, relative to that at the reference.
  std::vector<double> combined(double MostWeight = 1) const;

private:
  std::vector<std::size_t> Families; ///< the number of each row's
  /// Logarithms of each row's energy over that at the reference: measured, by the model, and by the
  /// mean of the other families.
  std::vector<double> Measured, Model, Mean;
  /// Of a family: mean squares of what the mean and the model are off by, and of both together.
  struct Squares {
    double Mean = 0, Model = 0, Both = 0;
  };
  std::vector<Squares> Errors;
};

} // namespace ergon
