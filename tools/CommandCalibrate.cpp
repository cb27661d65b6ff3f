//===- CommandCalibrate.cpp - ergon calibrate -----------------------------===//

#include "formats/ProfileFormat.h"
#include "model/FitErrors.h"
#include "tools/Calibration.h"
#include "tools/CalibrationLog.h"
#include "tools/Commands.h"
#include "tools/HostCaches.h"
#include "tools/SampleStore.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <set>

#include <fnmatch.h>

namespace ergon {

/// All classes that one of the probes counts.
static std::vector<std::string> classesOf(const std::vector<Probe> &Probes, unsigned LineBytes) {
  std::set<std::string> Result;
  for (const Probe &Each : Probes)
    for (const auto &[Class, Units] : Each.counts(1, LineBytes))
      Result.insert(Class);
  return {Result.begin(), Result.end()};
}

static std::string errorsOfMixed(const CalibrationResult &Of) {
  const FitErrors Errors = errorsOf(Of.Mixed);
  if (!Errors.Count)
    return "";
  return fmt::format("; {} mixtures predicted by the longest of their parts: |predicted/measured - "
                     "1| has the median {:.3f}, 90th percentile {:.3f}, maximum {:.3f}",
                     Errors.Count, Errors.Median, Errors.Percentile90, Errors.Most);
}

static std::string energyDerivation(const EnergyHalf &Of) {
  std::string Result = fmt::format("prices alone, fitted to {} samples", Of.Samples.Rows.size());
  if (Of.IdleBeforeW && Of.IdleAfterW)
    Result += fmt::format("; the idle machine took {:.3g} W before and {:.3g} W after",
                          *Of.IdleBeforeW, *Of.IdleAfterW);
  return Result;
}

static Machine machineFrom(const CalibrationResult &Of, const HostCaches &Host,
                           const CalibrateOptions &Options, const ProbedMachine &Probed) {
  Machine M;
  M.Name =
      Options.Name.empty() ? std::filesystem::path(Options.Output).stem().string() : Options.Name;
  M.Description = fmt::format("{}, {} thread{}: {}, measured by its owner. Rates are the best that "
                              "all threads together were "
                              "seen to do; {}.",
                              Host.Processor.empty() ? "A processor" : Host.Processor,
                              Probed.Threads, Probed.Threads == 1 ? "" : "s",
                              Of.Energy.Fit ? "a profile" : "the time half of a profile",
                              Of.Energy.Fit ? "energies are what " + Of.Energy.Meter + " tells"
                                            : "no energies were measured");
  M.Kind = MachineKind::Cpu;
  M.Caches = Host.Levels;
  const std::string Today = fmt::format(
      "{:%Y-%m-%d}", std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  const std::string On = Host.Processor.empty() ? "" : " on " + Host.Processor;
  M.Sources["hwloc"] = {SourceKind::Measured, Host.Library + On, Today, "",
                        std::string("what the system tells; a virtual machine may tell of others")};
  M.Sources["calibration"] = {
      SourceKind::Measured,
      fmt::format("ergon calibrate{}{}{}", Options.Quick ? " --quick" : "",
                  Options.Only.empty() ? "" : " --only " + Options.Only, On),
      Today,
      fmt::format("medians; {} samples dropped, {} outliers{}", Of.dropped(), Of.Outliers,
                  errorsOfMixed(Of)),
      std::string("95 % intervals beside the numbers of /pipeline; of throughputs in "
                  "/fit/covariance; what a virtual machine's neighbours do is in neither")};
  describe(M, Of.Probes, Of.Mixed, Of.ClockHz, Probed.lineBytes(), "calibration");
  if (Of.Energy.Fit) {
    M.Sources["energy"] = {SourceKind::Fitted,
                           fmt::format("ergon calibrate, with {}{}", Of.Energy.Meter, On), Today,
                           energyDerivation(Of.Energy), std::string("in /fit")};
    describe(M, *Of.Energy.Fit, "energy");
  }
  return M;
}

int runCalibrate(const CalibrateOptions &Options) {
  const SamplingGoal Goal = Options.Quick ? QuickGoal : SamplingGoal{};
  auto Host = findHostCaches();
  if (!Host)
    return complain(Host.error());
  const ProbedMachine Probed{Host->Levels, unsigned(allowedProcessors().size()), freeMemoryBytes()};
  ProbeTable Table = probesFor(Probed);
  if (!Options.Only.empty())
    std::erase_if(Table.Probes, [&](const Probe &Each) {
      return fnmatch(Options.Only.c_str(), Each.Name.c_str(), 0) != 0;
    });
  if (Table.Probes.empty())
    return complain({inQuotes(Options.Only) + " fits no probe", "",
                     "see `ergon calibrate --dry-run`; * stands for any text", "--only"});
  if (Options.DryRun) {
    printProbes(Table, Goal, Probed.lineBytes(), Options.Json);
    return Done;
  }
  if (Options.Output.empty())
    return complain({"is wanted, for the profile to write", "", "add -o PROFILE.json", "-o"});
  EnergyMeter Meter = EnergyMeter::find();
  const std::optional<double> Idle = idleWatts(Meter, Options.Quick);
  const std::vector<double> Clocks = clocksNow();
  auto Log = CalibrationLog::open(Options.Output, classesOf(Table.Probes, Probed.lineBytes()),
                                  middleOf(Clocks).Median * 1e-6);
  if (!Log)
    return complain(Log.error());
  auto Found = measureAll(Table.Probes, Goal, Probed.lineBytes(), Clocks, *Log);
  if (!Found)
    return complain(Found.error());
  if (Found->Probes.empty())
    return complain({"no probe has enough good samples", "",
                     "stop what else runs; the same command goes on from here", ""});
  auto Energy = measureEnergies(Table.Probes, Meter, Options.Output, Log->coreMhz() * 1e6,
                                Probed.lineBytes(), Options.Quick);
  if (!Energy)
    return complain(Energy.error());
  Found->Energy = std::move(*Energy);
  Found->Energy.IdleBeforeW = Idle;
  const Machine M = machineFrom(*Found, *Host, Options, Probed);
  const std::string Profile = writeProfile(M);
  if (auto Refused = parseProfile(Profile); !Refused)
    return complain(Refused.error());
  if (auto Written = writeTextFile(Options.Output, Profile); !Written)
    return complain(Written.error());
  const auto Samples = Log->finish();
  if (!Samples)
    return complain(Samples.error());
  printCalibration(*Found, M, Table, *Samples, Options.Json);
  return Done;
}

} // namespace ergon
