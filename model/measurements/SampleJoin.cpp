//===- SampleJoin.cpp - logs of tools as samples --------------------------===//

#include "model/measurements/SampleJoin.h"
#include "model/machine/PlausibleRanges.h"
#include "model/measurements/LogAlignment.h"
#include "model/measurements/PowerReadings.h"
#include "model/measurements/SampleCells.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace ergon {

namespace {
/// A run and its place among workloads and files.
struct Entry {
  const LoggedRun *Run;
  std::size_t File, Workload;
  std::optional<double> CoreMhz, MemMhz;
};

class Joiner {
public:
  Joiner(const std::vector<ToolLog> &Logs, const JoinOptions &Options)
      : Logs(Logs), Options(Options) {}
  std::expected<JoinedLogs, Error> run();

private:
  const std::vector<ToolLog> &Logs;
  const JoinOptions &Options;
  JoinedLogs Result;
  PowerLog Power;
  double PeriodS = 0;
  std::vector<std::string> Workloads; ///< their names
  std::vector<Entry> Entries;
  SampleCells Table;
  std::set<std::size_t> TooShort; ///< workloads without an energy for that reason
  std::string NotAligned; ///< why the power log's readings and clocks are of no kernel; or empty
  std::vector<double> CoresInPower, MemsInPower; ///< clocks that the power log has of kernels

  void find(std::string Id, std::string Text) {
    Result.Findings.push_back({std::move(Id), std::move(Text)});
  }
  std::optional<Error> chooseDevice();
  std::optional<Error> checkGivenClocks();
  void nameWorkloads(const std::string &Device);
  void addLaunches(std::vector<Entry> Launches);
  void addStretch(const Stretch &S, double OffsetS, bool Aligned);
  void addMeans(const std::vector<Entry> &Means);
  void spreadPower();
  void addOtherMetrics();
  void checkTimes(const std::vector<Entry> &Launches);
  std::optional<Error> makeRows();
  void classify(std::vector<std::vector<ClassCount>> &Counts);
  void dropBlank();
};
} // namespace

std::optional<Error> Joiner::chooseDevice() {
  std::set<std::string> Devices;
  for (const ToolLog &Log : Logs)
    for (const LoggedRun &Run : Log.Runs)
      if (!Run.Device.empty())
        Devices.insert(Run.Device);
  const auto Chosen = chosenDevice(Devices, Options.Device, "kernel list");
  if (!Chosen)
    return Chosen.error();
  auto Found = joinedPower(Logs, Options.Device);
  if (!Found)
    return Found.error();
  Power = std::move(*Found);
  PeriodS = readingPeriodS(Power.Readings);
  nameWorkloads(*Chosen);
  return std::nullopt;
}

/// Clocks that were given stand in the place of logged ones, which must be of one setting then.
std::optional<Error> Joiner::checkGivenClocks() {
  for (auto [Given, Clock, Name] : {std::tuple{Options.CoreMhz, &LoggedRun::CoreMhz, "core"},
                                    std::tuple{Options.MemMhz, &LoggedRun::MemMhz, "memory"}}) {
    std::vector<double> Stated = Name == std::string_view("core") ? CoresInPower : MemsInPower;
    for (const ToolLog &Log : Logs)
      for (const LoggedRun &Run : Log.Runs)
        if (Run.*Clock)
          Stated.push_back(*(Run.*Clock));
    if (!Given || Stated.empty())
      continue;
    const auto [Least, Most] = std::ranges::minmax(Stated);
    if (Most > (1 + ClockTolerance) * Least)
      return Error{"the logs have runs with the " + std::string(Name) + " at " +
                       shortNumber(Least) + " to " + shortNumber(Most) + " MHz",
                   "", "leave it out, or import runs of one setting", "--at"};
    if (std::abs(*Given - Most) > ClockTolerance * Most)
      find("other-clock", "--at says " + shortNumber(*Given) + " MHz of the " + Name +
                              ", the logs " + shortNumber(Most) + " MHz: --at is taken");
  }
  return std::nullopt;
}

