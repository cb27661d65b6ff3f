//===- SampleChecks.h - whether samples make sense --------------*- C++ -*-===//
//
// What must be known of measurements before a model is fitted to them: units that are
// off by thousands, rows that say nothing or the same twice, classes that cannot be told
// apart, clocks that were not what they were asked to be.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_FIT_SAMPLECHECKS_H
#define ERGON_MODEL_FIT_SAMPLECHECKS_H

#include "model/fit/Samples.h"

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

  bool hasErrors() const;
};

/// Makes \p Of ready for a fit and tells what was done and what is to be known. After an
/// error the samples are as far as it came. Rows keep their order, counts have values.
SampleReport checkSamples(Samples &Of);

} // namespace ergon

#endif
