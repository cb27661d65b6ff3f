//===- SampleReport.h - what was found in samples ---------------*- C++ -*-===//
#ifndef ERGON_MODEL_FIT_SAMPLEREPORT_H
#define ERGON_MODEL_FIT_SAMPLEREPORT_H

#include <algorithm>
#include <string>
#include <vector>

namespace ergon {

enum class Severity { Warning, Error };

/// What was found, said so that whoever measured can mend it.
struct SampleFinding {
  std::string Id; ///< of its kind, such as `duplicate-rows`
  Severity Level = Severity::Warning;
  std::string Text; ///< one line: where, what, how to mend it
};

/// A class whose counts are sums of multiples of those of others, as near as energies can tell.
struct DependentClass {
  std::string Class;
  std::vector<std::string> Others;
};

struct SampleReport {
  std::vector<SampleFinding> Findings;
  /// Classes whose counts are proportional to each other: what each costs cannot be told.
  std::vector<std::vector<std::string>> Proportional;
  /// The same of more than two classes, one of each group of Proportional at most.
  std::vector<DependentClass> Dependent;

  /// Whether a finding is severe enough that nothing can be fitted.
  bool hasErrors() const {
    return std::ranges::any_of(Findings, [](const auto &F) { return F.Level == Severity::Error; });
  }
};

} // namespace ergon

#endif
