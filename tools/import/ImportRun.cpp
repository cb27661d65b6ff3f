//===- ImportRun.cpp - a run record of other tools' logs ------------------===//

#include "model/measurements/PowerReadings.h"
#include "tools/import/Import.h"

#include <algorithm>
#include <cmath>

namespace ergon {

ProcessRun importedRun(const std::vector<ToolLog> &Logs, const JoinedLogs &Joined,
                       const PowerLog &Power) {
  ProcessRun Result;
  Result.Program = Logs.front().File;
  Result.Ended = "exit";
  const bool IsGpu = std::ranges::any_of(Logs, [](const ToolLog &Log) {
    return Log.Tool != LogTool::Perf && Log.Tool != LogTool::Likwid;
  });
  const std::string Meter = IsGpu ? "nvml:" + (Power.Device.empty() ? "0" : Power.Device) : "rapl";
  double KernelsS = 0, KernelsJ = 0, FirstS = HUGE_VAL, LastS = -HUGE_VAL;
  for (std::size_t K = 0; K != Joined.Table.Rows.size(); ++K) {
    const Sample &Row = Joined.Table.Rows[K];
    const double Launches = Joined.Launches[K];
    RegionRun Region{.Path = {Row.Workload},
                     .Count = std::int64_t(Launches),
                     .Threads = 1,
                     .TimeS = Row.TimeS * Launches,
                     .EnergyJ = {}};
    KernelsS += Region.TimeS;
    if (Row.EnergyJ) {
      Region.EnergyJ[Meter] = *Row.EnergyJ * Launches;
      KernelsJ += *Row.EnergyJ * Launches;
    }
    Result.Regions.push_back(std::move(Region));
  }
  for (const ToolLog &Log : Logs)
    for (const LoggedRun &Run : Log.Runs)
      if (Run.StartS && Run.TimeS) {
        FirstS = std::min(FirstS, *Run.StartS);
        LastS = std::max(LastS, *Run.StartS + *Run.TimeS);
      }
  Result.DurationS = LastS > FirstS ? LastS - FirstS : KernelsS;
  MeterRun Read{.Name = Meter, .Covers = IsGpu ? "gpu" : "package", .EnergyJ = KernelsJ};
  Read.UntilS = Result.DurationS;
  if (!Power.Readings.empty()) { // the whole log, which may begin before the kernels
    const double BeginS = Power.Readings.front().AtS, EndS = Power.Readings.back().AtS;
    Read.Readings = std::int64_t(Power.Readings.size());
    Read.UpdatePeriodS = readingPeriodS(Power.Readings);
    Read.UntilS = EndS - BeginS;
    Read.EnergyJ = integratedEnergyJ(Power.Readings, BeginS, EndS).value_or(0);
    for (std::size_t K = 1; K != Power.Readings.size(); ++K)
      Read.LongestGapS =
          std::max(Read.LongestGapS, Power.Readings[K].AtS - Power.Readings[K - 1].AtS);
  }
  if (Read.EnergyJ > 0)
    Result.Meters.push_back(std::move(Read));
  return Result;
}

} // namespace ergon
