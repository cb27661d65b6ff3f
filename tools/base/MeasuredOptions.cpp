//===- MeasuredOptions.cpp - measured runs on the command line ------------===//

#include "tools/base/MeasuredOptions.h"
#include "formats/json/NumberText.h"
#include "model/energy/MeasuredChecks.h"
#include "model/machine/PlausibleRanges.h"
#include "predict/store/RunStore.h"
#include "tools/base/ClocksText.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace ergon {

static Error bad(std::string What, const char *Fix, std::string Where) {
  return {std::move(What), "", Fix, std::move(Where)};
}

/// `1.3s`, `1.3 s`, `20ms` in seconds; the same for joules by \p Unit.
static std::optional<double> parseQuantity(std::string_view Text, std::string_view Unit) {
  static constexpr std::array<std::pair<std::string_view, double>, 7> Prefixes = {
      {{"n", 1e-9}, {"u", 1e-6}, {"µ", 1e-6}, {"m", 1e-3}, {"k", 1e3}, {"M", 1e6}, {"", 1}}};
  double Factor = 1;
  if (Text.ends_with(Unit)) {
    Text.remove_suffix(Unit.size());
    for (const auto &[Prefix, Value] : Prefixes)
      if (Text.ends_with(Prefix)) {
        Text.remove_suffix(Prefix.size());
        Factor = Value;
        break;
      }
    while (Text.ends_with(' '))
      Text.remove_suffix(1);
  }
  const auto Number = parseNumber(Text);
  return Number ? std::optional(Number->get_d() * Factor) : std::nullopt;
}

/// Whether \p M has a price for something at its own setting and none at \p At: voltages are only
/// known at the profile's settings.
static bool losesPrices(const Machine &M, const Setting &At) {
  const Setting &Own = M.defaultSetting();
  return (M.constantPower(Own) && !M.constantPower(At)) ||
         std::ranges::any_of(M.Power.Energies, [&](const auto &Class) {
           return M.energyPerUnit(Class.first, Own) && !M.energyPerUnit(Class.first, At);
         });
}

/// `core=2000,mem=5500`, `2000/5500` or `2000`: that setting of \p M where it has one, and the
/// clocks themselves where not.
static std::expected<Setting, Error> parseSetting(const std::string &Text, const Machine &M) {
  static constexpr char Fix[] = "write --at core=2000,mem=5500 or --at 2000/5500, in MHz";
  if (Text.empty())
    return std::unexpected(bad("no clocks", Fix, "--at"));
  const auto Given = parseClocks(Text);
  if (!Given)
    return std::unexpected(bad(inQuotes(Text) + " is no setting", Fix, "--at"));
  const auto [Core, Mem] = *Given;
  for (const auto &[Clock, Most] : {std::pair{Core, MostCoreMhz}, std::pair{Mem, MostMemMhz}})
    if (const char *Unit = Clock ? otherUnitOfClock(*Clock, Most) : nullptr)
      return std::unexpected(
          bad(fmt::format("{:g} looks like {}", *Clock, Unit), Fix, "--at " + Text));
  if (const Setting *Known = M.findSetting(Core, Mem))
    return *Known;
  if (!M.defaultSetting().CoreMhz)
    return std::unexpected(bad("the profile has no clocks", "leave --at out", "--at " + Text));
  Setting Result = M.defaultSetting();
  Result.CoreMv = Result.MemMv = Result.ActualCoreMhz = {};
  Result.CoreMhz = Core ? Core : Result.CoreMhz;
  Result.MemMhz = Mem ? Mem : Result.MemMhz;
  if (losesPrices(M, Result))
    return std::unexpected(bad("the profile has no voltages at these clocks",
                               "name one of its settings: ergon machine show", "--at " + Text));
  return Result;
}

