//===- SampleReport.h - findings about samples ------------------*- C++ -*-===//
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace ergon {

enum class Severity { Warning, Error };

/// A finding, worded so that it can be fixed.
struct SampleFinding {
  std::string Id; ///< its kind, such as `duplicate-rows`
  Severity Level = Severity::Warning;
  std::string Text; ///< one line: where, what, and the fix
};

/// A class whose counts are a linear combination of others', within the accuracy of energies.
struct DependentClass {
  std::string Class;
  std::vector<std::string> Others;
};

struct SampleReport {
  std::vector<SampleFinding> Findings;
  /// Classes whose counts are proportional to each other: their costs cannot be separated.
  std::vector<std::vector<std::string>> Proportional;
  /// The same for more than two classes, at most one of each group in Proportional.
  std::vector<DependentClass> Dependent;

  /// Whether a finding is severe enough to prevent a fit.
  bool hasErrors() const {
    return std::ranges::any_of(Findings, [](const auto &F) { return F.Level == Severity::Error; });
  }
};

} // namespace ergon
