//===- KernelTunerCache.cpp - cache files of Kernel Tuner -----------------===//
//
// One JSON object: device, kernel, and under `cache` an entry for each configuration that was
// tried, with its parameters, `time` in ms and what observers saw: nvml_energy, ps_energy in J,
// nvml_power in W, core_freq, mem_freq in MHz, gr_voltage in mV (Kernel Tuner's documentation,
// "Cache files" and "Observers"). While tuning goes on the last two brackets are missing; a process
// that was killed leaves half an entry too. Python writes numbers that JSON does not have: NaN,
// Infinity.
//
//===----------------------------------------------------------------------===//

#include "formats/import/LogNumbers.h"
#include "formats/import/LogParsers.h"
#include "formats/json/Json.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

namespace ergon {

/// \p Text with null in the place of NaN and Infinity, outside of strings.
static std::string withoutNan(std::string_view Text) {
  std::string Result;
  bool InString = false;
  while (!Text.empty()) {
    if (InString && Text.starts_with('\\') && Text.size() > 1) {
      Result += Text.substr(0, 2);
      Text.remove_prefix(2);
      continue;
    }
    std::string_view Taken = Text.substr(0, 1);
    if (Taken == "\"")
      InString = !InString;
    else if (!InString)
      for (std::string_view Word : {"NaN", "-Infinity", "Infinity"})
        if (Text.starts_with(Word))
          Taken = Word;
    if (Taken.size() > 1)
      Result += "null";
    else
      Result += Taken;
    Text.remove_prefix(Taken.size());
  }
  return Result;
}

/// Where \p Text has complete entries: the position behind the last bracket that closes an entry of
/// the cache; nothing where it has none.
static std::optional<std::size_t> endOfEntries(std::string_view Text) {
  std::optional<std::size_t> Result;
  bool InString = false;
  int Depth = 0;
  for (std::size_t K = 0; K != Text.size(); ++K) {
    if (InString && Text[K] == '\\')
      ++K;
    else if (Text[K] == '"')
      InString = !InString;
    else if (!InString && Text[K] == '{')
      ++Depth;
    else if (!InString && Text[K] == '}' && --Depth == 2)
      Result = K + 1;
    if (K == Text.size() - 1 || K >= Text.size())
      break;
  }
  return Result;
}

/// The document of \p Text, with the brackets that it lacks. \p Notes says what was left out.
static std::expected<JsonDocument, Error> parseOpenCache(std::string_view Text,
                                                         std::vector<std::string> &Notes) {
  std::string Json = withoutNan(Text);
  while (!Json.empty() && (Json.back() == '\n' || Json.back() == '\r' || Json.back() == ' '))
    Json.pop_back();
  auto Whole = parseJson(Json);
  if (Whole)
    return Whole;
  std::string Open = Json;
  if (Open.ends_with(','))
    Open.pop_back();
  if (auto Closed = parseJson(Open + "}}"))
    return Closed;
  if (const auto End = endOfEntries(Json))
    if (auto Closed = parseJson(Json.substr(0, *End) + "}}")) {
      Notes.push_back("the last configuration is cut off and was left out");
      return Closed;
    }
  return Whole;
}

namespace {
/// What a cache's entries have in common.
struct CacheTotals {
  std::size_t Invalid = 0, OtherClock = 0, OwnEnergy = 0;
  double ActualMhz = 0, AskedMhz = 0;
  std::set<std::string> Rates;
};
} // namespace

static std::optional<double> numberOf(JsonCursor Entry, std::string_view Key) {
  const JsonCursor Value = Entry[Key];
  return Value && Value.isNumber() ? std::optional(Value.number()) : std::nullopt;
}

/// The error of the first number of an entry that no run has.
static std::optional<Error> impossibleNumber(JsonCursor Entry, std::string_view Key) {
  using enum LogQuantity;
  static constexpr std::tuple<std::string_view, LogQuantity, double> Names[] = {
      {"nvml_energy", Energy, 1},    {"ps_energy", Energy, 1},
      {"pmt_energy", Energy, 1},     {"tegra_energy", Energy, 1},
      {"energy", Energy, 1},         {"nvml_power", Power, 1},
      {"ps_power", Power, 1},        {"pmt_power", Power, 1},
      {"tegra_power", Power, 1},     {"nvml_gr_clock", Frequency, 1e6},
      {"core_freq", Frequency, 1e6}, {"nvml_mem_clock", Frequency, 1e6},
      {"mem_freq", Frequency, 1e6}};
  for (const auto &[Name, Quantity, Size] : Names)
    if (const auto Value = numberOf(Entry, Name))
      if (auto Bad = impossibleAt("/cache/" + std::string(Key), std::string(Name), Quantity,
                                  *Value * Size))
        return Bad;
  return impossibleAt("/cache/" + std::string(Key), "time", Time,
                      numberOf(Entry, "time").value_or(0) / 1e3);
}

/// The energy of an entry in joules: an observer's, its power times the time, or a metric that the
/// user called energy. Error: that is no joules.
static std::expected<std::optional<double>, Error> energyOf(JsonCursor Entry, std::string_view Key,
                                                            double TimeS, CacheTotals &Totals) {
  for (std::string_view Name : {"nvml_energy", "ps_energy", "pmt_energy", "tegra_energy"})
    if (const auto EnergyJ = numberOf(Entry, Name); EnergyJ && *EnergyJ > 0)
      return EnergyJ;
  for (std::string_view Name : {"nvml_power", "ps_power", "pmt_power", "tegra_power"})
    if (const auto PowerW = numberOf(Entry, Name); PowerW && *PowerW > 0)
      return *PowerW * TimeS;
  const auto EnergyJ = numberOf(Entry, "energy");
  if (!EnergyJ || *EnergyJ <= 0)
    return std::nullopt;
  // It has no unit: joules are those that make a board's power.
  const double PowerW = *EnergyJ / TimeS;
  if (PowerW < 1 || PowerW > 2000)
    return std::unexpected(
        Error{"energy is a metric of the user's own, and no joules: it would be " +
                  shortNumber(PowerW) + " W",
              "/cache/" + std::string(Key), "tune with an observer: nvml_energy, ps_energy", ""});
  ++Totals.OwnEnergy;
  return EnergyJ;
}

/// Whether a number of an entry is not of what was measured of the kernel.
static bool isBookkeeping(std::string_view Name) {
  static constexpr std::array<std::string_view, 21> Names = {
      "time",           "compile_time",  "verification_time",
      "benchmark_time", "strategy_time", "framework_time",
      "timestamp",      "temperature",   "core_freq",
      "mem_freq",       "gr_voltage",    "nvml_energy",
      "ps_energy",      "pmt_energy",    "tegra_energy",
      "energy",         "nvml_power",    "ps_power",
      "pmt_power",      "tegra_power",   "f"};
  return std::ranges::count(Names, Name) > 0 || Name.starts_with("pwr_");
}

static std::optional<Error> takeEntry(JsonCursor Entry, std::string_view Key,
                                      const std::string &Kernel,
                                      const std::vector<std::string> &Parameters,
                                      CacheTotals &Totals, ToolLog &Result) {
  const auto TimeMs = numberOf(Entry, "time");
  if (!TimeMs || *TimeMs <= 0 || Entry["__error__"]) { // "InvalidConfig", a compiler's error
    ++Totals.Invalid;
    return std::nullopt;
  }
  if (auto Bad = impossibleNumber(Entry, Key))
    return Bad;
  LoggedRun Run{.Name = Kernel, .TimeS = *TimeMs / 1e3};
  std::string Configuration;
  for (const std::string &Name : Parameters) {
    if (Name == "nvml_gr_clock" || Name == "nvml_mem_clock")
      continue;
    const JsonCursor Value = Entry[Name];
    if (!Value)
      continue;
    Configuration += (Configuration.empty() ? "/" : ",") + Name + "=" +
                     (Value.isText() ? Value.text("") : Value.source());
  }
  Run.Name += Configuration;
  const auto EnergyJ = energyOf(Entry, Key, *Run.TimeS, Totals);
  if (!EnergyJ)
    return EnergyJ.error();
  Run.EnergyJ = *EnergyJ;
  const auto Asked = numberOf(Entry, "nvml_gr_clock"), Actual = numberOf(Entry, "core_freq");
  Run.CoreMhz = Asked ? Asked : Actual;
  if (Asked && Actual && std::abs(*Actual - *Asked) > 0.03 * *Asked) {
    Run.CoreMhz = std::round(*Actual);
    if (!Totals.OtherClock++)
      Totals.AskedMhz = *Asked, Totals.ActualMhz = *Actual;
  }
  const auto AskedMem = numberOf(Entry, "nvml_mem_clock");
  Run.MemMhz = AskedMem ? AskedMem : numberOf(Entry, "mem_freq");
  if (const auto Mv = numberOf(Entry, "gr_voltage"); Mv && *Mv > 0)
    Run.CoreMv = *Mv;
  for (const auto &[Name, Value] : Entry.members()) {
    const bool IsParameter = std::ranges::count(Parameters, Name) > 0;
    if (!Value.isNumber() || IsParameter || isBookkeeping(Name))
      continue;
    if (has(Name, "__")) // of the observer of Nsight Compute
      Run.Metrics.push_back({std::string(Name), Value.number()});
    else
      Totals.Rates.insert(std::string(Name));
  }
  Result.Runs.push_back(std::move(Run));
  return std::nullopt;
}

std::optional<Error> readKernelTuner(std::string_view Text, ToolLog &Result) {
  auto Document = parseOpenCache(Text, Result.Notes);
  if (!Document)
    return Document.error();
  JsonCursor Root(*Document);
  if (!Root.isObject() || !Root["cache"] || !Root["kernel_name"])
    return Error{"is no cache file of Kernel Tuner: there is no \"cache\" beside \"kernel_name\"",
                 "", "give the file that tune_kernel(cache=…) writes", ""};
  const std::string Kernel = Root["kernel_name"].text("kernel");
  std::vector<std::string> Parameters;
  if (const JsonCursor Keys = Root["tune_params_keys"])
    for (const JsonCursor Name : Keys.elements())
      Parameters.push_back(Name.text(""));
  CacheTotals Totals;
  for (const auto &[Key, Entry] : Root["cache"].members()) {
    if (!Entry.isObject())
      return Error{"is no configuration", "/cache/" + std::string(Key),
                   "take the file as Kernel Tuner wrote it", ""};
    if (auto Bad = takeEntry(Entry, Key, Kernel, Parameters, Totals, Result))
      return Bad;
  }
  if (Document->First)
    return Document->First;
  if (Result.Runs.empty())
    return Error{"has no configuration that ran", "", "tune until one runs", ""};
  if (Totals.Invalid)
    Result.Notes.push_back(std::to_string(Totals.Invalid) +
                           " configurations did not run and were left out");
  if (Totals.OtherClock)
    Result.Notes.push_back(std::to_string(Totals.OtherClock) +
                           " configurations ran at another clock than was asked for (" +
                           shortNumber(Totals.ActualMhz) + " in the place of " +
                           shortNumber(Totals.AskedMhz) + " MHz): their real one is taken");
  if (Totals.OwnEnergy)
    Result.Notes.push_back("energy is a metric of the user's own, which has no unit: it is taken "
                           "for joules, as that gives a board's power");
  Result.Rates.assign(Totals.Rates.begin(), Totals.Rates.end());
  return std::nullopt;
}

} // namespace ergon
