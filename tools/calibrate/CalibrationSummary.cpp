//===- CalibrationSummary.cpp - a calibration on a screen -----------------===//

#include "model/energy/PreparedMachine.h"
#include "model/fit/FitErrors.h"
#include "predict/text/Text.h"
#include "tools/calibrate/Calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ergon {

namespace {
/// A class that most programs execute much of, or the traffic of a level of memory.
struct SummaryRow {
  const char *Class;
  const char *Shown;
  const char *Unit;
  const char *Level; ///< whose latency stands beside it; empty: none
};
/// The cells of a row: what it is, rates of one thread and of all, latency, energy.
using Cells = std::array<std::string, 5>;
} // namespace

static constexpr SummaryRow Rows[] = {
    {"flops_f64", "flops, f64", "/s", ""}, {"flops_f32", "flops, f32", "/s", ""},
    {"int_ops", "integer", "/s", ""},      {"bytes_l1", "l1", "B/s", "l1"},
    {"bytes_l2", "l2", "B/s", "l2"},       {"bytes_l3", "l3", "B/s", "l3"},
    {"bytes_dram", "dram", "B/s", "dram"}};

/// ` ± 0.41 %`
static std::string plusMinus(double Relative) {
  const double Percent = Relative * 100;
  return Percent < 10 ? fmt::format(" ± {:.2g} %", Percent) : fmt::format(" ± {:.0f} %", Percent);
}

/// `54.21 G/s ± 0.41 %`: to the farther end of the interval.
static std::string withError(const MeasuredQuantity &Q, const char *Unit) {
  const double Value = Q.Median.Value;
  return quantity(Value, Unit) + plusMinus(std::max(Q.High / Value - 1, 1 - Q.Low / Value));
}

/// Joules of a unit with the interval: by the fit's covariance, or else within a factor.
static std::string energyText(const Machine &M, const std::string &Class) {
  const auto Found = M.Power.Energies.find(Class);
  if (Found == M.Power.Energies.end())
    return "";
  const double Value = Found->second.Coefficient.Value;
  Interval Result{Value, Value, Value};
  const FitQuality &Quality = *M.Fit.Quality;
  if (const auto &Joint = Quality.JointCovariance) {
    const auto At = std::ranges::find(Joint->Coefficients, "energy." + Class);
    if (const auto K = std::size_t(At - Joint->Coefficients.begin());
        At != Joint->Coefficients.end()) {
      const double Sd = std::sqrt(Joint->Relative[K][K]);
      Result.Low = Value * std::max(0.0, 1 - Deviations95 * Sd);
      Result.High = Value * (1 + Deviations95 * Sd);
      return interval(Result, "J");
    }
  }
  if (Quality.EnergyError) {
    const double Factor = factor95(Quality.EnergyError->Value);
    Result.Low = Value / Factor;
    Result.High = Value * Factor;
  }
  return interval(Result, "J");
}

/// Rates of probes on one thread, or on all.
static std::map<std::string, MeasuredQuantity> ratesOf(const Calibrated &C, bool IsOneThread) {
  std::vector<Measured> Chosen;
  for (const Measured &M : C.Result.Probes)
    if ((M.Probed->Threads == 1) == IsOneThread)
      Chosen.push_back(M);
  return bestRates(Chosen, C.Probed.lineBytes(), "");
}

static std::vector<Cells> tableOf(const Calibrated &C) {
  const auto One = ratesOf(C, true), All = ratesOf(C, false);
  std::vector<Cells> Result = {
      {"", "one thread", fmt::format("{} threads", C.Probed.Threads), "latency", "energy of one"}};
  for (const SummaryRow &Row : Rows) {
    Cells New = {Row.Shown};
    if (const auto Rate = One.find(Row.Class); Rate != One.end())
      New[1] = withError(Rate->second, Row.Unit);
    if (const auto Rate = All.find(Row.Class); Rate != All.end())
      New[2] = withError(Rate->second, Row.Unit);
    for (const PipelineLatency &Latency : C.M.Timing.InCore->Latencies)
      if (Latency.Level == Row.Level)
        New[3] = withError(Latency.LatencyS, "s");
    New[4] = energyText(C.M, Row.Class);
    if (std::any_of(New.begin() + 1, New.end(), [](const auto &Cell) { return !Cell.empty(); }))
      Result.push_back(std::move(New));
  }
  return Result;
}