/// A workload for each kernel, and for each launch shape where all files that have counters of the
/// kernel tell shapes apart.
void Joiner::nameWorkloads(const std::string &Device) {
  // Kernels of one file whose short names are the same keep their long ones.
  std::map<std::pair<std::size_t, std::string>, std::set<std::string>> Long;
  for (std::size_t File = 0; File != Logs.size(); ++File)
    for (const LoggedRun &Run : Logs[File].Runs)
      Long[{File, kernelName(Run.Name)}].insert(Run.Name);
  std::set<std::string> Ambiguous;
  for (const auto &[Key, Names] : Long)
    if (Names.size() > 1)
      Ambiguous.insert(Key.second);
  auto Name = [&](const LoggedRun &Run) {
    std::string Short = kernelName(Run.Name);
    return Ambiguous.contains(Short) ? Run.Name : Short;
  };
  std::map<std::string, std::set<std::string>> Shapes;
  std::set<std::string> Shapeless;
  for (const ToolLog &Log : Logs)
    for (const LoggedRun &Run : Log.Runs) {
      Shapes[Name(Run)].insert(Run.Shape);
      if (Run.Shape.empty() && !Run.Metrics.empty())
        Shapeless.insert(Name(Run));
    }
  std::map<std::string, std::size_t> Numbers;
  for (std::size_t File = 0; File != Logs.size(); ++File)
    for (const LoggedRun &Run : Logs[File].Runs) {
      if (!Run.Device.empty() && !Device.empty() && Run.Device != Device)
        continue;
      std::string Workload = Name(Run);
      if (!Run.Shape.empty() && Shapes[Workload].size() > 1 && !Shapeless.contains(Workload))
        Workload += "/" + Run.Shape;
      const auto [At, IsNew] = Numbers.try_emplace(Workload, Workloads.size());
      if (IsNew)
        Workloads.push_back(Workload);
      Entries.push_back({&Run, File, At->second, Options.CoreMhz ? Options.CoreMhz : Run.CoreMhz,
                         Options.MemMhz ? Options.MemMhz : Run.MemMhz});
    }
}

/// Adds the launches of a stretch to their cell: with energy where the power log is aligned with
/// them, and has three readings in the stretch.
void Joiner::addStretch(const Stretch &S, double OffsetS, bool Aligned) {
  const double FromS = S.FromS + OffsetS, UntilS = S.UntilS + OffsetS;
  std::optional<double> CoreMhz = Options.CoreMhz, MemMhz = Options.MemMhz;
  std::optional<double> PowerW;
  if (Aligned) {
    const auto [Core, Mem] = clocksBetween(Power.Readings, FromS, UntilS);
    PowerW = meanPowerW(Power.Readings, FromS, UntilS);
    for (const auto &[Clock, Seen] : {std::pair(Core, &CoresInPower), {Mem, &MemsInPower}})
      if (Clock && PowerW)
        Seen->push_back(*Clock);
    CoreMhz = CoreMhz ? CoreMhz : Core;
    MemMhz = MemMhz ? MemMhz : Mem;
    if (!PowerW)
      TooShort.insert(S.Workload);
  }
  SampleCell &C = Table.cell(S.Workload, CoreMhz, MemMhz);
  C.Launches += S.Launches;
  C.TimeS += S.BusyS;
  if (PowerW) { // launches that overlap share it
    C.EnergyLaunches += S.Launches;
    C.EnergyJ += *PowerW * std::min(S.BusyS, S.UntilS - S.FromS);
  }
}

void Joiner::addLaunches(std::vector<Entry> Launches) {
  std::ranges::sort(Launches, {}, [](const Entry &E) { return *E.Run->StartS; });
  std::vector<TimedLaunch> Timed;
  for (const Entry &E : Launches)
    Timed.push_back({E.Workload, *E.Run->StartS, *E.Run->TimeS});
  const std::vector<Stretch> Stretches = stretchesOf(Timed, PeriodS);
  checkTimes(Launches);
  double OffsetS = 0;
  bool Aligned = false;
  if (!Power.Readings.empty() && Options.OffsetS) {
    OffsetS = Power.Readings.front().AtS + *Options.OffsetS;
    Aligned = true;
  } else if (!Power.Readings.empty()) {
    const auto Found = alignLog(Stretches, Power.Readings);
    if (Found) {
      OffsetS = Found->OffsetS;
      Aligned = true;
      if (Found->How == AlignedBy::Power)
        find("aligned-by-power",
             "the kernels are taken to begin " +
                 shortNumber(Stretches.front().FromS + OffsetS - Power.Readings.front().AtS) +
                 " s after the first power reading: that explains " +
                 shortNumber(100 * Found->Explained) +
                 " % of the power's variance; where you know better, give --offset");
    } else {
      NotAligned = Found.error();
      find("not-aligned", "the power log cannot be aligned with the kernels: " + Found.error() +
                              "; give --offset, the seconds from its first reading to the "
                              "profiler's zero");
    }
  }
  for (const Stretch &S : Stretches)
    addStretch(S, OffsetS, Aligned);
  double BusyS = 0, SpanS = 0;
  for (const Stretch &S : Stretches)
    BusyS += S.BusyS, SpanS += S.UntilS - S.FromS;
  if (Aligned && BusyS < 0.8 * SpanS)
    find("pauses", "between launches the device pauses, shorter than two readings: kernels take " +
                       shortNumber(100 * BusyS / SpanS) +
                       " % of the time whose mean power is taken for them, so their power is "
                       "underestimated");
}

