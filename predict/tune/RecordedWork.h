//===- RecordedWork.h - the workload of a recorded program ------*- C++ -*-===//
//
// The application vector (see model/cluster/Application.h) from counts. A record counts what one
// process does, and all p processes are taken to do as much:
//   W_c + W_co = p·computation(n, p), W_c = computation(n, 1), and so for memory;
//   M = p·messages(n, p), B = p·message_bytes(n, p).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/cluster/IsoEnergy.h"
#include "model/program/SymbolEstimate.h"
#include "model/symbolic/Formula.h"
#include "predict/answer/EntryCounts.h"

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ergon {

/// The formulas, in classes, n and p, for instructions and accesses of one process. A name that is
/// no class is the prefix of several classes: `flops`.
struct RecordedTerms {
  Formula Computation, Memory;
};

/// Workloads of a recorded entry by problem size n and processes p.
class RecordedWork {
public:
  /// \p Values are those of other symbols; \p SizeNames and \p ProcessNames are the names of those
  /// that are n and p. Estimates stand in for what has no value, unless \p Strict. Error: no class
  /// of a name in the formulas.
  static std::expected<RecordedWork, Error> of(CountedEntry &Entry, RecordedTerms Terms,
                                               std::vector<GivenValue> Values,
                                               std::vector<std::string> SizeNames,
                                               std::vector<std::string> ProcessNames,
                                               bool Strict = false);

  /// Counts with a cache. Where there is no result, failure() or unknowns() say why.
  std::expected<Workload, NoEfficiency> at(double N, double P);
  /// Why the latest workload has no value: invalid input, or unbound symbols.
  const std::optional<Error> &failure() const { return Failure; }
  const std::vector<Unknown> &unknowns() const { return Unknowns; }
  /// How the requested classes are known, the weakest so far.
  const std::map<std::string, Known> &known() const { return KnownAs; }
  /// Calls that cost what a library's description says.
  const std::set<std::string> &libraryCalls() const { return LibraryCalls; }
  /// What stood in for symbols without a value so far, by symbol.
  const std::map<std::string, SymbolEstimate> &estimates() const { return Estimates; }

private:
  struct OneProcess {
    double Computation, Memory, Messages, MessageBytes;
  };
  using Counted = std::expected<OneProcess, NoEfficiency>;

  CountedEntry *Entry = nullptr;
  RecordedTerms Terms;
  std::vector<GivenValue> Values;
  std::vector<std::string> SizeNames, ProcessNames;
  std::map<std::string, std::vector<std::string>> Classes; ///< of each name in the formulas
  std::map<std::pair<double, double>, Counted> Done;
  double TooLong = INFINITY; ///< the least n so far at which a sum has too many terms
  std::optional<Error> Failure;
  std::vector<Unknown> Unknowns;
  std::map<std::string, Known> KnownAs;
  std::set<std::string> LibraryCalls;
  bool IsStrict = false;
  std::map<std::string, SymbolEstimate> Estimates;

  const Counted &ofOne(double N, double P);
  std::expected<EntryCounts, Error> countsOf(const std::vector<GivenValue> &All);
  Counted count(double N, double P);
  bool needsMore(const EntryCounts &Counts);
};

} // namespace ergon
