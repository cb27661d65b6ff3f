//===- ProgramVerification.h - a program predicted and measured -*- C++ -*-===//
//
// Results and views of `ergon verify DIR --entry F -- PROGRAM`.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"
#include "formats/prediction/PredictionFormat.h"
#include "model/program/Run.h"
#include "tools/base/Commands.h"

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ergon {

/// Measurements of a part of a run: of one execution of a region, or of the whole run.
struct MeasuredPart {
  std::int64_t Times = 1;   ///< how often it began
  std::int64_t Threads = 1; ///< in how many threads
  double TimeS = 0;
  struct Energy {
    std::string Meter, Covers;
    double Joules = 0;
    std::string Why; ///< not all of it: why the meter ended
  };
  std::vector<Energy> EnergyJ;     ///< by meter
  std::vector<UnreadMeter> Unread; ///< what was not measured
};

/// The part of a run that \p Region names: its path or the end of that, `step/solve` or `solve`;
/// all of the run where it is empty. Error: no such region ran.
std::expected<MeasuredPart, Error> measuredPart(const std::vector<ProcessRun> &ProcessRuns,
                                                const std::string &Region);

struct VerifiedProgram {
  PredictionDocument Predicted;
  double Calls = 1; ///< of the entry, in the part
  /// Symbols with values from the run, as the user gave none.
  std::set<std::string> FromRun;
  /// By class: what follows from what the run counted in the place of what was given. Nothing
  /// where the program counts nothing.
  std::optional<std::map<std::string, Rational>> Counted;
  std::string NotCounted; ///< why, where a program that counts could not
  MeasuredPart Measured;
};

/// Runs the program and predicts. Errors: it cannot be run or fails, it leaves no record, there is
/// no such region; those of openPredictor() and EntryPredictor.
std::expected<VerifiedProgram, Error> verifyProgram(const VerifyOptions &Options);

/// Predicted values beside measured ones, with their ratio. JSON: `ergon-program-verification/1`.
void printProgram(const VerifiedProgram &Program, const VerifyOptions &Options);
void printProgramJson(const VerifiedProgram &Program, const VerifyOptions &Options);

} // namespace ergon