/// Durations that cannot be what they claim.
void Joiner::checkTimes(const std::vector<Entry> &Launches) {
  double BusyS = 0, FirstS = *Launches.front().Run->StartS, LastS = FirstS;
  for (const Entry &E : Launches) {
    BusyS += *E.Run->TimeS;
    LastS = std::max(LastS, *E.Run->StartS + *E.Run->TimeS);
  }
  if (BusyS > 1.02 * (LastS - FirstS))
    find("overlapping-kernels",
         "launches take " + shortNumber(BusyS) + " s in all, but only " +
             shortNumber(LastS - FirstS) +
             " s pass: kernels overlap, and power is shared by several, or a unit is wrong");
}

/// Runs whose start is not known.
void Joiner::addMeans(const std::vector<Entry> &Means) {
  for (const Entry &E : Means) {
    const LoggedRun &Run = *E.Run;
    SampleCell &C = Table.cell(E.Workload, E.CoreMhz, E.MemMhz);
    C.Launches += Run.Launches;
    C.TimeS += *Run.TimeS * Run.Launches;
    C.CoreMv = C.CoreMv ? C.CoreMv : Run.CoreMv;
    if (Run.EnergyJ) {
      C.EnergyLaunches += Run.Launches;
      C.EnergyJ += *Run.EnergyJ * Run.Launches;
    }
    C.add(Run.Metrics, Run.Launches);
  }
}

/// Gives kernels that no reading can be assigned to the mean power of the log, where the log is of
/// a run that repeats them.
void Joiner::spreadPower() {
  if (Power.Readings.empty() ||
      std::ranges::any_of(Table.Cells, [](const SampleCell &C) { return C.EnergyLaunches > 0; }))
    return;
  const LoadedPart Load = loadedPart(Power.Readings);
  const double LogS = Power.Readings.back().AtS - Power.Readings.front().AtS;
  double KernelsS = 0;
  for (const auto &[Extent, Seen] :
       {std::pair(Load.Cores, &CoresInPower), {Load.Mems, &MemsInPower}})
    if (Extent)
      Seen->insert(Seen->end(), {Extent->first, Extent->second});
  for (SampleCell &C : Table.Cells) {
    KernelsS += C.TimeS;
    if (!C.CoreMhz && !Load.CoreVaries)
      C.CoreMhz = Load.CoreMhz;
    if (!C.MemMhz && !Load.MemVaries)
      C.MemMhz = Load.MemMhz;
  }
  if (KernelsS > 1.05 * (LogS + PeriodS))
    find("log-too-short", "kernels take " + shortNumber(KernelsS) +
                              " s in all, the power log lasts " + shortNumber(LogS) +
                              " s: it is not of this run as a whole, or a unit is wrong");
  if (Load.Readings < 3) {
    find("no-energy", "the power log has fewer than 3 readings under load: energies are blank; "
                      "repeat the kernels for seconds, and log with -lms 20");
    return;
  }
  if (Table.Cells.size() > 1 && KernelsS < 0.5 * Load.DurationS) {
    find("no-energy",
         "kernels take " + shortNumber(KernelsS) + " s of " + shortNumber(Load.DurationS) +
             " s under load, and nothing says when: energies are blank; repeat each kernel for "
             "seconds, and profile with nvprof --print-gpu-trace");
    return;
  }
  for (SampleCell &C : Table.Cells) {
    C.EnergyLaunches = C.Launches;
    C.EnergyJ = Load.MeanW * C.TimeS;
  }
  TooShort.clear();
  find("mean-power",
       "energies are " + shortNumber(Load.MeanW) + " W, the mean of " +
           std::to_string(Load.Readings) + " readings" + (Load.HasIdle ? " under load" : "") +
           ", times each kernel's time" +
           (Table.Cells.size() > 1 ? ": kernels cannot be told apart by power; profile with nvprof "
                                     "--print-gpu-trace, and repeat each for seconds"
                                   : ": the log is taken to be of a run that repeats the kernel"));
}

