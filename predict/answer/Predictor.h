//===- Predictor.h - what recorded programs cost ----------------*- C++ -*-===//
//
// Where other programs begin:
//
//   auto Records = Predictor::open({.Records = {.Directory = "records"},
//                                   .Machine = "epyc-9654",
//                                   .DataFolder = ERGON_DATA});
//   auto Gemm = Records->entry({.Entry = "gemm"});
//   Gemm->set({"n", 4096});
//   auto Answer = Gemm->predict();
//   if (Answer && Answer->OnMachine)
//     use(Answer->OnMachine->EnergyJ.Value); // joules
//
// Records, Gemm and Answer are each a std::expected, whose error says in one line what is wrong and
// how to put it right (Error::line()). Nothing here prints. Numbers are of one run, in seconds,
// joules, watts and bytes; clocks are in MHz. docs/library.md has a whole program, and says which
// types an answer consists of.
//
// An object may be used by one thread at a time. Objects that were opened apart share nothing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "predict/answer/EntryPredictor.h"

#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ergon {

/// What a Predictor opens.
struct PredictorOptions {
  RecordSource Records{}; ///< the folder that `ergon record -d` wrote
  std::string Machine{};  ///< a shipped profile's name or a profile's path; empty: counts alone
  TargetOptions Target{}; ///< clocks in MHz, and caches; by default those of the profile
  NoticeHandler Notice{}; ///< receives notices of a choice between records
  /// Where machine profiles and costs of libraries are: `share/ergon` of an installation, which
  /// CMake's target Ergon::predict defines as ERGON_DATA. Empty: they are looked for from where the
  /// executable lies (see ShippedFiles.h). The environment variables ERGON_MACHINE_PROFILES and
  /// ERGON_LIBRARY_COSTS come first.
  std::string DataFolder{};
};

/// A folder of records and a machine, opened once and asked often. A copy shares the records.
class Predictor {
public:
  /// Over what was opened before.
  Predictor(PredictionTarget PT, CountedRecords Records)
      : Target(std::make_shared<const PredictionTarget>(std::move(PT))),
        Records(std::move(Records)) {}
  /// Reads the profile and the records' heads; a function is read when it is asked for. Error: no
  /// such machine or setting, caches that are not known, no records, a record, a run record or a
  /// library's description that cannot be read.
  static std::expected<Predictor, Error> open(const PredictorOptions &Options);

  /// The machine at its setting, with its caches.
  const PredictionTarget &target() const { return *Target; }
  /// The records, to list their functions or to predict for another target.
  CountedRecords &records() { return Records; }

  /// The function that \p Wanted names, without values. Error: none, or several.
  std::expected<EntryPredictor, Error> entry(const FunctionQuery &Wanted);

private:
  std::shared_ptr<const PredictionTarget> Target;
  CountedRecords Records;
};

} // namespace ergon
