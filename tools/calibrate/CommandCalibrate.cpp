//===- CommandCalibrate.cpp - ergon calibrate -----------------------------===//

#include "calibration/StatedPower.h"
#include "formats/json/TextFile.h"
#include "formats/profile/ProfileFormat.h"
#include "model/fit/FitErrors.h"
#include "tools/base/Commands.h"
#include "tools/base/HostCaches.h"
#include "tools/base/Measuring.h"
#include "tools/base/OwnMachine.h"
#include "tools/calibrate/Calibration.h"
#include "tools/calibrate/CalibrationLog.h"
#include "tools/calibrate/ClockSweep.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fnmatch.h>

namespace ergon {

static std::string errorsOfMixed(const CalibrationResult &Result) {
  const FitErrors Errors = errorsOf(Result.Mixed);
  if (!Errors.Count)
    return "";
  return fmt::format("; {} mixtures predicted by the longest of their parts: |predicted/measured - "
                     "1| has the median {:.3f}, 90th percentile {:.3f}, maximum {:.3f}",
                     Errors.Count, Errors.Median, Errors.Percentile90, Errors.Most);
}

static std::string energyDerivation(const EnergyHalf &Half) {
  std::string Result = fmt::format("prices alone, fitted to {} samples", Half.Samples.Rows.size());
  if (Half.IdleBeforeW && Half.IdleAfterW)
    Result += fmt::format("; the idle machine took {:.3g} W before and {:.3g} W after",
                          *Half.IdleBeforeW, *Half.IdleAfterW);
  return Result;
}

/// Classes whose scaling has a larger error are named.
static constexpr double MaxScalingError = 0.05;

/// Where settings are from, and what is known of rates at them.
static std::string clocksDerivation(const CalibrationResult &CR) {
  std::string Result =
      fmt::format("bounds of cpufreq set to it, and the clock measured to be within {:g} %",
                  MostClockMove * 100);
  for (const auto &[Mhz, Why] : CR.NotTaken)
    Result += fmt::format("; not at {:.0f} MHz: {}", Mhz, Why);
  for (const ClockScaling &Scaling : CR.Scalings)
    if (!Scaling.Error)
      Result += fmt::format("; {} was measured at no other clock, and taken to follow the core's",
                            Scaling.Class);
    else if (*Scaling.Error > MaxScalingError)
      Result += fmt::format("; {} {} within {:.0f} %", Scaling.Class,
                            Scaling.ScalesWithCoreClock ? "follows the core's clock"
                                                        : "is the same at all",
                            *Scaling.Error * 100);
  return Result;
}

static Machine machineFrom(const CalibrationResult &Result, const HostCaches &Host,
                           const CalibrateOptions &Options, const ProbedMachine &Probed,
                           const std::optional<StatedPower> &Stated) {
  Machine M;
  M.Name =
      Options.Name.empty() ? std::filesystem::path(Options.Output).stem().string() : Options.Name;
  M.Description =
      fmt::format("{}, {} thread{}: {}, measured by its owner. Rates are the best that "
                  "all threads together were "
                  "seen to do; {}.",
                  Host.Processor.empty() ? "A processor" : Host.Processor, Probed.Threads,
                  Probed.Threads == 1 ? "" : "s",
                  Result.Energy.Fit || Stated ? "a profile" : "the time half of a profile",
                  Result.Energy.Fit ? "energies are what " + Result.Energy.Meter + " tells"
                  : Stated          ? "energies are estimated from what it draws idle and busy"
                                    : "no energies were measured");
  M.Kind = MachineKind::Cpu;
  M.Topology.Caches = Host.Levels;
  const std::string Today = fmt::format(
      "{:%Y-%m-%d}", std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  const std::string Text = Host.Processor.empty() ? "" : " on " + Host.Processor;
  M.Sources["hwloc"] = {SourceKind::Measured, Host.Library + Text, Today, "",
                        std::string("what the system tells; a virtual machine may tell of others")};
  M.Sources["calibration"] = {
      SourceKind::Measured,
      fmt::format("ergon calibrate{}{}{}", Options.Quick ? " --quick" : "",
                  Options.Only.empty() ? "" : " --only " + Options.Only, Text),
      Today,
      fmt::format("medians; {} samples dropped, {} outliers{}", Result.dropped(), Result.Outliers,
                  errorsOfMixed(Result)),
      std::string("95 % intervals beside the numbers of /pipeline; of throughputs in "
                  "/fit/covariance; what a virtual machine's neighbours do is in neither")};
  fillMachine(M, Result.Probes, Result.Mixed, Result.ClockHz, Probed.lineBytes(), "calibration");
  if (Options.SweepClocks) {
    M.Sources["clocks"] = {
        SourceKind::Measured,
        fmt::format("ergon calibrate --sweep-clocks{}{}",
                    Options.SweptMhz.empty() ? "" : " " + Options.SweptMhz, Text),
        Today, clocksDerivation(Result), std::string("of rates in /fit/covariance")};
    describeClocks(M, Result.SettingsMhz, Result.Scalings, "clocks");
  }
  if (Result.Energy.Fit) {
    M.Sources["energy"] = {SourceKind::Fitted,
                           fmt::format("ergon calibrate, with {}{}", Result.Energy.Meter, Text),
                           Today, energyDerivation(Result.Energy), std::string("in /fit")};
    fillMachine(M, *Result.Energy.Fit, "energy");
  } else if (Stated) {
    M.Sources["law"] = {
        SourceKind::Estimated,
        Options.TdpW ? fmt::format("ergon calibrate --tdp {:g}", *Options.TdpW)
                     : fmt::format("ergon calibrate --idle-w {:g} --busy-w {:g}", Stated->IdleW,
                                   Stated->BusyW),
        Today,
        "what a busy machine draws more than an idle one is that of flops at the rate that all "
        "threads reach, or of two other operations a core and cycle, a vector counting as the "
        "square root of its lanes; streams of main memory draw 0.6 of it, a byte of L2 or L3 takes "
        "a twentieth of one of memory (Horowitz, ISSCC 2014, fig. 1.1.9)",
        std::string("a factor of 2.8 to both sides: docs/decisions/0044-estimated-profiles.md")};
    addEnergies(M, *Stated, Probed.Threads, "law");
  }
  return M;
}

/// Null where no sweep is wanted.
static std::expected<std::unique_ptr<ClockSweep>, Error> sweepOf(const CalibrateOptions &Options) {
  const std::string Kept = ClockSweep::keptAt(Options.Output);
  std::error_code Ignored;
  if (Options.SweepClocks)
    return ClockSweep::open({.List = Options.SweptMhz,
                             .Profile = Options.DryRun ? "" : Options.Output,
                             .Processors = allowedProcessors(),
                             .ClockHz = clockAtWork});
  if (!Options.Output.empty() && std::filesystem::exists(Kept, Ignored))
    return std::unexpected(Error{"has clocks that a run which was killed did not put back", "",
                                 "add --sweep-clocks, which does, or write them yourself and "
                                 "remove the file",
                                 Kept});
  return nullptr;
}

/// What measureAll() says; clocks are what they were.
static std::expected<CalibrationResult, Error> measure(const CalibrateOptions &Options,
                                                       const ProbeTable &Table,
                                                       const SamplingGoal &Goal, unsigned LineBytes,
                                                       std::optional<CalibrationLog> &Log) {
  const StopWhenAsked Stop;
  auto Sweep = sweepOf(Options);
  if (!Sweep)
    return std::unexpected(Sweep.error());
  EnergyMeter Meter = EnergyMeter::find();
  return measureAll({Table.Probes, Goal, LineBytes, Options.Output, Options.Quick, Sweep->get()},
                    Meter, Log);
}

/// The date of the calibration whose profile is there; empty where there is none that can be read.
static std::string dateOfProfile(const std::string &Path) {
  const auto Text = readTextFile(Path);
  const auto Before = Text ? parseProfile(*Text) : std::unexpected(Text.error());
  if (!Before)
    return "";
  const auto Source = Before->Sources.find("calibration");
  return Source == Before->Sources.end() ? "an unknown day" : Source->second.Date;
}

/// The place where other commands find the profile of \p Host; makes its folder. Error: it cannot
/// be made.
static std::expected<std::string, Error> makeOwnPlace(const HostCaches &Host) {
  auto Path = ownProfilePath(Host);
  if (!Path)
    return Path;
  const std::filesystem::path Folder = std::filesystem::path(*Path).parent_path();
  std::error_code Bad;
  std::filesystem::create_directories(Folder, Bad);
  if (Bad)
    return std::unexpected(Error{"cannot be made: " + Bad.message(), "",
                                 "say with -o where the profile shall be", Folder.string()});
  return Path;
}

int runCalibrate(const CalibrateOptions &Given) {
  CalibrateOptions Options = Given;
  const SamplingGoal Goal = Options.Quick ? QuickGoal : SamplingGoal{};
  const auto Stated = statedPower(Options.IdleW, Options.BusyW, Options.TdpW);
  if (!Stated)
    return complain(Stated.error());
  auto Host = findHostCaches();
  if (!Host)
    return complain(Host.error());
  const ProbedMachine Probed{Host->Levels, unsigned(allowedProcessors().size()), freeMemoryBytes()};
  ProbeTable Table = probesFor(Probed);
  if (!Options.Only.empty())
    std::erase_if(Table.Probes, [&](const Probe &P) {
      return fnmatch(Options.Only.c_str(), P.Name.c_str(), 0) != 0;
    });
  if (Table.Probes.empty())
    return complain({inQuotes(Options.Only) + " fits no probe", "",
                     "see `ergon calibrate --dry-run`; * stands for any text", "--only"});
  if (Options.DryRun) {
    const auto Sweep = sweepOf(Options);
    if (!Sweep)
      return complain(Sweep.error());
    printProbes(Table, Goal, Probed.lineBytes(),
                *Sweep ? (*Sweep)->wantedMhz() : std::vector<double>(), Options.Json);
    return Done;
  }
  const bool IsOwn = Options.Output.empty();
  if (IsOwn) {
    auto Place = makeOwnPlace(*Host);
    if (!Place)
      return complain(Place.error());
    Options.Output = std::move(*Place);
  }
  const std::string Replaced = IsOwn ? dateOfProfile(Options.Output) : "";
  const double Begin = nowS();
  std::optional<CalibrationLog> Log;
  const auto Found = measure(Options, Table, Goal, Probed.lineBytes(), Log);
  if (!Found) {
    StopWhenAsked::stopIfAsked();
    return complain(Found.error());
  }
  if (*Stated && Found->Energy.Fit)
    fmt::print(stderr, "ergon: energies are those that {} tells, not what is stated\n",
               Found->Energy.Meter);
  const Machine M = machineFrom(*Found, *Host, Options, Probed, *Stated);
  const std::string Profile = writeProfile(M);
  if (auto Refused = parseProfile(Profile); !Refused)
    return complain(Refused.error());
  if (auto Written = writeTextFile(Options.Output, Profile); !Written)
    return complain(Written.error());
  const auto Samples = Log->finish();
  if (!Samples)
    return complain(Samples.error());
  const Calibrated Shown{*Found,         M,        Table,    Probed, Host->Processor,
                         Options.Output, *Samples, Replaced, IsOwn,  nowS() - Begin};
  if (Options.Json) {
    printCalibrationJson(Shown);
    return Done;
  }
  printSummary(Shown);
  if (Options.Verbose)
    printDetails(Shown);
  return Done;
}

} // namespace ergon
