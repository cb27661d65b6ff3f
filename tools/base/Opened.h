//===- Opened.h - machine, target and records of a command ------*- C++ -*-===//
//
// Opens what subcommands predict from. It stays open until the process ends (see keep()), and
// notices of predict/ go to the standard error.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "predict/answer/Predictor.h"
#include "tools/base/Commands.h"

#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// The machine (empty: none) with the clocks and caches of the options. Error: no such machine or
/// setting, invalid options, unknown caches.
std::expected<PredictionTarget, Error> openTarget(const std::string &Machine,
                                                  const CacheOptions &Caches = {},
                                                  std::optional<double> CoreMhz = {},
                                                  std::optional<double> MemMhz = {});

/// The records of a folder. Error: none, one that cannot be read (with \p Skipped it is left out
/// and told there), a run record or a description of a library that cannot be read.
std::expected<CountedRecords *, Error> openRecords(const RecordSource &From,
                                                   Detail HowMuch = Detail::Costs,
                                                   std::vector<Error> *Skipped = nullptr);

/// Target and records, for repeated queries; with the lines of all costs where \p WithLines. Errors
/// of both.
std::expected<Predictor *, Error> openPredictor(const PredictOptions &Options,
                                                bool WithLines = false);

/// The function that \p Wanted names, with the values of \p Sets, NAME=VALUE. Error: none, several,
/// or a text that is no pair.
std::expected<EntryPredictor *, Error> openEntry(Predictor &From, const FunctionQuery &Wanted,
                                                 const std::vector<std::string> &Sets);

/// Prints what each unknown is and how to bind it, on the standard error; returns UnboundSymbols.
int reportUnbound(const std::string &Function, const std::vector<Unknown> &Unknowns);

} // namespace ergon
