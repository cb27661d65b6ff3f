//===- ProgramProfile.h - where a program's time and energy go --*- C++ -*-===//
//
// The prediction of a run, as a table by function, line, loop or kernel, and as stacks of calls.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/prediction/ProfileFormat.h"
#include "model/program/CallFrames.h"
#include "predict/store/RecordStore.h"

namespace ergon {

/// What is asked of a profile.
struct ProfileQuestion {
  ProfileBy By = ProfileBy::Function;
  RunScope Scope = RunScope::All;
  bool WithStacks = false;
  std::vector<MeasuredRun> Measured{}; ///< those that the prediction was corrected by
  RecordStore *Advice = nullptr;       ///< the records to ask for advice; null: none
};

/// The symbols that have to have a value before profileOf(): those without one in \p Whole, but for
/// formulas that are too large, as it evaluates calls one by one.
std::vector<std::string> neededFor(const PredictionDocument &Whole);

/// The profile of \p Whole, a prediction of \p Entry whose symbols all have values: given ones,
/// measured ones, or estimates. \p Find gives the callees; \p M is the prediction's machine, null
/// without one. Where the prediction lacks counts as a formula is too large, they are the sums over
/// the calls here. Times are in seconds, energies in joules.
ProgramProfile profileOf(const Function &Entry, const FunctionLookup &Find,
                         PredictionDocument Whole, const Machine *M, ProfileQuestion Asked);

} // namespace ergon