/// The meters of \p Process that read what \p M is a profile of, each part of it once. Error: there
/// are several GPUs.
static std::expected<std::vector<const MeterRun *>, Error> metersOf(const ProcessRun &Process,
                                                                    const Machine &M) {
  std::vector<const MeterRun *> Result;
  std::set<std::string> Covered;
  for (const MeterRun &Meter : Process.Meters) {
    const bool IsGpu = Meter.Name.starts_with("nvml");
    if ((M.Kind == MachineKind::Gpu) != IsGpu || (!IsGpu && !isProcessorsOwn(Meter.Covers)))
      continue;
    if (Covered.insert(Meter.Covers).second)
      Result.push_back(&Meter);
  }
  if (M.Kind == MachineKind::Gpu && Result.size() > 1)
    return std::unexpected(bad(fmt::format("the record has meters of {} GPUs", Result.size()),
                               "run with one: CUDA_VISIBLE_DEVICES and ERGON_METERS", ""));
  return Result;
}

/// Whether \p Region has the name of \p Entry, without its parameters, and none around it has.
static bool isRegionOf(const RegionRun &Region, const std::string &Entry) {
  const std::string Name = Entry.substr(0, Entry.find('('));
  return std::ranges::count(Region.Path, Name) == 1 && Region.Path.back() == Name;
}

/// One process's run of \p Entry: seconds, and joules where there is a meter. Error: see
/// metersOf().
static std::expected<MeasuredRun, Error> runOf(const ProcessRun &Process, const Machine &M,
                                               const std::string &Entry) {
  const auto Meters = metersOf(Process, M);
  if (!Meters)
    return std::unexpected(Meters.error());
  MeasuredRun Result;
  double Joules = 0, Times = 0;
  for (const RegionRun &Region : Process.Regions) {
    if (!isRegionOf(Region, Entry))
      continue;
    Times += double(Region.Count);
    Result.TimeS += Region.TimeS;
    for (const MeterRun *Meter : *Meters)
      if (auto Found = Region.EnergyJ.find(Meter->Name); Found != Region.EnergyJ.end())
        Joules += Found->second;
  }
  if (Times > 0) {
    Result.TimeS /= Times;
    Joules /= Times;
    Result.Source = "the region";
  } else {
    Result.TimeS = Process.DurationS;
    for (const MeterRun *Meter : *Meters)
      Joules += Meter->EnergyJ;
    Result.Source = "the whole run";
  }
  if (Joules > 0)
    Result.EnergyJ = Joules;
  return Result;
}

/// Whether a region of \p Process is that of \p Entry.
static bool hasRegion(const ProcessRun &Process, const std::string &Entry) {
  return std::ranges::any_of(Process.Regions,
                             [&](const RegionRun &Region) { return isRegionOf(Region, Entry); });
}

static std::expected<ProcessRun, Error> readProcess(const std::string &Path) {
  auto Processes = readRun(Path);
  if (!Processes)
    return std::unexpected(Processes.error());
  if (Processes->size() != 1)
    return std::unexpected(bad(fmt::format("a run of {} processes", Processes->size()),
                               "name the record of one process", Path));
  return std::move(Processes->front());
}

/// A number of seconds or joules that a run can have. Error: none.
static std::expected<double, Error> readAmount(const std::string &Text, const char *Option,
                                               std::string_view Unit) {
  static constexpr double Least = 1e-12, Most = 1e15;
  const bool IsTime = Unit == "s";
  const auto Value = parseQuantity(Text, Unit);
  if (Value && *Value >= Least && *Value <= Most)
    return *Value;
  std::string What =
      !Value ? fmt::format("{} is no number of {}", inQuotes(Text), IsTime ? "seconds" : "joules")
      : *Value <= 0 ? inQuotes(Text) + " is not above 0"
                    : "no run has " + inQuotes(Text);
  return std::unexpected(
      bad(std::move(What), IsTime ? "write 1.3s or 20ms" : "write 210J or 1.2kJ", Option));
}

/// Error: a run whose power no machine draws.
static std::optional<Error> checkPower(const MeasuredRun &Run) {
  if (!Run.EnergyJ)
    return std::nullopt;
  const auto Why = impossiblePower(*Run.EnergyJ, Run.TimeS);
  return Why ? std::optional(
                   bad(fmt::format("{:g} J in {:g} s are {}", *Run.EnergyJ, Run.TimeS, *Why),
                       "give the energy and the time of the same run", Run.Source))
             : std::nullopt;
}

