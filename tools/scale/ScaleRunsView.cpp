//===- ScaleRunsView.cpp - what measured runs tell, as text and as JSON ---===//

#include "model/fit/FitErrors.h"
#include "tools/scale/ScaleRanges.h"
#include "tools/scale/ScaleRuns.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ergon {

using Json = nlohmann::ordered_json;

std::string title(const ScalingSeries &Series, std::optional<double> Mhz) {
  std::string Result = Series.Workload.empty() ? "runs" : Series.Workload;
  Result += fmt::format(", n = {:.10g}", Series.N);
  return Mhz ? Result + fmt::format(" at {:g} MHz", *Mhz) : Result;
}

/// \p Measured where it was, with the interval of a further run.
static std::string interval(const UncertainAmount &Amount, std::optional<double> Measured) {
  const double Value = Measured.value_or(Amount.Value);
  return Amount.Error == 0
             ? fmt::format("{:.4g}", Value)
             : fmt::format("{:.4g} ({:.4g} to {:.4g})", Value, Amount.low(), Amount.high());
}

static void printPoint(const ScaledPoint &Point, bool HasEnergies) {
  if (!Point.Value) {
    fmt::print("{:>8g} not known: {}\n", Point.On.P, Point.Value.error().Why);
    return;
  }
  const ScaledRun &Run = *Point.Value;
  const double TimeS = Point.Measured ? Point.Measured->TimeS : Run.TimeS.Value;
  fmt::print("{:>8g} {:>6g} {:>10.4g}", Point.On.P, Point.On.Nodes, TimeS);
  if (HasEnergies) {
    const auto EnergyJ = Point.Measured ? Point.Measured->EnergyJ
                         : Run.EnergyJ  ? std::optional(Run.EnergyJ->Value)
                                        : std::nullopt;
    fmt::print(" {:>11} {:>8} {:<26}", EnergyJ ? fmt::format("{:.5g}", *EnergyJ) : "-",
               EnergyJ ? fmt::format("{:.4g}", *EnergyJ / TimeS) : "-",
               Run.Efficiency ? interval(*Run.Efficiency, Point.MeasuredEe) : "-");
  }
  fmt::print(" {:<26} {}\n", interval(Run.TimeEfficiency, Point.MeasuredTimeEfficiency),
             !Point.Measured            ? "predicted"
             : Point.Measured->Runs > 1 ? fmt::format("{} runs", Point.Measured->Runs)
                                        : "1 run");
}

static std::size_t within(double Most, const std::vector<LeftOutPoint> &LeftOut) {
  return std::ranges::count_if(
      LeftOut, [&](const LeftOutPoint &Point) { return std::abs(Point.error()) <= Most; });
}

static std::size_t inside(const std::vector<LeftOutPoint> &LeftOut) {
  return std::ranges::count_if(LeftOut,
                               [](const LeftOutPoint &Point) { return Point.Run.isInside(); });
}

static void printLeftOut(const std::vector<LeftOutPoint> &LeftOut) {
  if (LeftOut.empty()) {
    fmt::print("\nno run can be left out: of how far predictions are off, these runs tell "
               "nothing\n");
    return;
  }
  const LeftOutPoint &Worst = *std::ranges::max_element(
      LeftOut, {}, [](const LeftOutPoint &Point) { return std::abs(Point.error()); });
  fmt::print(
      "\nevery p but the first of a program left out: {} off by {:.1f} % in the mean, {} of {} "
      "within 10 %, {} inside of their interval; worst {:+.0f} %: {}, p = {:g}\n",
      Worst.Run.IsEnergy ? "EE is" : "T_1/pT is", 100 * errorsOf(LeftOut).Mean,
      within(0.1, LeftOut), LeftOut.size(), inside(LeftOut), 100 * Worst.error(),
      title(Worst.Run.Series, Worst.Mhz), Worst.Run.On.P);
}

