//===- TuneEntries.h - the best settings of a machine for functions -------===//
//
// Predicts functions at every setting of a machine and for every candidate of values, and finds the
// best for energy, time or a product of both: docs/tuning.md. Times are in seconds, energies in
// joules, clocks in MHz.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"
#include "formats/prediction/TuneFormat.h"
#include "predict/answer/EntryCounts.h"

#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// Values that are tried.
struct TuneCandidate {
  std::string Label; ///< `block.x=64 grid.x=32`; empty where nothing is tried
  std::vector<GivenValue> Values;
};

/// Which functions are tuned, and for what.
struct TuneQuery {
  FunctionQuery Functions;                  ///< without an entry: their snapshot, unit and target
  std::vector<std::string> Entries;         ///< phases of a program, in order
  bool All = false;                         ///< every function apart, in the place of Entries
  bool Strict = false;                      ///< estimate nothing
  std::vector<GivenValue> Values;           ///< for all that have the name
  std::vector<TuneCandidate> Candidates{1}; ///< one without values where nothing is tried
  Objective Goal = Objective::Energy;
  Limits Limit;
  /// Runs of all entries in order, with the values of the first candidate.
  std::vector<MeasuredRun> Measured;
  std::optional<TimeEnergy> Switch; ///< cost of switching settings; absent: as in the profile
};

/// Finds the best setting of \p M for functions of \p From. Estimates stand in for symbols
/// without a value; with Strict, a function that has such symbols is listed in the document's
/// Unbound, which is no error. Error: no such function, an invalid name or value, a
/// cost missing in the profile, limits that no setting meets.
std::expected<TuneDocument, Error> tune(const TuneQuery &Query, const Machine &M,
                                        CountedRecords From);

/// Commands that put \p M, whose kind is known, at a setting: those that its generation takes. NVML
/// API reference: application clocks from Kepler on, locked core clocks from Volta, locked memory
/// clocks from Ampere.
std::vector<std::string> clockCommands(const Machine &M, const Setting &Clocks);

} // namespace ergon
