//===- ScaleRuns.h - scaling that measured runs tell ------------*- C++ -*-===//

#pragma once

#include "formats/json/Error.h"
#include "model/cluster/IsoEnergy.h"
#include "model/cluster/MeasuredScaling.h"
#include "tools/base/Commands.h"

#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// A series on so many processors at a clock.
struct ScaledPoint {
  ScalingSeries Series;
  std::optional<double> Mhz;
  Processors On;
  std::optional<MeanRun> Measured; ///< nothing: predicted
  std::expected<ScaledRun, NoEfficiency> Value;
  /// Of the measured runs, beside those of the series on one processor; nothing: one of them was
  /// not measured.
  std::optional<double> MeasuredEe{}, MeasuredTimeEfficiency{};
};

/// Where a series keeps an efficiency.
struct ScaledKept {
  ScalingSeries Series;
  std::optional<double> Mhz;
  std::vector<KeptRange> Ranges;
};

/// A left-out run at a clock.
struct LeftOutPoint {
  std::optional<double> Mhz;
  LeftOutRun Run;

  double error() const { return Run.error(); }
};

struct ScaledRunsDocument {
  std::string File;
  std::size_t Runs = 0;
  std::string Law; ///< the application or entry whose vector is the law before runs are seen
  std::vector<ScaledPoint> Points{};
  std::vector<LeftOutPoint> LeftOut{};
  std::optional<double> KeepEe;
  double MaxP = 0; ///< how far was searched
  std::vector<ScaledKept> Kept{};
  std::vector<std::string> Notes{};

  bool hasEnergies() const;
};

/// What the vector of an application says of a program's time: the name, and ln(p·T) less that at p
/// = 1 at a clock.
struct VectorLaw {
  std::string Name;
  std::function<std::optional<double>(double N, double P, std::optional<double> Mhz)> Time;
};

/// From the runs of `--runs`. Nodes have \p PerNode processors; nothing: what the runs say.
std::expected<ScaledRunsDocument, Error> scaleRuns(const ScaleOptions &Options,
                                                   std::optional<double> PerNode,
                                                   const std::optional<VectorLaw> &Law);

/// `bt, n = 162 at 2200 MHz`
std::string title(const ScalingSeries &Series, std::optional<double> Mhz);
/// As tables: each series by processors, what left-out runs say of it, sizes that keep EE.
void printScaledRuns(const ScaledRunsDocument &Document);
/// `ergon-scaled-runs/1`.
std::string writeScaledRuns(const ScaledRunsDocument &Document);

} // namespace ergon
