//===- CommandCalibrateGpu.cpp - ergon calibrate --gpu --------------------===//

#include "formats/json/TextFile.h"
#include "formats/profile/ProfileFormat.h"
#include "model/fit/FitErrors.h"
#include "model/fit/SampleChecks.h"
#include "model/fit/Statistics.h"
#include "predict/text/Text.h"
#include "tools/base/ChildProcess.h"
#include "tools/base/Commands.h"
#include "tools/base/Measuring.h"
#include "tools/calibrate/CalibrationLog.h"
#include "tools/calibrate/GpuCalibration.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

#include <fnmatch.h>

namespace ergon {

/// The GPU with its kernels. Errors: no driver, no such GPU, no fat binary, none for this GPU.
static std::expected<std::unique_ptr<cuda::Gpu>, Error> openGpu(unsigned Number) {
  const char *Driver = std::getenv("ERGON_CUDA_LIBRARY");
  auto Gpu = cuda::Gpu::open(Driver && *Driver ? Driver : "libcuda.so.1", Number);
  if (!Gpu)
    return std::unexpected(withGpuOption(Gpu.error()));
  const std::string Image = libraryPath("", "ERGON_CUDA_IMAGE", "ergon_calibrate.fatbin");
  std::error_code Ignored;
  if (!std::filesystem::exists(Image, Ignored))
    return std::unexpected(Error{"is not there: this ergon was built without a CUDA toolkit", "",
                                 "build it with one (scripts/cuda-flags.sh says where it is "
                                 "looked for), or name a fat binary in ERGON_CUDA_IMAGE",
                                 Image});
  auto Text = readTextFile(Image);
  if (!Text)
    return std::unexpected(Text.error());
  if (auto Loaded = (*Gpu)->load(*Text); !Loaded)
    return std::unexpected(withGpuOption(Loaded.error()));
  return std::move(*Gpu);
}

static std::expected<GpuLogs, Error>
openLogs(const std::string &Profile, const std::vector<cuda::GpuProbe> &Probes, double CoreMhz) {
  std::set<std::string> KernelClasses, TransferClasses;
  for (const cuda::GpuProbe &Probe : Probes)
    for (const auto &[Class, Units] : Probe.counts(1, 1))
      (Probe.hasEnergy() ? KernelClasses : TransferClasses).insert(Class);
  std::filesystem::path Transfers = Profile;
  Transfers.replace_extension(".transfers.json");
  GpuLogs Result{{}, {}, std::round(CoreMhz)};
  auto Open = [&](std::optional<CalibrationLog> &Target, const std::string &Path,
                  const std::set<std::string> &Classes) -> std::expected<void, Error> {
    if (Classes.empty())
      return {};
    auto Log = CalibrationLog::open(Path, {Classes.begin(), Classes.end()}, {CoreMhz});
    if (!Log)
      return std::unexpected(Log.error());
    Target = std::move(*Log);
    Result.CoreMhz = Target->coreMhz();
    return {};
  };
  if (auto Opened = Open(Result.Transfers, Transfers, TransferClasses); !Opened)
    return std::unexpected(Opened.error());
  if (auto Opened = Open(Result.Kernels, Profile, KernelClasses); !Opened)
    return std::unexpected(Opened.error());
  return Result;
}

/// Fits energies where there are any.
static void fitEnergies(GpuCalibrationResult &Result, double CoreMhz,
                        const std::string &WhyNoMeter) {
  Samples Table = cuda::energySamples(Result.Probes, CoreMhz);
  Result.WhyNoEnergy = WhyNoMeter;
  if (Table.Rows.empty())
    return;
  const SampleReport Report = checkSamples(Table);
  for (const SampleFinding &Finding : Report.Findings)
    if (Finding.Level == Severity::Error) {
      Result.WhyNoEnergy = Finding.Text;
      return;
    }
  EnergyFitOptions How;
  How.Together = Report.Proportional;
  How.Published = false;
  if (auto Fit = fitEnergy(Table, How))
    Result.Energy = std::move(*Fit);
  else
    Result.WhyNoEnergy = Fit.error().What;
}

static std::string derivationOf(const GpuCalibrationResult &Found) {
  std::string Result =
      fmt::format("medians; {} samples dropped, {} outliers", Found.dropped(), Found.Outliers);
  if (const FitErrors Errors = errorsOf(Found.Mixed); Errors.Count)
    Result += fmt::format("; {} mixtures predicted by the longest of their classes' times: "
                          "|predicted/measured - 1| has the median {:.3f}, maximum {:.3f}",
                          Errors.Count, Errors.Median, Errors.Most);
  if (Found.IdleBeforeW)
    Result += fmt::format("; idle {:.1f} W before", *Found.IdleBeforeW);
  if (Found.IdleAfterW)
    Result += fmt::format(", {:.1f} W after", *Found.IdleAfterW);
  std::vector<double> Shares;
  for (const cuda::ZerosShare &Share : cuda::zerosShares(Found.Probes))
    Shares.push_back(Share.Share);
  if (!Shares.empty())
    Result += fmt::format("; energies are of random operands, those of bytes midway between these "
                          "and zeros: with zeros {} probes draw {:.2f} to {:.2f} of the power",
                          Shares.size(), quantile(Shares, 0), quantile(Shares, 1));
  return Result;
}

static Machine machineFrom(GpuCalibrationResult &Found, const cuda::Properties &P,
                           const CalibrateOptions &Options, double CoreMhz) {
  Machine M = Found.Energy ? Found.Energy->Fitted : Machine{};
  // One clock tells nothing of how costs follow it.
  M.Power.CoreLaw.reset();
  for (auto &[Class, Cost] : M.Power.Energies)
    Cost.Rail.reset();
  for (auto &[Name, Coefficient] : M.coefficients())
    Coefficient->Source = "fit";
  M.Name =
      Options.Name.empty() ? std::filesystem::path(Options.Output).stem().string() : Options.Name;
  M.Description = fmt::format(
      "{}, {} multiprocessors, at the clock that it had, {:.0f} MHz: measured by its owner. Rates "
      "are the best that was seen. {}",
      P.Name, P.Multiprocessors, CoreMhz,
      Found.Energy ? "Power is that of the board as NVML tells it; operands were random."
                   : "The time half of a profile: no energy was measured.");
  const std::string Today = fmt::format(
      "{:%Y-%m-%d}", std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  const std::string Command =
      fmt::format("ergon calibrate --gpu{}{} on {}", Options.Quick ? " --quick" : "",
                  Options.Only.empty() ? "" : " --only " + Options.Only, P.Name);
  M.Sources["driver"] = {SourceKind::Measured,
                         fmt::format("what CUDA's driver tells of {} (CUDA {}.{})", P.Name,
                                     P.DriverVersion / 1000, P.DriverVersion % 1000 / 10),
                         Today, "", std::string("exact")};
  M.Sources["calibration"] = {SourceKind::Measured, Command, Today, derivationOf(Found),
                              std::string("95 % intervals of throughputs in /fit/covariance")};
  cuda::addRates(M, Found.Probes, "calibration");
  cuda::addDevice(M, P, "driver");
  M.Sources["capability"] = {
      SourceKind::Datasheet,
      "NVIDIA, CUDA C++ Programming Guide 13.0, arithmetic instructions: results a cycle",
      "2025-08-04", "at the clock of the calibration; pipes with a probe have its rate",
      std::string("peaks, not measured")};
  cuda::addIssueRates(M, CoreMhz * 1e6, "capability");
  cuda::addLatencies(M, Found.Probes, CoreMhz * 1e6, "calibration");
  // Of different pipes and levels the times overlap in part.
  M.Sources["overlap"] = {SourceKind::Fitted,
                          "kernels of CUDA programs on an RTX 3080 (machine-profiles/rtx3080.json)",
                          "2026-11-27", "", std::string("not known for other boards")};
  M.Timing.OverlapExponent = Quantity{5.6, "overlap"};
  M.Settings = {
      {.CoreMhz = CoreMhz, .MemMhz = {}, .CoreMv = {}, .MemMv = {}, .Source = "calibration"}};
  Found.Mixed = cuda::predictMixed(M, Found.Probes);
  if (!M.Fit.Quality)
    M.Fit.Quality.emplace();
  // Of programs' kernels times err more than those of mixtures: nine of ten are within
  // exp(1.96 · 0.51), a factor of 2.7.
  M.Fit.Quality->TimeError = Quantity{0.51, "overlap"};
  cuda::takeMiddle(M, Found.Probes);
  if (auto Integer = M.Power.Energies.find("int_ops"); Integer != M.Power.Energies.end())
    M.Power.Energies["other_instructions"] = Integer->second; // as one instruction takes
  if (Found.Energy) {
    M.Sources["fit"] = {
        SourceKind::Fitted, Command, Today,
        fmt::format("{} probes, as `ergon fit` does", Found.Energy->IsFitted.size()),
        std::string("in /fit")};
    M.Power.BytesPaid = ByteEnergy::AtEachLevel;
    M.Power.BytesPaidSource = "fit";
    for (std::optional<Quantity> *Q :
         {&M.Fit.Quality->EnergyError, &M.Fit.Quality->EnergyChoiceError})
      if (*Q)
        (*Q)->Source = "fit";
    for (auto *Element : {M.Power.Saturates ? &M.Power.Saturates->Exponent : nullptr,
                          M.Power.Saturates ? &M.Power.Saturates->ReferenceW : nullptr})
      if (Element)
        Element->Source = "fit";
    if (M.Fit.Corrects)
      M.Fit.Corrects->Source = "fit";
  }
  if (M.Fit.Quality->JointCovariance)
    M.Fit.Quality->JointCovariance->Source = Found.Energy ? "fit" : "calibration";
  // What was derived knows of the mixtures now.
  M.Sources["calibration"].Derivation = derivationOf(Found);
  return M;
}

static std::expected<GpuCalibrationResult, Error>
measure(cuda::GpuBench &Bench, const cuda::GpuProbeTable &Table, const GpuGoal &Goal,
        const CalibrateOptions &Options, std::optional<GpuLogs> &Result) {
  const StopWhenAsked Stop;
  std::optional<double> IdleBefore;
  if (Bench.hasMeter()) {
    auto Idle = Bench.idleWatts();
    if (!Idle)
      return std::unexpected(withGpuOption(Idle.error()));
    IdleBefore = *Idle;
  }
  bool IsSteady = false;
  auto ClockHz = warmUp(Bench, Table.Probes.front(), Goal, IsSteady);
  if (!ClockHz)
    return std::unexpected(ClockHz.error());
  if (!IsSteady && !StopWhenAsked::asked())
    fmt::print(stderr, "ergon: warning: the GPU was not steady after a minute [warm-up]\n");
  auto Logs = openLogs(Options.Output, Table.Probes, *ClockHz * 1e-6);
  if (!Logs)
    return std::unexpected(Logs.error());
  Result = std::move(*Logs);
  auto Found = measureGpu(Bench, Table.Probes, Goal, Result->CoreMhz * 1e6, *Result);
  if (!Found) {
    StopWhenAsked::stopIfAsked();
    return Found;
  }
  if (Found->Probes.empty())
    return std::unexpected(Error{"no probe has enough good samples", "",
                                 "stop what else runs on the GPU; the same command goes on from "
                                 "here",
                                 "--gpu"});
  Found->IdleBeforeW = IdleBefore;
  if (Bench.hasMeter())
    if (auto Idle = Bench.idleWatts())
      Found->IdleAfterW = *Idle;
  return Found;
}

int runCalibrateGpu(const CalibrateOptions &Options) {
  auto Gpu = openGpu(Options.Device);
  if (!Gpu)
    return complain(Gpu.error());
  std::optional<Error> Failed;
  cuda::GpuProbeTable Table =
      probesFor((*Gpu)->properties(), [&](const cuda::KernelCode &Code, unsigned Threads) {
        cuda::Kernel *Found = (*Gpu)->find(Code.Name);
        auto Blocks = Found ? (*Gpu)->residentBlocks(Found, Threads) : 0u;
        if (!Blocks)
          Failed = Blocks.error();
        return Blocks.value_or(0);
      });
  if (Failed)
    return complain(withGpuOption(*Failed));
  if (!Options.Only.empty())
    std::erase_if(Table.Probes, [&](const cuda::GpuProbe &Probe) {
      return fnmatch(Options.Only.c_str(), Probe.Name.c_str(), 0) != 0;
    });
  if (Table.Probes.empty())
    return complain({inQuotes(Options.Only) + " fits no probe", "",
                     "see `ergon calibrate --gpu --dry-run`; * stands for any text", "--only"});
  GpuGoal Goal;
  if (Options.Quick)
    Goal = {.LaunchS = 5e-3,
            .BurstS = 5e-3,
            .TimeRelative = 0.05,
            .PowerRelative = 0.05,
            .Least = 2,
            .Most = 4,
            .Meter = {5, 5}};
  cuda::GpuBench Bench(**Gpu, Goal.Meter);
  if (auto Ready = Bench.prepare(); !Ready)
    return complain(withGpuOption(Ready.error()));
  if (Bench.hasMeter() && !Options.Quick)
    Goal.Least = 3;
  if (Options.DryRun) {
    printGpuProbes(Table, expectedSeconds(Bench, Table.Probes, Goal), Options.Json);
    return Done;
  }
  if (Options.Output.empty())
    return complain({"is wanted, for the profile to write", "", "add -o PROFILE.json", "-o"});
  std::optional<GpuLogs> Logs;
  auto Found = measure(Bench, Table, Goal, Options, Logs);
  if (!Found)
    return complain(Found.error());
  const double CoreMhz = Logs->CoreMhz;
  fitEnergies(*Found, CoreMhz, Bench.whyNoMeter());
  const Machine M = machineFrom(*Found, (*Gpu)->properties(), Options, CoreMhz);
  const std::string Profile = writeProfile(M);
  if (auto Refused = parseProfile(Profile); !Refused)
    return complain(Refused.error());
  if (auto Written = writeTextFile(Options.Output, Profile); !Written)
    return complain(Written.error());
  std::vector<std::string> Files;
  for (std::optional<CalibrationLog> *Log : {&Logs->Kernels, &Logs->Transfers})
    if (*Log) {
      auto Finished = (*Log)->finish();
      if (!Finished)
        return complain(Finished.error());
      Files.push_back(*Finished);
    }
  printGpuCalibration(*Found, M, Table, joined(Files), Options.Json);
  return Done;
}

} // namespace ergon
