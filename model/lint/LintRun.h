//===- LintRun.h - what could cost less on a machine ------------*- C++ -*-===//
//
// Rules over what one run of a function costs on a machine.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_LINT_LINTRUN_H
#define ERGON_MODEL_LINT_LINTRUN_H

#include "model/energy/Cost.h"
#include "model/lint/Finding.h"

#include <map>
#include <string>
#include <vector>

namespace ergon {

/// A run of a function whose values are all known.
struct LintedRun {
  const Function &Linted;
  const Machine &Target;
  const Setting &Clocks;
  const CountValues &Counts;
  const Cost &Now;
  const std::map<std::string, Rational> &Values; ///< of parameters and unknowns
};

/// What the rules find. Joules and seconds are relative to `Now`, or to what the message says.
std::vector<Finding> lintRun(const LintedRun &Run);

} // namespace ergon

#endif
