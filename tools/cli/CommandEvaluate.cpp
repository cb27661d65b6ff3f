//===- CommandEvaluate.cpp - ergon evaluate -------------------------------===//

#include "formats/json/TextFile.h"
#include "model/fit/Evaluation.h"
#include "model/fit/FitErrors.h"
#include "predict/store/MachineStore.h"
#include "report/output/Svg.h"
#include "tools/base/Commands.h"
#include "tools/base/InThreads.h"
#include "tools/base/SampleStore.h"
#include "tools/base/Terminal.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <set>

using nlohmann::ordered_json;

namespace ergon {

using ErrorColumn = std::pair<std::string, std::vector<double>>;

static ordered_json toJson(const ChoiceSummary &Summary) {
  return {{"wrong", Summary.Wrong},
          {"mean_loss", Summary.MeanLoss},
          {"mean_loss_of_wrong", Summary.MeanLossOfWrong},
          {"min_loss_of_wrong", Summary.MinLossOfWrong},
          {"max_loss", Summary.MaxLoss}};
}

/// The number of families of \p S that \p M was fitted to.
static std::size_t knownFamilies(const Machine &M, const Samples &S) {
  std::set<std::string> Known;
  for (const Sample &Row : S.Rows)
    if (M.Fit.Quality && std::ranges::binary_search(M.Fit.Quality->Families, familyOf(Row)))
      Known.insert(familyOf(Row));
  return Known.size();
}

static void printJson(const std::string &Machine, const Samples &S, const Evaluation &E,
                      const std::vector<ErrorColumn> &Errors, const EvaluateOptions &Options) {
  ordered_json Result = {{"schema", "ergon-evaluation/1"},
                         {"machine", Machine},
                         {"time", Options.PredictTime ? "predicted" : "measured"},
                         {"rows", S.Rows.size()}};
  for (const auto &[Name, Values] : Errors)
    Result[Name] = toJson(errorsOf(Values, workloadsOf(S)));
  Result["choice"] = ordered_json::array();
  for (const Choices &C : E.ByFamily)
    Result["choice"].push_back({{"family", C.Family},
                                {"workloads", C.Model.Workloads},
                                {"model", toJson(C.Model)},
                                {"fastest", toJson(C.Fastest)},
                                {"slowest", toJson(C.Slowest)},
                                {"fixed", toJson(C.Fixed)}});
  if (E.Intervals) {
    ordered_json &Intervals = Result["intervals"] = {{"rows", E.Intervals->Rows}};
    if (Options.PredictTime)
      Intervals.update(
          {{"time_inside", E.Intervals->TimeShare}, {"time_width", E.Intervals->TimeWidth}});
    Intervals.update(
        {{"energy_inside", E.Intervals->EnergyShare}, {"energy_width", E.Intervals->EnergyWidth}});
  }
  Result["unpriced"] = E.Unpriced;
  if (Options.PredictTime)
    Result["untimed"] = E.Untimed;
  Result["not_counted"] = E.NotCounted;
  fmt::print("{}\n", Result.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

static void printText(const std::string &Machine, const Samples &S, const Evaluation &E,
                      const std::vector<ErrorColumn> &Errors, bool PredictTime) {
  fmt::print("{} rows on {}, time {}\n\n|predicted/measured - 1|, in %\n  {:<14} {:>7} {:>7} {:>7} "
             "{:>7} {:>7}\n",
             S.Rows.size(), Machine, PredictTime ? "predicted" : "measured", "", "mean", "sd",
             "min", "median", "max");
  for (const auto &[Name, Values] : Errors) {
    const FitErrors FE = errorsOf(Values, workloadsOf(S));
    fmt::print("  {:<14} {:>7.2f} {:>7.2f} {:>7.2f} {:>7.2f} {:>7.2f}\n", Name, FE.Mean * 100,
               FE.Sd * 100, FE.Least * 100, FE.Median * 100, FE.Most * 100);
  }
  if (E.Intervals)
    fmt::print("\n95 % intervals of {} rows hold {}{:.0f} % of energies (median width a factor of "
               "{:.2f})\n",
               E.Intervals->Rows,
               PredictTime ? fmt::format("{:.0f} % of times ({:.2f}), ",
                                         100 * E.Intervals->TimeShare, E.Intervals->TimeWidth)
                           : "",
               100 * E.Intervals->EnergyShare, E.Intervals->EnergyWidth);
  if (E.ByFamily.empty()) {
    fmt::print("\nno workload was measured at more than one setting: nothing to choose\n");
    return;
  }
  fmt::print("\nenergy lost to the best setting measured, in %\n  {:<28} {:<8} {:>9} {:>7} | {:>9} "
             "{:>7} {:>7} of the wrong ones\n",
             "", "", "wrong", "mean", "mean", "min", "max");
  for (const Choices &C : E.ByFamily) {
    auto Line = [&](const std::string &Title, const char *Rule, const ChoiceSummary &Sum) {
      fmt::print("  {:<28} {:<8} {:>4} of {:<3} {:>6.2f} | {:>9.2f} {:>7.2f} {:>7.2f}\n", Title,
                 Rule, Sum.Wrong, Sum.Workloads, Sum.MeanLoss * 100, Sum.MeanLossOfWrong * 100,
                 Sum.MinLossOfWrong * 100, Sum.MaxLoss * 100);
    };
    Line(C.Family.empty() ? "all workloads" : C.Family, "model", C.Model);
    Line("", "fastest", C.Fastest);
    Line("", "slowest", C.Slowest);
    if (C.Fixed.Workloads)
      Line("", "fixed", C.Fixed);
  }
}

/// The share of rows whose error is at most that.
static Plot errorPlot(const std::string &Title, const std::vector<ErrorColumn> &Errors) {
  Plot Result{.Title = Title,
              .X = {.Label = "|predicted/measured - 1| in %", .Kind = Plot::Scale::Logarithmic},
              .Y = {.Label = "rows within that in %",
                    .Kind = Plot::Scale::Linear,
                    .FromZero = true,
                    .Ticks = {0, 25, 50, 75, 100}}};
  for (const auto &[Name, Values] : Errors) {
    std::vector<double> Sorted;
    for (const double Value : Values)
      if (std::isfinite(Value))
        Sorted.push_back(100 * std::abs(Value));
    std::ranges::sort(Sorted);
    Plot::Line &Line = Result.Lines.emplace_back(
        Plot::Line{.Label = Name.substr(0, Name.find('_')), .IsStep = true});
    for (std::size_t I = 0; I != Sorted.size(); ++I)
      Line.Points.emplace_back(Sorted[I], 100.0 * double(I + 1) / double(Sorted.size()));
  }
  return Result;
}

int runEvaluate(const EvaluateOptions &Options) {
  if (Options.Samples.empty() || Options.LeaveOut != Options.Machine.empty())
    return complain(
        {Options.LeaveOut ? "--leave-out fits its own profiles" : "no samples are given", "",
         Options.LeaveOut ? "give the samples alone" : "give a CSV file of them"});
  const std::expected<Machine, Error> M =
      Options.LeaveOut ? Machine{} : loadMachine(Options.Machine);
  if (!M)
    return complain(M.error());
  const std::expected<CheckedSamples, Error> Loaded = loadSamples(Options.Samples, Options.Family);
  if (!Loaded)
    return complain(Loaded.error());
  if (!Loaded->Table.Rows.front().EnergyJ)
    return complain({"energy_j is blank in every row", "",
                     "there is nothing to hold energies "
                     "against; fill it in",
                     Options.Samples});
  const auto MeasuredAt = settingsNamed(Options.MeasuredAt, Loaded->Table, "--measured-at");
  if (!MeasuredAt)
    return complain(MeasuredAt.error());
  const TimeFrom From = Options.PredictTime ? TimeFrom::Predicted : TimeFrom::Measured;
  ProgressBar Progress("evaluate", "families", std::chrono::seconds(10), std::chrono::seconds(2));
  EnergyFitOptions How;
  How.Together = Loaded->Report.Proportional;
  std::mutex Showing;
  How.ForEach = forEachInThreads;
  How.Progress = [&](std::size_t Ready, std::size_t Number, const char *Name) {
    const std::lock_guard Lock(Showing);
    Progress.show(Ready, Number, Name);
  };
  const auto Evaluation = Options.LeaveOut ? evaluateLeftOut(Loaded->Table, How, From, *MeasuredAt)
                                           : evaluate(*M, Loaded->Table, From, *MeasuredAt);
  Progress.clear();
  if (!Evaluation)
    return complain({Evaluation.error().What, "", Evaluation.error().Fix, Options.Samples});
  warn(Options.Samples, Loaded->Report);
  auto Warn = [&](const std::vector<std::string> &Classes, const char *What) {
    if (!Classes.empty())
      fmt::print(stderr, "ergon: warning: {}: {}: {}\n", Options.Samples, What,
                 fmt::join(Classes, ", "));
  };
  Warn(Evaluation->Unpriced, "counted, but the profile has no price of");
  if (Options.PredictTime)
    Warn(Evaluation->Untimed, "counted, but the profile has no throughput of");
  Warn(Evaluation->NotCounted, "priced by the profile, but not counted");
  if (const std::size_t Known = knownFamilies(*M, Loaded->Table))
    fmt::print(stderr,
               "ergon: warning: {}: {} of {} families are among those that {} was fitted to: these "
               "errors and choices are those of the fit; evaluate {} --leave-out has those of "
               "programs that a fit did not see [in-sample]\n",
               Options.Samples, Known, std::ranges::max(familiesOf(Loaded->Table)) + 1, M->Name,
               Options.Samples);
  const std::string Name = Options.LeaveOut ? "fits without each family" : M->Name;
  std::vector<ErrorColumn> Errors = {{"energy_error", Evaluation->EnergyErrors},
                                     {"power_error", Evaluation->PowerErrors}};
  if (Options.PredictTime)
    Errors.insert(Errors.begin(), {"time_error", Evaluation->TimeErrors});
  if (!Options.Residuals.empty())
    if (auto Written = writeTextFile(Options.Residuals, residualsCsv(Loaded->Table, Errors));
        !Written)
      return complain(Written.error());
  if (!Options.Svg.empty()) {
    const std::string Title = fmt::format("{} rows on {}", Loaded->Table.Rows.size(), Name);
    if (auto Written = writeTextFile(Options.Svg, toSvg(errorPlot(Title, Errors))); !Written)
      return complain(Written.error());
  }
  if (Options.Json)
    printJson(Name, Loaded->Table, *Evaluation, Errors, Options);
  else
    printText(Name, Loaded->Table, *Evaluation, Errors, Options.PredictTime);
  return Done;
}

} // namespace ergon
