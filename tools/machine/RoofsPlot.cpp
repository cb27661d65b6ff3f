//===- RoofsPlot.cpp - cache-aware rooflines as plots ---------------------===//

#include "tools/machine/RoofsPlot.h"
#include "predict/text/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ergon {

/// Eight to each power of two, from a sixteenth of the lowest ridge to sixteen times the highest,
/// and the ridges, where lines bend.
static std::vector<double> plottedIntensities(const CacheRoofs &Roofs) {
  std::vector<double> Result;
  for (const LevelRoof &Level : Roofs.Levels)
    Result.push_back(Level.ridge());
  const auto [Low, High] = std::ranges::minmax(Result);
  for (double Eighth = 8 * (std::floor(std::log2(Low)) - 4);
       Eighth <= 8 * (std::ceil(std::log2(High)) + 4); ++Eighth)
    Result.push_back(std::exp2(Eighth / 8));
  std::ranges::sort(Result);
  return Result;
}

static Plot attainablePlot(const std::string &Title, const CacheRoofs &Roofs,
                           const std::vector<double> &Intensities) {
  Plot Result{.Title = Title + ": " + Roofs.FlopsClass,
              .X = {.Label = "intensity in flops per byte"},
              .Y = {.Label = "attainable", .Unit = "flop/s", .Kind = Plot::Scale::Logarithmic}};
  for (const LevelRoof &Level : Roofs.Levels) {
    Plot::Line &Line = Result.Lines.emplace_back(Plot::Line{
        .Label = fmt::format("{}, {}", Level.Level, shortQuantity(Level.BytesPerS, "B/s"))});
    for (const double Intensity : Intensities)
      Line.Points.emplace_back(Intensity, Level.attainable(Intensity));
  }
  return Result;
}

static Plot powerPlot(const std::string &Title, const CacheRoofs &Roofs, PowerDomain Domain,
                      const std::vector<double> &Intensities) {
  Plot Result{.Title =
                  fmt::format("{}: {}, power of the {}", Title, Roofs.FlopsClass, name(Domain)),
              .X = {.Label = "intensity in flops per byte"},
              .Y = {.Label = "power", .Unit = "W", .Kind = Plot::Scale::Linear, .FromZero = true}};
  for (const LevelRoof &Level : Roofs.Levels)
    if (auto Hill = Level.Hills.find(Domain); Hill != Level.Hills.end()) {
      Plot::Line &Line = Result.Lines.emplace_back(Plot::Line{.Label = Level.Level});
      for (const double Intensity : Intensities)
        Line.Points.emplace_back(Intensity, Hill->second.power(Intensity));
    }
  return Result;
}

std::vector<Plot> roofsPlots(const std::string &Title, const std::vector<CacheRoofs> &All) {
  std::vector<Plot> Result;
  for (const CacheRoofs &Roofs : All) {
    if (Roofs.Levels.empty())
      continue;
    const std::vector<double> Intensities = plottedIntensities(Roofs);
    Result.push_back(attainablePlot(Title, Roofs, Intensities));
    for (std::size_t D = 0; D != PowerDomainNames.size(); ++D)
      if (!Roofs.hills(PowerDomain(D)).empty())
        Result.push_back(powerPlot(Title, Roofs, PowerDomain(D), Intensities));
  }
  return Result;
}

} // namespace ergon