/// Counters of files that were not timed are those of the workload at every setting.
void Joiner::addOtherMetrics() {
  std::map<std::size_t, SampleCell> ByWorkload;
  for (const Entry &E : Entries)
    ByWorkload[E.Workload].add(E.Run->Metrics, E.Run->Launches);
  for (SampleCell &C : Table.Cells)
    for (const auto &[Name, Values] : ByWorkload[C.Workload].Metrics)
      C.Metrics.try_emplace(Name, Values);
}

/// Where some rows have energies, a fit can do nothing with those that have none.
void Joiner::dropBlank() {
  std::vector<std::string> Blank, Short;
  for (const SampleCell &C : Table.Cells)
    if (C.EnergyLaunches == 0)
      (TooShort.contains(C.Workload) ? Short : Blank).push_back(Workloads[C.Workload]);
  if (!Short.empty())
    find("too-short", "shorter than 3 readings, which are " + shortNumber(PeriodS * 1000) +
                          " ms apart, so without an energy: " + listed(Short) +
                          "; repeat these kernels for longer, or log with a shorter -lms");
  const std::size_t Count = Blank.size() + Short.size();
  if (Blank.size() == Table.Cells.size() && Power.Readings.empty() && !Options.KeepsBlank &&
      std::ranges::count(Result.Findings, "energy-in-part", &LogFinding::Id) == 0)
    find("no-energy", "no log has an energy or a power: energies are blank; add a log of one, such "
                      "as nvidia-smi's, or fit times alone");
  if (Options.KeepsBlank || Count == 0 || Count == Table.Cells.size())
    return;
  std::erase_if(Table.Cells, [](const SampleCell &C) { return C.EnergyLaunches == 0; });
  find("left-out", std::to_string(Count) +
                       (Count == 1 ? " row without an energy is" : " rows without an energy are") +
                       " left out, since other rows have one; keep them with --keep-blank");
}

void Joiner::classify(std::vector<std::vector<ClassCount>> &Counts) {
  std::set<std::string> Unmapped;
  std::map<std::string, std::set<std::string>> Partly;
  for (const SampleCell &C : Table.Cells) {
    std::vector<Metric> Means;
    for (const auto &[Name, Values] : C.Metrics)
      Means.push_back({Name, Values.first / Values.second});
    ClassifiedMetrics Found = classifyMetrics(Means, Options.Taken);
    for (const ClassCount &Count : Found.Counts)
      Result.From[Count.Class].insert(Count.From.begin(), Count.From.end());
    for (const auto &Part : Found.Partly)
      Partly[Part.Class].insert(Part.Missing.begin(), Part.Missing.end());
    Unmapped.insert(Found.Unmapped.begin(), Found.Unmapped.end());
    Counts.push_back(std::move(Found.Counts));
  }
  for (auto &Row : Counts)
    for (const ClassCount &Given : Options.Counts)
      if (std::ranges::find(Row, Given.Class, &ClassCount::Class) == Row.end()) {
        Row.push_back(Given);
        Result.From[Given.Class].insert("--count");
      }
  for (const auto &[Class, Missing] : Partly)
    find("incomplete-class", Class + " is blank: it needs " +
                                 joined(std::vector<std::string>(Missing.begin(), Missing.end())) +
                                 " too");
  for (const ToolLog &Log : Logs)
    Unmapped.insert(Log.Rates.begin(), Log.Rates.end());
  Result.Unmapped.assign(Unmapped.begin(), Unmapped.end());
  if (!Result.From.empty())
    return;
  find("no-counters", "no counter is a cost class: rows count their launches alone; add the file "
                      "of a profiler's counters, such as nvprof --metrics, or say what each run "
                      "does: --count flops_f32=2e9");
  for (auto &Row : Counts)
    Row.push_back({"launches", 1, {}});
  Result.From["launches"];
}

/// Ten digits: more than any log has, fewer than sums over launches err by.
static double rounded(double Value) {
  if (Value == std::round(Value)) // a count, or 0
    return Value;
  const double Scale = std::pow(10.0, 9 - std::floor(std::log10(std::abs(Value))));
  return std::isfinite(Scale) ? std::round(Value * Scale) / Scale : Value;
}

