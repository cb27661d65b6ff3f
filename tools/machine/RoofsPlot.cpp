//===- RoofsPlot.cpp - cache-aware rooflines as plots ---------------------===//

#include "tools/machine/RoofsPlot.h"
#include "predict/text/Text.h"
#include "tools/machine/RoofsView.h"

#include <fmt/format.h>

namespace ergon {

/// Points of a line to each power of two.
static constexpr unsigned PerDoubling = 8;

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
    const std::vector<double> Intensities = intensitiesAround(Roofs, PerDoubling);
    Result.push_back(attainablePlot(Title, Roofs, Intensities));
    for (std::size_t D = 0; D != PowerDomainNames.size(); ++D)
      if (!Roofs.hills(PowerDomain(D)).empty())
        Result.push_back(powerPlot(Title, Roofs, PowerDomain(D), Intensities));
  }
  return Result;
}

} // namespace ergon
