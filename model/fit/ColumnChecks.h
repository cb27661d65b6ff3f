//===- ColumnChecks.h - columns that say less than they seem ----*- C++ -*-===//
#pragma once

#include "model/fit/EnergyFit.h"
#include "model/fit/SampleReport.h"
#include "model/fit/Samples.h"

#include <string>
#include <vector>

namespace ergon {

/// Times and energies that were not measured one by one: constant, of one power, or rounded.
std::vector<SampleFinding> checkMeasured(const Samples &S);

/// Counts that cannot be those of the work: in another unit, cut off, exchanged, or other work at
/// each clock. Counts must have values.
std::vector<SampleFinding> checkCounts(const Samples &S);

/// Whether \p Class counts cycles, or what waits take: its counts are times, and differ between
/// clocks.
bool countsTime(const std::string &Class);

/// Fitted prices that no machine has, and classes without one.
std::vector<SampleFinding> checkPrices(const EnergyFit &Fit);

/// Names of workloads and classes: alike, too few, or classes that no record counts.
std::vector<SampleFinding> checkNames(const Samples &S);

} // namespace ergon
