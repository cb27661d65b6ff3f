//===- ScalePlot.cpp - what ergon scale finds, as a plot ------------------===//

#include "tools/scale/ScalePlot.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace ergon {

Plot scalePlot(const ScaleDocument &Document) {
  Plot Result{
      .Title = fmt::format("{} on {}: energy efficiency", Document.Application, Document.Machine),
      .X = {.Label = "processors p", .Kind = Plot::Scale::Logarithmic},
      .Y = {.Label = "EE (thick), T_1/pT (thin, dashed)",
            .Kind = Plot::Scale::Linear,
            .FromZero = true}};
  std::set<double> Processors;
  std::map<std::pair<double, double>, std::map<double, const ScaleRow *>> ByClockAndSize;
  for (const ScaleRow &Row : Document.Rows) {
    Processors.insert(Row.Point.P);
    ByClockAndSize[{Row.Point.Mhz, Row.Point.N}][Row.Point.P] = &Row;
  }
  Result.X.Ticks.assign(Processors.begin(), Processors.end());
  for (const auto &[Where, Rows] : ByClockAndSize) {
    Plot::Line Energy{.Label = fmt::format("n = {:.10g}, {:g} MHz", Where.second, Where.first)},
        Time{.Label = "", .IsThin = true};
    for (const auto &[P, Row] : Rows) {
      constexpr double None = std::numeric_limits<double>::quiet_NaN();
      Energy.Points.emplace_back(P, Row->Value ? Row->Value->efficiency() : None);
      Time.Points.emplace_back(P, Row->Value ? Row->Value->performance() : None);
    }
    Result.Lines.push_back(std::move(Energy));
    Result.Lines.push_back(std::move(Time));
  }
  return Result;
}

Plot scalePlot(const ScaledRunsDocument &Document) {
  const bool OfEnergy = Document.hasEnergies();
  Plot Result{
      .Title = fmt::format("{}: efficiency of {}", Document.File, OfEnergy ? "energy" : "time"),
      .X = {.Label = "processors p", .Kind = Plot::Scale::Logarithmic},
      .Y = {.Label = OfEnergy ? "EE (thin: 95 % intervals)" : "T_1/pT (thin: 95 % intervals)",
            .Kind = Plot::Scale::Linear,
            .FromZero = true}};
  std::set<double> All;
  for (std::size_t I = 0; I != Document.Points.size();) {
    const ScaledPoint &First = Document.Points[I];
    Plot::Line Middle{.Label = title(First.Series, First.Mhz)}, Low{.Label = "", .IsThin = true},
        High{.Label = "", .IsThin = true};
    for (; I != Document.Points.size() && Document.Points[I].Series == First.Series &&
           Document.Points[I].Mhz == First.Mhz;
         ++I) {
      const ScaledPoint &Point = Document.Points[I];
      All.insert(Point.On.P);
      if (const auto Measured = OfEnergy ? Point.MeasuredEe : Point.MeasuredTimeEfficiency)
        Result.Marks.push_back({"", {Point.On.P, *Measured}, Plot::Shape::Ring});
      if (!Point.Value)
        continue;
      const UncertainAmount &Amount = Point.Value->knownEfficiency();
      Middle.Points.emplace_back(Point.On.P, Amount.Value);
      Low.Points.emplace_back(Point.On.P, Amount.low());
      High.Points.emplace_back(Point.On.P, Amount.high());
    }
    for (Plot::Line *Line : {&Middle, &Low, &High})
      Result.Lines.push_back(std::move(*Line));
  }
  Result.X.Ticks.assign(All.begin(), All.end());
  if (!Result.Marks.empty())
    Result.Meanings.emplace_back(Plot::Shape::Ring, "measured");
  return Result;
}

} // namespace ergon
