//===- ConfigFormat.h - ergon.json ------------------------------*- C++ -*-===//
#pragma once

#include "formats/json/Error.h"
#include "model/lint/Budget.h"
#include "model/lint/Finding.h"

#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// A project's options for `ergon lint`, schema `ergon-config/1`. All of them are optional.
struct Config {
  std::string Machine;                 ///< where the command line has none
  std::vector<std::string> Sets;       ///< NAME=VALUE, for names that the command line does not set
  std::string FailOn;                  ///< where the command line does not say
  std::vector<std::string> Thresholds; ///< where the command line has none
  std::string DocsUrl;                 ///< where Ergon's documentation is served
  bool AllowsUnchecked = false;        ///< budgets that cannot be checked do not fail
  /// Levels that replace the rules' own. Nothing: the rule is off.
  std::map<std::string, std::optional<FindingLevel>> Rules;
  std::vector<Budget> Budgets; ///< each names its entry
};

/// Error: an unknown key, rule or level, or a budget that cannot be read.
std::expected<Config, Error> parseConfig(std::string_view Text);

} // namespace ergon
