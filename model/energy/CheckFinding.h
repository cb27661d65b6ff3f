//===- CheckFinding.h - what is wrong with a profile ------------*- C++ -*-===//
#ifndef ERGON_MODEL_ENERGY_CHECKFINDING_H
#define ERGON_MODEL_ENERGY_CHECKFINDING_H

#include <string>
#include <utility>
#include <vector>

namespace ergon {

/// Something that cannot be, or that no machine is known to have.
struct CheckFinding {
  std::string Rule;        ///< its name in docs/checking-machines.md
  bool Impossible = false; ///< else implausible
  std::string Where;       ///< JSON pointer into the profile
  std::string What, Fix;   ///< as in Error
};

/// What is found, in the order in which it is.
struct CheckFindings {
  std::vector<CheckFinding> All;

  /// Adds a finding of either kind: the rule's name, the place as a JSON pointer, what is wrong,
  /// how to fix it.
  void impossible(std::string Rule, std::string Where, std::string What, std::string Fix) {
    All.push_back({std::move(Rule), true, std::move(Where), std::move(What), std::move(Fix)});
  }
  void implausible(std::string Rule, std::string Where, std::string What, std::string Fix) {
    All.push_back({std::move(Rule), false, std::move(Where), std::move(What), std::move(Fix)});
  }
};

} // namespace ergon

#endif
