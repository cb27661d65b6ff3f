//===- LintBudgets.h - checks budgets against predictions -------*- C++ -*-===//
#pragma once

#include "model/lint/Budget.h"
#include "model/lint/Finding.h"
#include "predict/answer/EntryPrediction.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ergon {

/// The result of a check: kept, a finding, or a text: why it could not be checked.
using BudgetCheck = std::variant<std::monostate, Finding, std::string>;

/// Checks \p B for one call of \p Entry. \p Sets apply to names that the budget does not set.
BudgetCheck checkBudget(const Budget &B, CountedEntry &Entry, const std::vector<std::string> &Sets,
                        const PredictionTarget &Target);

/// Checks the budgets in annotations of \p Entry.
std::vector<BudgetCheck> checkAnnotations(CountedEntry &Entry, const std::vector<std::string> &Sets,
                                          const PredictionTarget &Target);

/// \p Sets, and those of \p More for other names.
std::vector<std::string> joinedSets(std::vector<std::string> Sets,
                                    const std::vector<std::string> &More);

} // namespace ergon