std::optional<Error> Joiner::makeRows() {
  std::vector<std::string> WithoutClock;
  for (const SampleCell &C : Table.Cells)
    if (!C.CoreMhz)
      WithoutClock.push_back(Workloads[C.Workload]);
  const bool IsLogged = std::ranges::any_of(
      Power.Readings, [](const PowerReading &R) { return R.CoreMhz.has_value(); });
  if (!WithoutClock.empty() && IsLogged && !NotAligned.empty())
    return Error{"the power log has several clocks, and cannot be aligned with the kernels: " +
                     NotAligned,
                 "",
                 "check the units of both files' times, or give --offset, the seconds from its "
                 "first reading to the profiler's zero",
                 ""};
  if (!WithoutClock.empty() && IsLogged)
    return Error{"the power log has several clocks, and nothing says at which of them ran " +
                     listed(WithoutClock),
                 "", "profile with nvprof --csv --print-gpu-trace, or import one setting at a time",
                 ""};
  if (!WithoutClock.empty())
    return Error{"the clock of the core is not known of " + listed(WithoutClock), "",
                 "log it (nvidia-smi --query-gpu=timestamp,power.draw,clocks.sm,clocks.mem), or "
                 "give --at core=MHZ,mem=MHZ",
                 ""};
  for (const SampleCell &C : Table.Cells)
    for (const auto &[Mhz, Most, Name] :
         {std::tuple(C.CoreMhz, MostCoreMhz, "core"), std::tuple(C.MemMhz, MostMemMhz, "memory")})
      if (Mhz && (*Mhz < LeastMhz || *Mhz > Most))
        return Error{"the clock of the " + std::string(Name) + " is " + shortNumber(*Mhz) +
                         " MHz in " + Workloads[C.Workload] + ", where none runs",
                     "", "say which it is with --at", ""};
  std::vector<std::vector<ClassCount>> Counts;
  classify(Counts);
  for (const auto &[Class, From] : Result.From)
    Result.Table.Classes.push_back(Class);
  for (std::size_t K = 0; K != Table.Cells.size(); ++K) {
    const SampleCell &C = Table.Cells[K];
    Sample Row;
    Row.Workload = Workloads[C.Workload];
    Row.Clocks.CoreMhz = C.CoreMhz;
    Row.Clocks.MemMhz = C.MemMhz;
    Row.Clocks.CoreMv = C.CoreMv;
    Row.TimeS = rounded(C.TimeS / C.Launches);
    if (C.EnergyLaunches > 0)
      Row.EnergyJ = rounded(C.EnergyJ / C.EnergyLaunches);
    for (const std::string &Class : Result.Table.Classes) {
      const auto Found = std::ranges::find(Counts[K], Class, &ClassCount::Class);
      Row.Counts.push_back(Found == Counts[K].end() ? std::nullopt
                                                    : std::optional(rounded(Found->Units)));
    }
    Result.Table.Rows.push_back(std::move(Row));
    Result.Launches.push_back(C.Launches);
  }
  return std::nullopt;
}

std::expected<JoinedLogs, Error> Joiner::run() {
  for (const ToolLog &Log : Logs)
    for (const LogFinding &Finding : Log.Findings)
      find(Finding.Id, Log.File + ": " + Finding.Text);
  if (auto Bad = chooseDevice())
    return std::unexpected(std::move(*Bad));
  // Of a kernel whose launches have starts, times of other files are those under a profiler that
  // repeats kernels.
  std::set<std::size_t> Started;
  std::vector<Entry> Launches, Means;
  for (const Entry &E : Entries)
    if (E.Run->StartS && E.Run->TimeS) {
      Started.insert(E.Workload);
      Launches.push_back(E);
    }
  for (const Entry &E : Entries)
    if (E.Run->TimeS && !Started.contains(E.Workload))
      Means.push_back(E);
  if (Launches.empty() && Means.empty())
    return std::unexpected(
        Error{Entries.empty() ? "there are no kernels, regions or configurations in these files"
                              : "no file says how long the kernels take",
              "",
              "add the output of nvprof --csv --print-gpu-trace, or of ncu with "
              "gpu__time_duration.sum",
              ""});
  addMeans(Means);
  if (!Launches.empty())
    addLaunches(std::move(Launches));
  spreadPower();
  if (auto Bad = checkGivenClocks())
    return std::unexpected(std::move(*Bad));
  Table.joinClocks();
  addOtherMetrics();
  dropBlank();
  if (auto Bad = makeRows())
    return std::unexpected(std::move(*Bad));
  return std::move(Result);
}

std::expected<JoinedLogs, Error> joinLogs(const std::vector<ToolLog> &Logs,
                                          const JoinOptions &Options) {
  return Joiner(Logs, Options).run();
}

} // namespace ergon
