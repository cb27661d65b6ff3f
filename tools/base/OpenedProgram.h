//===- OpenedProgram.h - an entry that a command asks about -----*- C++ -*-===//
//
// What `ergon predict` and `ergon top` open: main where no entry is given, with the values of
// --set and --args, and as runs had it where these are of the same arguments.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tools/base/Opened.h"

#include <expected>

namespace ergon {

/// Stays open until the process ends.
struct OpenedProgram {
  Predictor *Records = nullptr;
  EntryPredictor *Entry = nullptr;
  FunctionQuery Wanted; ///< that found it
  EnergyRates Rates{};

  /// The prediction: with estimates, or without where \p IsStrict. Errors of both.
  std::expected<PredictionDocument, Error> answer(bool IsStrict) const {
    auto Document = IsStrict ? Entry->predict() : Entry->estimate();
    if (Document)
      Document->Rates = Rates;
    return Document;
  }
  /// Prints which counts of the runs are fitted to the arguments.
  void noticeOfFits() const;
};

/// Opens what \p Options name, \p WithLines as openPredictor() has it, and prints notices of runs
/// with other arguments. Error: as of openPredictor() and openEntry(), run records or arguments
/// that cannot be read.
std::expected<OpenedProgram, Error> openProgram(PredictOptions Options, bool WithLines = false);

} // namespace ergon
