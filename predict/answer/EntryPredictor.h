//===- EntryPredictor.h - repeated predictions of a function ----*- C++ -*-===//
#pragma once

#include "predict/answer/EntryPrediction.h"

#include <expected>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ergon {

/// How to treat values for names that an entry lacks.
enum class OtherNames { Refused, Ignored };

/// Whether an answer is also computed at the ends of the estimates' ranges.
enum class Spread { Computed, Skipped };

/// A function of a folder of records, with values for its symbols. Supports repeated queries with
/// other values or targets; caches the latest counts.
class EntryPredictor {
public:
  /// \p Name is what documents call the entry. predict() without an argument is for \p Target.
  EntryPredictor(std::unique_ptr<CountedEntry> Counted, std::string Name,
                 OtherNames Others = OtherNames::Refused,
                 std::shared_ptr<const PredictionTarget> Target = nullptr);

  /// The function as it was recorded: its parameters, unknowns and loops.
  const Function &function() const { return Entry->function(); }
  /// The same as the store has it.
  const Function &recorded() const { return Entry->recorded(); }
  /// Definitions for calls in function() and in what it calls.
  const FunctionLookup &lookup() const { return Entry->lookup(); }
  /// What was wrong in the record of a callee that was looked up.
  const std::optional<Error> &failure() const { return Entry->failure(); }

  /// What the program makes of its arguments: from now on its first launches are as its code has
  /// them with these.
  code::ProgramValues know(code::CommandLine How);
  /// Whether caches of the machine are known, which code may ask the processor for.
  bool hasCaches() const { return Target && Target->M && !Target->M->Topology.Caches.empty(); }
  /// The machine's GPU, which code may ask CUDA's runtime for; null where none is known.
  const Device *gpu() const;
  /// The same as know() for one call of a function that is no program, with the values that were
  /// set.
  code::ProgramValues knowFromValues();

  /// Functions that take no part in what the program makes of its arguments, as their recorded code
  /// is damaged: their demangled names.
  const std::set<std::string> &withDamagedCode() const { return DamagedCode; }

  /// Sets or replaces a symbol's value: `set({"n", 4096})`; an optional one does not replace
  /// another that is not. Errors are reported by the next query.
  void set(GivenValue Value);
  /// Replaces all values.
  void set(std::vector<GivenValue> All) { Values = std::move(All); }
  const std::vector<GivenValue> &values() const { return Values; }

  /// What one run counts: operations, bytes and calls by their cost class, exactly, and the symbols
  /// that still need a value (Counts.Unbound), which are no error. Error: a name that the entry
  /// does not have, a value that the name cannot have, a damaged record, a formula without a value.
  const std::expected<EntryCounts, Error> &counts();

  /// What one run costs: counts as above, and where the target has a machine and no symbol needs a
  /// value, time in seconds, energy in joules and power in watts with their intervals (OnMachine),
  /// and traffic in bytes between levels of memory. Error: those of counts(), what the profile has
  /// no cost for, traffic that was asked for and is not known.
  std::expected<PredictionDocument, Error> predict(const PredictionTarget &Target);
  /// The same for the target that it was made with; counts alone where it was made without.
  std::expected<PredictionDocument, Error> predict();
  /// The same, with estimates in the place of symbols without a value (Estimates), so that only a
  /// formula that is too large can leave one. Calls of unknown cost are left out. Intervals cover
  /// the ranges of the estimated symbols; High is infinite where one of these has no end.
  std::expected<PredictionDocument, Error> estimate();
  /// The same for \p Target. With Spread::Skipped intervals do not cover the ranges, and it is not
  /// known which estimates matter: that takes a small part of the time where there are many.
  std::expected<PredictionDocument, Error> estimate(const PredictionTarget &Target,
                                                    Spread Wanted = Spread::Computed);
  /// The values of the latest answer, estimates too; nothing before it.
  const std::optional<Bindings> &bound() const { return Bound; }

private:
  std::unique_ptr<CountedEntry> Entry;
  std::string Name;
  OtherNames Others;
  std::shared_ptr<const PredictionTarget> Target;
  std::vector<GivenValue> Values;
  std::optional<Bindings> Bound;
  std::set<std::string> DamagedCode;

  code::Hardware hardware() const;
  void keep(const code::ProgramValues &Known);
  std::expected<void, Error> addIteration(const PredictionTarget &At, PredictionDocument &Result);
  /// The latest counts, and their values.
  struct Latest {
    std::vector<GivenValue> Values;
    std::expected<EntryCounts, Error> Counted;
  };
  std::optional<Latest> Last;
};

} // namespace ergon
