//===- MeasuredOptions.cpp - measured runs on the command line ------------===//

#include "tools/base/MeasuredOptions.h"
#include "formats/json/NumberText.h"
#include "predict/store/RunStore.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
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

/// `core=2000,mem=5500`, `2000/5500` or `2000`: that setting of \p M where it has one, and the
/// clocks themselves where not.
static std::expected<Setting, Error> parseSetting(const std::string &Text, const Machine &M) {
  std::optional<double> Core, Mem;
  const bool IsNamed = Text.find('=') != std::string::npos;
  std::size_t Place = 0;
  for (auto Part : std::views::split(Text, IsNamed ? ',' : '/')) {
    std::string_view Word(Part.begin(), Part.end());
    std::optional<double> *To = Place == 0 ? &Core : Place == 1 ? &Mem : nullptr;
    if (IsNamed) {
      To = Word.starts_with("core=") ? &Core : Word.starts_with("mem=") ? &Mem : nullptr;
      Word.remove_prefix(std::min(Word.size(), Word.find('=') + 1));
    }
    const auto Number = parseNumber(Word);
    if (!To || !Number || *Number <= 0)
      return std::unexpected(bad(inQuotes(Text) + " is no setting",
                                 "write --at core=2000,mem=5500 or --at 2000/5500, in MHz",
                                 "--at"));
    *To = Number->get_d();
    ++Place;
  }
  if (const Setting *Known = M.findSetting(Core, Mem))
    return *Known;
  if (!M.defaultSetting().CoreMhz)
    return std::unexpected(bad("the profile has no clocks", "leave --at out", "--at " + Text));
  Setting Result = M.defaultSetting();
  Result.CoreMv = Result.MemMv = Result.ActualCoreMhz = {};
  Result.CoreMhz = Core ? Core : Result.CoreMhz;
  Result.MemMhz = Mem ? Mem : Result.MemMhz;
  return Result;
}

/// Whether a meter reads what a profile of that kind is of.
static bool isOf(const MeterRun &Meter, std::optional<MachineKind> Kind) {
  const bool IsGpu = Meter.Name.starts_with("nvml") || Meter.Covers.starts_with("gpu");
  const bool IsWhole = Meter.Covers.find('/') == std::string::npos;
  return Meter.Quantity.empty() && IsWhole && (Kind == MachineKind::Gpu) == IsGpu;
}

/// The last of several names is the entry's, without its parameters.
static bool isRegionOf(const RegionRun &Region, const std::string &Entry) {
  return !Region.Path.empty() && Region.Count > 0 &&
         Region.Path.back() == Entry.substr(0, Entry.find('('));
}

/// One process's run of \p Entry: seconds, and joules where there is a meter.
static MeasuredRun runOf(const ProcessRun &Process, const Machine &M, const std::string &Entry) {
  MeasuredRun Result;
  double Joules = 0;
  bool HasMeter = false;
  auto Region = std::ranges::find_if(
      Process.Regions, [&](const RegionRun &Each) { return isRegionOf(Each, Entry); });
  const bool IsRegion = Region != Process.Regions.end();
  Result.TimeS = IsRegion ? Region->TimeS / double(Region->Count) : Process.DurationS;
  for (const MeterRun &Meter : Process.Meters) {
    if (!isOf(Meter, M.Kind))
      continue;
    if (!IsRegion) {
      HasMeter = true;
      Joules += Meter.EnergyJ;
    } else if (auto Found = Region->EnergyJ.find(Meter.Name); Found != Region->EnergyJ.end()) {
      HasMeter = true;
      Joules += Found->second / double(Region->Count);
    }
  }
  if (HasMeter && Joules > 0)
    Result.EnergyJ = Joules;
  return Result;
}

static std::expected<MeasuredRun, Error> recordedRun(const std::string &Path, const Machine &M,
                                                     const std::string &Entry) {
  const auto Processes = readRun(Path);
  if (!Processes)
    return std::unexpected(Processes.error());
  if (Processes->size() != 1)
    return std::unexpected(bad(fmt::format("a run of {} processes", Processes->size()),
                               "name the record of one process", Path));
  MeasuredRun Result = runOf(Processes->front(), M, Entry);
  if (!(Result.TimeS > 0))
    return std::unexpected(bad("the record has no time", "let the program run to its end", Path));
  Result.Source = Path;
  return Result;
}

/// A number above 0. Error: none.
static std::expected<double, Error> readAmount(const std::string &Text, const char *Option,
                                               std::string_view Unit) {
  const auto Value = parseQuantity(Text, Unit);
  if (Value && *Value > 0)
    return *Value;
  const char *Fix = Unit == "s" ? "write 1.3s or 20ms" : "write 210J or 1.2kJ";
  return std::unexpected(bad(Value ? inQuotes(Text) + " is not above 0"
                                   : fmt::format("{} is no number of {}", inQuotes(Text),
                                                 Unit == "s" ? "seconds" : "joules"),
                             Fix, Option));
}

std::expected<std::vector<MeasuredRun>, Error>
readMeasured(const MeasuredOptions &Options, const Machine &M, const std::string &Entry) {
  std::vector<MeasuredRun> Result;
  for (const std::string &Path : Options.Runs) {
    auto Run = recordedRun(Path, M, Entry);
    if (!Run)
      return std::unexpected(Run.error());
    Result.push_back(std::move(*Run));
  }
  if (!Options.Energies.empty() && Options.Energies.size() != Options.Times.size())
    return std::unexpected(
        bad(fmt::format("{} energies and {} times", Options.Energies.size(), Options.Times.size()),
            "give --measured-energy once for each --measured-time", "--measured-energy"));
  for (std::size_t I = 0; I != Options.Times.size(); ++I) {
    const auto Time = readAmount(Options.Times[I], "--measured-time", "s");
    if (!Time)
      return std::unexpected(Time.error());
    MeasuredRun &Next = Result.emplace_back();
    Next.TimeS = *Time;
    Next.Source = "--measured-time";
    if (Options.Energies.empty())
      continue;
    const auto Energy = readAmount(Options.Energies[I], "--measured-energy", "J");
    if (!Energy)
      return std::unexpected(Energy.error());
    Next.EnergyJ = *Energy;
  }
  const bool IsDefault = Options.At.empty() && Result.size() == 1;
  if (!IsDefault && Options.At.size() != Result.size())
    return std::unexpected(
        bad(fmt::format("{} measured runs and {} settings", Result.size(), Options.At.size()),
            "give --at once for each run, in the same order", "--at"));
  for (std::size_t I = 0; I != Result.size(); ++I) {
    if (IsDefault) {
      Result[I].Clocks = M.defaultSetting();
      continue;
    }
    auto Clocks = parseSetting(Options.At[I], M);
    if (!Clocks)
      return std::unexpected(Clocks.error());
    Result[I].Clocks = std::move(*Clocks);
  }
  return Result;
}

} // namespace ergon
