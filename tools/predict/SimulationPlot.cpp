//===- SimulationPlot.cpp - power over time as a plot ---------------------===//

#include "tools/predict/SimulationPlot.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace ergon {

/// Watts of all processors together.
static std::vector<PowerStep> totalPower(const std::vector<std::vector<PowerStep>> &Power) {
  std::map<double, double> Changes;
  for (const std::vector<PowerStep> &Steps : Power) {
    double Before = 0;
    for (const PowerStep &Step : Steps) {
      Changes[Step.FromS] += Step.PowerW - Before;
      Before = Step.PowerW;
    }
  }
  std::vector<PowerStep> Result;
  double PowerW = 0;
  for (const auto &[FromS, ChangeW] : Changes)
    Result.push_back({FromS, PowerW += ChangeW});
  return Result;
}

static Plot::Line stepLine(std::string Label, const std::vector<PowerStep> &Steps,
                           double MakespanS) {
  Plot::Line Result{.Label = std::move(Label), .IsStep = true};
  for (const PowerStep &Step : Steps)
    Result.Points.emplace_back(Step.FromS, Step.PowerW);
  if (!Steps.empty())
    Result.Points.emplace_back(MakespanS, Steps.back().PowerW);
  return Result;
}

Plot powerPlot(const SimulationDocument &Document) {
  Plot Result{.Title = Document.Subject.Name,
              .X = {.Label = "time", .Unit = "s", .Kind = Plot::Scale::Linear, .FromZero = true},
              .Y = {.Label = "power", .Unit = "W", .Kind = Plot::Scale::Linear, .FromZero = true}};
  const Simulated &Run = Document.OnSimGrid;
  if (Run.Power.size() > 1)
    Result.Lines.push_back(stepLine("all", totalPower(Run.Power), Run.Result.MakespanS));
  struct Alike {
    std::size_t First, More;
  };
  std::map<std::vector<PowerStep>, Alike> Found;
  for (std::size_t P = 0; P != Run.Power.size(); ++P)
    if (auto [Same, IsNew] = Found.try_emplace(Run.Power[P], Alike{P, 0}); !IsNew)
      ++Same->second.More;
  std::map<std::size_t, std::size_t> InOrder;
  for (const auto &[Steps, Group] : Found)
    InOrder[Group.First] = Group.More;
  for (const auto &[First, More] : InOrder) {
    const std::string &Name = Document.Subject.Steps.Processors[First].Name;
    Result.Lines.push_back(stepLine(More ? fmt::format("{} and {} alike", Name, More) : Name,
                                    Run.Power[First], Run.Result.MakespanS));
  }
  return Result;
}

} // namespace ergon
