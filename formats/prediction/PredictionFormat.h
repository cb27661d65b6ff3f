//===- PredictionFormat.h - ergon-prediction/1 ------------------*- C++ -*-===//

#pragma once

#include "model/energy/Cost.h"
#include "model/gpu/DeviceReport.h"
#include "model/gpu/LaunchRounds.h"
#include "model/incore/ProgramTime.h"
#include "model/program/SymbolEstimate.h"
#include "model/traffic/TrafficReport.h"

#include <optional>
#include <string>

namespace ergon {

/// What each further iteration of loops without an end adds to a run.
struct IterationCost {
  std::vector<std::string> Loops; ///< their symbols
  std::map<std::string, Rational> Counts;
  std::optional<double> TimeS, EnergyJ;
};

/// What a joule emits and costs, and how often the program runs.
struct EnergyRates {
  std::optional<double> GramsPerJ; ///< of CO₂
  std::optional<double> PricePerJ;
  std::string Currency; ///< of the price, as it was given; may be empty
  std::optional<double> RunsPerDay;

  bool isGiven() const { return GramsPerJ || PricePerJ; }
};
inline constexpr double DaysPerYear = 365;

/// Everything that a prediction document says.
struct PredictionDocument {
  std::string Entry;    ///< as the user named it
  std::string Function; ///< demangled
  std::string Snapshot;
  std::map<std::string, Rational> Bindings; ///< values that the user gave
  SymbolBounds Bounds;                      ///< intervals that the user gave
  std::map<std::string, Rational> Defaults; ///< launch dimensions that CUDA sets to 1
  std::map<std::string, Rational>
      Passed; ///< what all calls of a function pass; not in the document
  CountValues Counts;
  bool IsInNumbers = false; ///< these follow from ProgramNumbers, not from formulas
  /// Of classes whose interval over estimates has no end: its begin.
  std::map<std::string, Rational> AtLeast;
  std::vector<Unknown> Unknowns; ///< what the unbound symbols stand for, where known
  /// What stands in for symbols without a value, the largest share of the spread first.
  std::vector<SymbolEstimate> Estimates;
  /// Of a run that never ends, of which all else is up to the end of the first iteration.
  std::optional<IterationCost> PerIteration;
  /// What descriptions say of Counts.LibraryCalls.
  std::map<std::string, LibraryNote> Described;
  std::string Machine; ///< empty: counts alone
  Setting Clocks;
  std::optional<Cost> OnMachine; ///< absent without a machine or with unbound symbols
  /// Classes without a cost in the machine's profile. Its caches are still used, but there is no
  /// time and energy.
  std::vector<std::string> NotPriced;
  std::optional<TrafficReport> Traffic;
  /// On a CPU that was calibrated.
  std::optional<ProgramTime> Time{};
  /// Its time; there must be one.
  Interval timeS() const { return {Time->TimeS, Time->LowS, Time->HighS}; }
  std::optional<DeviceReport> LaunchTraffic; ///< of a kernel
  /// Of the first launch of each kernel of a program, by the names of its parts, where its traffic
  /// is known.
  std::map<std::string, Cost> OfFirstLaunches;
  EnergyRates Rates;                  ///< that the user gave
  std::vector<ComparedRun> Measured;  ///< what time and energy were corrected by
  std::optional<Setting> MeasureNext; ///< where a further run would tell most
  std::string TrafficUnknown;         ///< why there is none where there could be
  /// Of a kernel whose launch is known, on a machine that says what multiprocessors it has.
  std::optional<LaunchRounds> Rounds;
};

/// The JSON document, ending with a line break. Whole counts are written exactly
/// up to 2^63, others as the nearest double.
std::string writePrediction(const PredictionDocument &Document);

} // namespace ergon
