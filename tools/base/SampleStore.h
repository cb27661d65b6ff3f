//===- SampleStore.h - files of measured runs -------------------*- C++ -*-===//
#pragma once

#include "formats/json/Error.h"
#include "model/fit/FitErrors.h"
#include "model/fit/SampleChecks.h"

#include <nlohmann/json_fwd.hpp>

#include <expected>
#include <string>
#include <vector>

namespace ergon {

/// Samples that are ready to work on, and what was found in them: warnings alone.
struct CheckedSamples {
  Samples Table;
  SampleReport Report;
};

/// Families are named by the regular expression \p Family, see nameFamilies(). Errors: an
/// unreadable file, bad CSV, numbers that cannot be, a bad expression.
std::expected<CheckedSamples, Error> loadSamples(const std::string &Path,
                                                 const std::string &Family = "");

/// Prints what was found in the samples of \p Path to the standard error.
void warn(const std::string &Path, const SampleReport &Report);

/// The settings of rows that \p Texts name, `1600` or `1600/4000` in MHz, in that order. Error: no
/// row has one; \p Option is what they were given by.
std::expected<std::vector<Setting>, Error>
settingsNamed(const std::vector<std::string> &Texts, const Samples &S, const std::string &Option);

/// `mean`, `sd`, `min`, `median` and `max`.
nlohmann::ordered_json toJson(const FitErrors &Errors);

/// The rows with predicted energies and relative errors beside, as CSV: a column for each
/// of \p Errors, empty where there is none.
std::string residualsCsv(const Samples &S,
                         const std::vector<std::pair<std::string, std::vector<double>>> &Errors);

} // namespace ergon
