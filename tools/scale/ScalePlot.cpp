//===- ScalePlot.cpp - what ergon scale finds, as a plot ------------------===//

#include "tools/scale/ScalePlot.h"

#include <fmt/format.h>

#include <limits>
#include <map>
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

} // namespace ergon
