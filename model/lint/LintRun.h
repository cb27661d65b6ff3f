//===- LintRun.h - lint rules on a run --------------------------*- C++ -*-===//
//
// Rules on the cost of one run of a function on a machine.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/energy/Cost.h"
#include "model/lint/Finding.h"
#include "model/program/CallFrames.h"

#include <map>
#include <string>
#include <vector>

namespace ergon {

/// A run of a function with values for all symbols.
struct LintedRun {
  const Function &Linted;
  const Machine &Target;
  const Setting &Clocks;
  const CountValues &Counts;
  const Cost &Now;
  const std::map<std::string, Rational> &Values; ///< of parameters and unknowns
  const FunctionLookup &Find;                    ///< the called functions
};

/// The rules' findings. Joules and seconds are relative to `Now`, or to what the message states.
std::vector<Finding> lintRun(const LintedRun &Run);

} // namespace ergon