/// Columns without any number are left out.
static void printTable(const std::vector<Cells> &Table) {
  if (Table.size() == 1)
    return;
  fmt::print("\n");
  for (const Cells &Row : Table) {
    std::string Line = fmt::format("  {:<12}", Row[0]);
    for (std::size_t K = 1; K != Row.size(); ++K) {
      if (std::all_of(Table.begin() + 1, Table.end(),
                      [&](const Cells &Other) { return Other[K].empty(); }))
        continue;
      Line += fmt::format("{:<22}", Row[K]);
    }
    fmt::print("{}\n", Line.substr(0, Line.find_last_not_of(' ') + 1));
  }
  fmt::print("\n");
}

static void printEnergies(const Calibrated &C) {
  const EnergyHalf &Half = C.Result.Energy;
  const auto &Constant = C.M.Power.Constant.MiscW;
  const std::string Power =
      Constant ? fmt::format("{} whatever runs", quantity(Constant->Value, "W")) : "";
  if (Half.Fit) {
    const auto &Error = C.M.Fit.Quality->EnergyError;
    fmt::print("energy by {}: {}{}\n", Half.Meter, Power,
               Error ? fmt::format("; probes that were left out of the fit are {:.1f} % off (rms)",
                                   Error->Value * 100)
                     : "");
  } else if (Constant)
    fmt::print("energies are estimated, within a factor of {:.2g}: {}; {}; no meter can be read\n",
               factor95(C.M.Fit.Quality->EnergyError->Value),
               C.M.Sources.at(Constant->Source).Reference, Power);
  else
    fmt::print("no energies were measured, the profile has times alone: {}; what the machine draws "
               "idle and busy gives an estimate: --idle-w, --busy-w\n",
               Half.Why);
}

static void printDoubts(const Calibrated &C) {
  const CalibrationResult &Result = C.Result;
  const Measured *Widest = nullptr;
  for (const Measured &M : Result.Probes)
    if (std::ranges::find(Result.Wide, M.Probed->Name) != Result.Wide.end() &&
        (!Widest || M.Seconds.relative() > Widest->Seconds.relative()))
      Widest = &M;
  if (Widest)
    fmt::print("wider than wanted: {} probes, most of all {}{}\n", Result.Wide.size(),
               Widest->Probed->Name, plusMinus(Widest->Seconds.relative()));
  if (!Result.Disturbed.empty())
    fmt::print(
        "disturbed: {} probes had too few good samples, and use others with wider intervals\n",
        Result.Disturbed.size());
  if (!Result.Unmeasured.empty())
    fmt::print("not measured, too few good samples: {} probes, {}{}\n", Result.Unmeasured.size(),
               Result.Unmeasured.front(), Result.Unmeasured.size() == 1 ? "" : ", …");
  if (!C.From.LeftOut.empty())
    fmt::print("left out: {}\n", joined(C.From.LeftOut));
  if (const FitErrors Errors = errorsOf(Result.Mixed); Errors.Count)
    fmt::print(
        "held against {} mixtures of operations: half are predicted within {:.1f} %, nine of "
        "ten within {:.1f} %\n",
        Errors.Count, Errors.Median * 100, Errors.Percentile90 * 100);
}

static void printClocks(const CalibrationResult &Result) {
  if (Result.Others.empty() && Result.NotTaken.empty())
    return;
  std::vector<double> NotTaken;
  for (const auto &[Mhz, Why] : Result.NotTaken)
    NotTaken.push_back(Mhz);
  fmt::print("at {:.0f} MHz{}\n", fmt::join(Result.SettingsMhz, ", "),
             NotTaken.empty() ? "" : fmt::format("; not at {:.0f} MHz", fmt::join(NotTaken, ", ")));
}

void printSummary(const Calibrated &C) {
  const auto &Clock = C.M.Timing.InCore->CoreHz;
  fmt::print("{}, {} thread{}{}: {} of {} probes measured in {:.1f} s\n",
             C.Processor.empty() ? "A processor" : C.Processor, C.Probed.Threads,
             C.Probed.Threads == 1 ? "" : "s",
             Clock ? fmt::format(" at {:.0f} MHz", Clock->Median.Value * 1e-6) : "",
             C.Result.Probes.size(), C.From.Probes.size(), C.TookS);
  fmt::print("profile: {}{}\n", C.File,
             C.Replaced.empty() ? "" : ", in the place of the one of " + C.Replaced);
  printTable(tableOf(C));
  printEnergies(C);
  printDoubts(C);
  printClocks(C.Result);
  fmt::print("all rates: --verbose; next: ergon record -d records -- make, then ergon top "
             "records{}\n",
             C.IsOwn ? "" : " --machine " + C.File);
}

} // namespace ergon
