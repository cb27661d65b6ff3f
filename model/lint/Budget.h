//===- Budget.h - what a function may cost ----------------------*- C++ -*-===//
#ifndef ERGON_MODEL_LINT_BUDGET_H
#define ERGON_MODEL_LINT_BUDGET_H

#include "model/symbolic/Error.h"

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// What one call of a function may take at most.
struct Budget {
  std::string Entry;             ///< as `--entry` has it; empty: the function that it stands at
  std::vector<std::string> Sets; ///< NAME=VALUE of that call
  std::optional<double> EnergyJ, TimeS; ///< one of them at least
};

/// Of `3mJ@n=1000000,m=3`, `20 ms`, `2J`: a number with a prefix of the SI and J or s, and values.
/// Error: what is wrong, and how it is written.
std::expected<Budget, Error> parseBudget(std::string_view Text);

} // namespace ergon

#endif
