//===- CommandFit.cpp - ergon fit -----------------------------------------===//

#include "formats/json/TextFile.h"
#include "formats/profile/ProfileFormat.h"
#include "model/fit/ColumnChecks.h"
#include "model/fit/FitErrors.h"
#include "model/fit/ProfileFit.h"
#include "predict/text/Text.h"
#include "tools/base/Commands.h"
#include "tools/base/InThreads.h"
#include "tools/base/SampleStore.h"
#include "tools/base/Terminal.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>

using nlohmann::ordered_json;

namespace ergon {

/// Rows at a setting that is held out. Error: none is.
static std::expected<std::vector<bool>, Error> heldOut(const std::vector<std::string> &Texts,
                                                       const Samples &Subject) {
  const auto Settings = settingsNamed(Texts, Subject, "--hold-out");
  if (!Settings)
    return std::unexpected(Settings.error());
  std::vector<bool> Result;
  for (const Sample &Row : Subject.Rows)
    Result.push_back(std::ranges::any_of(
        *Settings, [&](const Setting &Held) { return Held.sameClocks(Row.Clocks); }));
  return Result;
}

/// Says of \p M what its sources are.
static void describeSources(Machine &M, const FitOptions &Options, const CheckedSamples &From) {
  const std::string File = std::filesystem::path(Options.Samples).filename().string();
  const std::string Date = fmt::format(
      "{:%Y-%m-%d}", std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  const std::string Reference =
      Options.Reference.empty() ? File : Options.Reference + " (" + File + ")";
  M.Sources["samples"] = {SourceKind::Measured, Reference,
                          Options.Date.empty() ? Date : Options.Date, "",
                          "not stated with the samples"};
  Source &Fit = M.Sources["fit"];
  Fit = {SourceKind::Fitted, "ergon fit of " + Reference, Date, "", "in /fit"};
  Fit.Derivation =
      fmt::format("{} rows{}", From.Table.Rows.size(), Options.Time ? ", times too" : "");
  for (const SampleFinding &Finding : From.Report.Findings)
    Fit.Derivation += "; " + Finding.Text;
  if (M.Power.Cap) {
    M.Sources["power-cap"] = {SourceKind::Published,
                              "given to ergon fit with --power-cap, beside " + Reference, Date, "",
                              "not stated"};
    M.Power.Cap->Source = "power-cap";
  }
}

namespace {
/// One line of the report of errors.
struct ErrorLine {
  std::string Key, Title;
  FitErrors Full, Formula;
};
} // namespace

/// The errors of the rows that are held out, or of the others.
static FitErrors errorsOfPart(const Samples &S, std::vector<double> Errors,
                              const std::vector<bool> &HeldOut, bool Held) {
  for (std::size_t Row = 0; Row != Errors.size(); ++Row)
    if ((!HeldOut.empty() && HeldOut[Row]) != Held)
      Errors[Row] = std::nan("");
  return errorsOf(Errors, workloadsOf(S));
}

static std::vector<ErrorLine> errorLines(const Samples &Table, const EnergyFit &Fit,
                                         const std::vector<bool> &HeldOut) {
  std::vector<ErrorLine> Result;
  auto Add = [&](std::string Key, std::string Title, const RowErrors &Errors, bool Held) {
    ErrorLine Line{std::move(Key), std::move(Title),
                   errorsOfPart(Table, Errors.Full, HeldOut, Held),
                   errorsOfPart(Table, Errors.Formula, HeldOut, Held)};
    if (Line.Full.Count > 0)
      Result.push_back(std::move(Line));
  };
  Add("in_sample", "the rows fitted to", Fit.InSample, false);
  Add("by_setting", "settings left out", Fit.BySetting, false);
  Add("by_workload", "workloads left out", Fit.ByWorkload, false);
  Add("by_family", "families left out", Fit.ByFamily, false);
  Add("held_out", "the rows held out", Fit.InSample, true);
  return Result;
}

/// Workloads by how badly they are predicted when their families are left out, the worst first.
static std::vector<std::pair<std::string, double>> worstWorkloads(const Samples &S,
                                                                  const EnergyFit &Fit) {
  std::map<std::string, std::vector<double>> Errors;
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row)
    if (!std::isnan(Fit.ByFamily.Full[Row]))
      Errors[S.Rows[Row].Workload].push_back(Fit.ByFamily.Full[Row]);
  std::vector<std::pair<std::string, double>> Result;
  for (const auto &[Workload, Values] : Errors) {
    double Mean = 0;
    for (double Error : Values)
      Mean += Error / Values.size();
    Result.emplace_back(Workload, Mean);
  }
  std::ranges::sort(Result, std::ranges::greater{},
                    [](auto &Item) { return std::abs(Item.second); });
  return Result;
}

/// The jackknife's relative standard deviation of a coefficient, if it has one.
static std::optional<double> deviation(const Machine &M, const std::string &Name) {
  if (!M.Fit.Quality || !M.Fit.Quality->JointCovariance)
    return std::nullopt;
  const Covariance &All = *M.Fit.Quality->JointCovariance;
  auto Found = std::ranges::find(All.Coefficients, Name);
  if (Found == All.Coefficients.end())
    return std::nullopt;
  const std::size_t K = Found - All.Coefficients.begin();
  return std::sqrt(All.Relative[K][K]);
}

/// Errors of time by what was left out, those of the rows fitted to first.
static std::vector<std::pair<std::string, FitErrors>> timeErrors(const TimeFit &Fit) {
  std::vector<std::pair<std::string, FitErrors>> Result = {{"in_sample", Fit.InSample}};
  if (Fit.Settings)
    Result.emplace_back("by_setting", *Fit.Settings);
  if (Fit.Workloads)
    Result.emplace_back("by_workload", *Fit.Workloads);
  if (Fit.ByFamily)
    Result.emplace_back("by_family", *Fit.ByFamily);
  return Result;
}

static void printJson(const Samples &Table, const SampleReport &Report, const EnergyFit &Fit,
                      const std::vector<ErrorLine> &Lines, const std::optional<TimeFit> &Times) {
  ordered_json Result = {
      {"schema", "ergon-fit/1"}, {"rows", Table.Rows.size()}, {"warnings", ordered_json::array()}};
  for (const SampleFinding &Finding : Report.Findings)
    Result["warnings"].push_back({{"id", Finding.Id}, {"text", Finding.Text}});
  for (const auto &[Name, Coefficient] : Fit.Fitted.coefficients()) {
    ordered_json &Output = Result["coefficients"][Name] = {{"value", Coefficient->Value}};
    if (const auto Sd = deviation(Fit.Fitted, Name))
      Output["relative_sd"] = *Sd;
  }
  Result["merged"] = Report.Proportional;
  Result["without_price"] = Fit.Free;
  for (const ErrorLine &Line : Lines) {
    ordered_json &Target = Result["energy_error"][Line.Key] = {{"rows", Line.Full.Count}};
    Target.update(toJson(Line.Full));
    Target["formula_alone_mean"] = Line.Formula.Mean;
  }
  if (Times)
    for (const auto &[Key, TimeError] : timeErrors(*Times))
      Result["time_error"][Key] = toJson(TimeError);
  if (Fit.Fitted.Fit.Quality->Losses)
    Result["choice_losses"] = profileDocument(Fit.Fitted)["fit"]["choice_losses"];
  for (const auto &[Workload, Error] : worstWorkloads(Table, Fit))
    Result["workloads"].push_back({{"workload", Workload}, {"energy_error", Error}});
  fmt::print("{}\n", Result.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

static void printLaws(const Machine &M) {
  if (M.Power.CoreLaw && M.Power.CoreLaw->RisePerMhz.Value > 0)
    fmt::print("  core voltage: flat to {:.4g} MHz, then {:+.3g} % of it for each 100 MHz\n",
               M.Power.CoreLaw->FlatToMhz.Value, M.Power.CoreLaw->RisePerMhz.Value * 1e4);
  else if (M.Power.CoreLaw)
    fmt::print("  core voltage: no rise with the clock can be seen\n");
  if (M.Power.VoltageExponent)
    fmt::print("  dynamic energy goes with V^{:.3g}\n", M.Power.VoltageExponent->Value);
  if (M.Power.Saturates)
    fmt::print("  dynamic power goes with (what prices add up to)^{:.3g}\n",
               M.Power.Saturates->Exponent.Value);
}

static void printTimes(const TimeFit &Fit) {
  fmt::print("\ntime: classes overlap with exponent {:g}\n  {:<27} {:>9} {:>7} {:>7} {:>7}\n",
             Fit.OverlapExponent, "|predicted/measured - 1|, %", "mean", "sd", "median", "max");
  for (const auto &[Key, TimeError] : timeErrors(Fit))
    fmt::print("  {:<27} {:>9.2f} {:>7.2f} {:>7.2f} {:>7.2f}\n",
               Key == "in_sample"     ? "the rows fitted to"
               : Key == "by_setting"  ? "settings left out"
               : Key == "by_workload" ? "workloads left out"
                                      : "families left out",
               TimeError.Mean * 100, TimeError.Sd * 100, TimeError.Median * 100,
               TimeError.Most * 100);
  for (const FittedThroughput &Throughput : Fit.Free)
    fmt::print("  {} explains no time: at least {:.4g} a second\n", Throughput.Class,
               Throughput.PerS);
}

static void printLosses(const ChoiceLosses &Losses) {
  fmt::print(
      "\nenergy that a choice of setting loses for families left out, times predicted\n"
      "  the fastest {:.2f} %, the slowest {:.2f} %, the best fixed one of the others {:.2f} % "
      "({} MHz for all)\n",
      Losses.Fastest * 100, Losses.Slowest * 100, Losses.Fixed * 100,
      clocksText(Losses.FixedSetting));
  static constexpr const char *Known[] = {"no run", "one run", "two runs"};
  for (std::size_t Runs = 0; Runs != Losses.ByRuns.size(); ++Runs)
    fmt::print("  with {} known the model {:.2f} %, with what programs need in the mean {:.2f} % "
               "(the model's weight {:.2f})\n",
               Known[Runs], Losses.ByRuns[Runs].Model * 100, Losses.ByRuns[Runs].Combined * 100,
               Losses.ByRuns[Runs].ModelWeight);
}

static void printText(const Samples &Table, const SampleReport &Report, const EnergyFit &Fit,
                      const std::vector<ErrorLine> &Lines, const std::optional<TimeFit> &Times) {
  fmt::print("fitted to {} rows, {} settings\n", Table.Rows.size(), Fit.Fitted.Settings.size());
  fmt::print("\ncoefficients, and one standard deviation where families are left out\n");
  for (const auto &[Name, Coefficient] : Fit.Fitted.coefficients()) {
    const auto Sd = deviation(Fit.Fitted, Name);
    fmt::print("  {:<38} {:>12.5g} {}\n", Name, Coefficient->Value,
               Sd ? fmt::format("± {:.0f} %", *Sd * 100) : "");
  }
  printLaws(Fit.Fitted);
  for (const std::vector<std::string> &Texts : Report.Proportional)
    fmt::print("  {} come together: their prices are split, their sum is fitted\n",
               fmt::join(Texts, ", "));
  if (!Fit.Free.empty())
    fmt::print("  no energy can be seen of: {}\n", fmt::join(Fit.Free, ", "));
  fmt::print("\n|predicted/measured - 1| of energy, in %, from measured time\n  {:<22} {:>6} {:>7} "
             "{:>7} {:>7} {:>7} {:>7}   {}\n",
             "", "rows", "mean", "sd", "min", "median", "max", "mean by the formula alone");
  for (const ErrorLine &Line : Lines)
    fmt::print("  {:<22} {:>6} {:>7.2f} {:>7.2f} {:>7.2f} {:>7.2f} {:>7.2f}   {:.2f}\n", Line.Title,
               Line.Full.Count, Line.Full.Mean * 100, Line.Full.Sd * 100, Line.Full.Least * 100,
               Line.Full.Median * 100, Line.Full.Most * 100, Line.Formula.Mean * 100);
  if (Times)
    printTimes(*Times);
  if (const auto &Losses = Fit.Fitted.Fit.Quality->Losses)
    printLosses(*Losses);
  const auto Worst = worstWorkloads(Table, Fit);
  if (!Worst.empty())
    fmt::print("\nworkloads predicted worst when their families are left out\n");
  for (std::size_t K = 0; K != std::min<std::size_t>(Worst.size(), 8); ++K)
    fmt::print("  {:>+7.1f} %  {}\n", Worst[K].second * 100, Worst[K].first);
}

/// Every relative error by its name in a file of residuals.
static std::vector<std::pair<std::string, std::vector<double>>>
residuals(const EnergyFit &Energy, const std::optional<TimeFit> &Times,
          const std::vector<std::size_t> &TimedRows) {
  std::vector<std::pair<std::string, std::vector<double>>> Result = {
      {"in_sample", Energy.InSample.Full},
      {"by_setting", Energy.BySetting.Full},
      {"by_workload", Energy.ByWorkload.Full},
      {"by_family", Energy.ByFamily.Full},
      {"in_sample_formula", Energy.InSample.Formula},
      {"by_setting_formula", Energy.BySetting.Formula},
      {"by_workload_formula", Energy.ByWorkload.Formula},
      {"by_family_formula", Energy.ByFamily.Formula}};
  auto AddTime = [&](const char *Name, const std::vector<double> &Errors) {
    std::vector<double> &Target =
        Result.emplace_back(Name, std::vector<double>(Energy.IsFitted.size(), std::nan(""))).second;
    for (std::size_t K = 0; K != Errors.size(); ++K)
      Target[TimedRows[K]] = Errors[K];
  };
  if (Times) {
    AddTime("time_in_sample", Times->Fitted);
    AddTime("time_by_setting", Times->WithoutSetting);
    AddTime("time_by_workload", Times->WithoutWorkload);
    AddTime("time_by_family", Times->WithoutFamily);
  }
  return Result;
}

static void warn(const std::string &File, const TimeFit &Fit) {
  for (const std::string &Class : Fit.CountTime)
    fmt::print(stderr,
               "ergon: warning: {}: {} counts cycles, which are time itself: the fit of times "
               "says nothing of code whose {} are not known [counts-time]\n",
               File, Class, Class);
}

int runFit(const FitOptions &Options) {
  const std::expected<CheckedSamples, Error> Loaded = loadSamples(Options.Samples, Options.Family);
  if (!Loaded)
    return complain(Loaded.error());
  const Samples &Table = Loaded->Table;
  EnergyFitOptions How{Options.PowerCapW, Options.Folds, Loaded->Report.Proportional, {}};
  if (!Options.HoldOut.empty()) {
    auto Held = heldOut(Options.HoldOut, Table);
    if (!Held)
      return complain(Held.error());
    How.HeldOut = std::move(*Held);
  }
  if (!Table.Rows.front().EnergyJ && !Options.Time)
    return complain({"energy_j is blank in every row", "",
                     "fit times alone with --time, or fill it in", Options.Samples});
  ProgressBar Progress("fit", "steps", std::chrono::seconds(10), std::chrono::seconds(2));
  std::mutex Showing;
  How.ForEach = forEachInThreads;
  How.Progress = [&](std::size_t Done, std::size_t Index, const char *Name) {
    const std::lock_guard Lock(Showing);
    Progress.show(Done, Index, Name);
  };
  const std::expected<ProfileFit, Error> Fit = fitProfile(Table, How, Options.Time);
  Progress.clear();
  if (!Fit)
    return complain({Fit.error().What, "", Fit.error().Fix, Options.Samples});
  const EnergyFit &Energy = Fit->Energy;
  const std::optional<TimeFit> &Times = Fit->Times;
  Machine M = Energy.Fitted;
  M.Name =
      Options.Name.empty() ? std::filesystem::path(Options.Output).stem().string() : Options.Name;
  M.Description = Options.Description.empty() ? "Fitted to measured runs." : Options.Description;
  M.Kind = Options.Kind;
  describeSources(M, Options, *Loaded);
  const std::string Profile = writeProfile(M);
  if (auto Refused = parseProfile(Profile); !Refused) // such as an invalid --date
    return complain(Refused.error());
  std::expected<void, Error> Written = writeTextFile(Options.Output, Profile);
  if (Written && !Options.Residuals.empty())
    Written = writeTextFile(Options.Residuals,
                            residualsCsv(Table, residuals(Energy, Times, Fit->TimedRows)));
  if (!Written)
    return complain(Written.error());
  SampleReport Report = Loaded->Report;
  std::ranges::move(checkPrices(Energy), std::back_inserter(Report.Findings));
  warn(Options.Samples, Report);
  if (Times)
    warn(Options.Samples, *Times);
  const std::vector<ErrorLine> Lines = errorLines(Table, Energy, How.HeldOut);
  if (Options.Json)
    printJson(Table, Report, Energy, Lines, Times);
  else
    printText(Table, Report, Energy, Lines, Times);
  return Done;
}

} // namespace ergon