void printScaledRuns(const ScaledRunsDocument &Document) {
  const bool HasEnergies = Document.hasEnergies();
  fmt::print("{}: {} runs{}\n", Document.File, Document.Runs,
             Document.Law.empty() ? "" : ", with the vector of " + Document.Law);
  fmt::print("{}T_1/pT is the efficiency of time; with 95 % intervals of a further run\n",
             HasEnergies ? "EE = E_1/E_p; " : "");
  const ScaledPoint *Before = nullptr;
  for (const ScaledPoint &Point : Document.Points) {
    if (!Before || !(Before->Series == Point.Series) || Before->Mhz != Point.Mhz) {
      fmt::print("\n{}\n{:>8} {:>6} {:>10}", title(Point.Series, Point.Mhz), "p", "nodes", "T s");
      if (HasEnergies)
        fmt::print(" {:>11} {:>8} {:<26}", "E J", "P W", "EE");
      fmt::print(" T_1/pT\n");
    }
    printPoint(Point, HasEnergies);
    Before = &Point;
  }
  if (Document.KeepEe) {
    fmt::print("\n{} of {:g} and above, searched to p = {:.15g}\n", HasEnergies ? "EE" : "T_1/pT",
               *Document.KeepEe, Document.MaxP);
    for (const ScaledKept &Kept : Document.Kept)
      fmt::print("  {}: p = {}\n", title(Kept.Series, Kept.Mhz), rangesText(Kept.Ranges));
  }
  printLeftOut(Document.LeftOut);
  for (const std::string &Note : Document.Notes)
    fmt::print("{}note: {}\n", &Note == &Document.Notes.front() ? "\n" : "", Note);
}

static Json seriesJson(const ScalingSeries &Series, std::optional<double> Mhz,
                       const std::optional<Processors> &On = {}) {
  Json Result = Json::object();
  if (!Series.Workload.empty())
    Result["workload"] = Series.Workload;
  Result["n"] = std::int64_t(Series.N);
  if (Mhz)
    Result["core_mhz"] = *Mhz;
  if (On) {
    Result["p"] = std::int64_t(On->P);
    Result["nodes"] = std::int64_t(On->Nodes);
  }
  return Result;
}

static Json amount(const UncertainAmount &Amount) {
  return {{"value", Amount.Value}, {"low", Amount.low()}, {"high", Amount.high()}};
}

static Json pointJson(const ScaledPoint &Point) {
  Json Result = seriesJson(Point.Series, Point.Mhz, Point.On);
  if (Point.Measured) {
    Json &Measured =
        Result["measured"] = {{"runs", Point.Measured->Runs}, {"time_s", Point.Measured->TimeS}};
    if (Point.Measured->EnergyJ)
      Measured["energy_j"] = *Point.Measured->EnergyJ;
    if (Point.MeasuredEe)
      Measured["ee"] = *Point.MeasuredEe;
    if (Point.MeasuredTimeEfficiency)
      Measured["time_efficiency"] = *Point.MeasuredTimeEfficiency;
  }
  if (!Point.Value) {
    Result["not_known"] = Point.Value.error().Why;
    return Result;
  }
  Result["time_s"] = amount(Point.Value->TimeS);
  Result["time_efficiency"] = amount(Point.Value->TimeEfficiency);
  if (Point.Value->EnergyJ)
    Result["energy_j"] = amount(*Point.Value->EnergyJ);
  if (Point.Value->Efficiency)
    Result["ee"] = amount(*Point.Value->Efficiency);
  return Result;
}

std::string writeScaledRuns(const ScaledRunsDocument &Document) {
  Json Result = {
      {"schema", "ergon-scaled-runs/1"}, {"file", Document.File}, {"runs", Document.Runs}};
  if (!Document.Law.empty())
    Result["vector"] = Document.Law;
  Json &Points = Result["points"] = Json::array();
  for (const ScaledPoint &Point : Document.Points)
    Points.push_back(pointJson(Point));
  Json &LeftOut = Result["left_out"] = {{"cases", Document.LeftOut.size()}};
  if (!Document.LeftOut.empty()) {
    LeftOut["of"] = Document.LeftOut.front().Run.IsEnergy ? "ee" : "time_efficiency";
    LeftOut["mean_error"] = errorsOf(Document.LeftOut).Mean;
    LeftOut["within_10_percent"] = within(0.1, Document.LeftOut);
    LeftOut["inside"] = inside(Document.LeftOut);
    for (const LeftOutPoint &Point : Document.LeftOut) {
      Json Next = seriesJson(Point.Run.Series, Point.Mhz, Point.Run.On);
      Next["measured"] = Point.Run.Measured;
      Next["predicted"] = amount(Point.Run.Predicted);
      LeftOut["points"].push_back(std::move(Next));
    }
  }
  if (Document.KeepEe) {
    Json &Keep = Result["keep_ee"] = {{"ee", *Document.KeepEe},
                                      {"searched_p", std::int64_t(Document.MaxP)},
                                      {"kept", Json::array()}};
    for (const ScaledKept &Kept : Document.Kept) {
      Json Next = seriesJson(Kept.Series, Kept.Mhz);
      Next["keeping_p"] = rangesJson(Kept.Ranges);
      Keep["kept"].push_back(std::move(Next));
    }
  }
  Result["notes"] = Document.Notes;
  return Result.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ergon
