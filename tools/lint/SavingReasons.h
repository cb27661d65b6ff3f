//===- SavingReasons.h - why a saving is none, or not known -----*- C++ -*-===//
#pragma once

#include "formats/prediction/PredictionFormat.h"
#include "model/energy/Cost.h"
#include "model/lint/Finding.h"

#include <optional>

namespace ergon {

/// Completes the saving of \p F, from the cost \p Now of a run to \p Then, which is absent where it
/// is not known: says why there is no saving in time or energy, or in neither. A saving of classes
/// that \p M has no cost for is removed.
void explainSaving(Finding &F, const Cost &Now, const std::optional<Cost> &Then, const Machine &M);

/// The same for a run that the machine does not price: \p Classes are those without a cost.
void explainUnpriced(Finding &F, const std::string &Machine,
                     const std::vector<std::string> &Classes);

} // namespace ergon