/// The settings of \p Count runs.
static std::expected<std::vector<Setting>, Error>
readSettings(const std::vector<std::string> &At, std::size_t Count, const Machine &M) {
  if (At.empty() && Count == 1)
    return std::vector{M.defaultSetting()};
  if (At.size() != Count)
    return std::unexpected(bad(fmt::format("{} measured runs and {} settings", Count, At.size()),
                               "give --at once for each run, in the same order", "--at"));
  std::vector<Setting> Result;
  for (const std::string &Text : At) {
    auto Clocks = parseSetting(Text, M);
    if (!Clocks)
      return std::unexpected(Clocks.error());
    Result.push_back(std::move(*Clocks));
  }
  return Result;
}

std::expected<MeasuredRuns, Error> MeasuredRuns::read(const MeasuredOptions &Options,
                                                      const Machine &M) {
  MeasuredRuns Result(M);
  for (const std::string &Path : Options.Runs) {
    auto Process = readProcess(Path);
    if (!Process)
      return std::unexpected(Process.error());
    Result.Runs.push_back({Recorded{Path, std::move(*Process)}, {}});
  }
  if (!Options.Energies.empty() && Options.Energies.size() != Options.Times.size())
    return std::unexpected(
        bad(fmt::format("{} energies and {} times", Options.Energies.size(), Options.Times.size()),
            "give --measured-energy once for each --measured-time", "--measured-energy"));
  for (std::size_t I = 0; I != Options.Times.size(); ++I) {
    MeasuredRun Next;
    Next.Source = "--measured-time";
    const auto Time = readAmount(Options.Times[I], "--measured-time", "s");
    if (!Time)
      return std::unexpected(Time.error());
    Next.TimeS = *Time;
    if (!Options.Energies.empty()) {
      const auto Energy = readAmount(Options.Energies[I], "--measured-energy", "J");
      if (!Energy)
        return std::unexpected(Energy.error());
      Next.EnergyJ = *Energy;
    }
    Result.Runs.push_back({std::move(Next), {}});
  }
  auto Settings = readSettings(Options.At, Result.Runs.size(), M);
  if (!Settings)
    return std::unexpected(Settings.error());
  for (std::size_t I = 0; I != Result.Runs.size(); ++I)
    Result.Runs[I].Clocks = std::move((*Settings)[I]);
  return Result;
}

std::expected<MeasuredRun, Error> MeasuredRuns::of(const Recorded &Record,
                                                   const std::string &Entry) const {
  if (M->Kind == MachineKind::Gpu && !hasRegion(Record.Process, Entry))
    return std::unexpected(
        bad("the record has the time of the host's code too, and the profile is of the GPU",
            "mark the kernels by a region with the entry's name, or give their "
            "time by --measured-time",
            Record.Path));
  auto Result = runOf(Record.Process, *M, Entry);
  if (!Result)
    return std::unexpected(Error{Result.error().What, "", Result.error().Fix, Record.Path});
  if (!(Result->TimeS > 0))
    return std::unexpected(
        bad("the record has no time", "let the program run to its end", Record.Path));
  Result->Source += " of " + Record.Path;
  return Result;
}

std::expected<std::vector<MeasuredRun>, Error> MeasuredRuns::of(const std::string &Entry,
                                                                RunPart Part) const {
  std::vector<MeasuredRun> Result;
  for (const auto &[From, Clocks] : Runs) {
    const auto *Record = std::get_if<Recorded>(&From);
    if (Part == RunPart::Region && !(Record && hasRegion(Record->Process, Entry)))
      continue;
    auto Next = Record ? of(*Record, Entry) : std::get<MeasuredRun>(From);
    if (!Next)
      return std::unexpected(Next.error());
    if (auto Bad = checkPower(*Next))
      return std::unexpected(std::move(*Bad));
    Next->Clocks = Clocks;
    Result.push_back(std::move(*Next));
  }
  return Result;
}

std::expected<std::vector<MeasuredRun>, Error>
readMeasured(const MeasuredOptions &Options, const Machine &M, const std::string &Entry) {
  auto Runs = MeasuredRuns::read(Options, M);
  return Runs ? Runs->of(Entry) : std::unexpected(Runs.error());
}

} // namespace ergon
