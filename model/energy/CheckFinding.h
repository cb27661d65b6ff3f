//===- CheckFinding.h - errors in a profile ---------------------*- C++ -*-===//
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ergon {

/// An impossible or implausible value.
struct CheckFinding {
  std::string Rule;        ///< its name in docs/checking-machines.md
  bool Impossible = false; ///< otherwise implausible
  std::string Where;       ///< JSON pointer into the profile
  std::string What, Fix;   ///< as in Error
};

/// Findings in order.
struct CheckFindings {
  std::vector<CheckFinding> All;

  /// Adds an impossible or implausible finding: the rule's name, the place as a JSON pointer, what
  /// is wrong, how to fix it.
  void impossible(std::string Rule, std::string Where, std::string What, std::string Fix) {
    All.push_back({std::move(Rule), true, std::move(Where), std::move(What), std::move(Fix)});
  }
  void implausible(std::string Rule, std::string Where, std::string What, std::string Fix) {
    All.push_back({std::move(Rule), false, std::move(Where), std::move(What), std::move(Fix)});
  }
};

} // namespace ergon
