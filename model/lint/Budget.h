//===- Budget.h - cost budgets of functions ---------------------*- C++ -*-===//
#pragma once

#include "model/symbolic/Error.h"

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// The cost limit of one call of a function.
struct Budget {
  std::string Entry;                    ///< as for `--entry`; empty: the annotated function
  std::vector<std::string> Sets;        ///< NAME=VALUE of that call
  std::optional<double> EnergyJ, TimeS; ///< at least one of them
};

/// Parses `3mJ@n=1000000,m=3`, `20 ms`, `2J`: a number with an SI prefix and J or s, and values.
/// Error: what is wrong, and the syntax.
std::expected<Budget, Error> parseBudget(std::string_view Text);

} // namespace ergon
