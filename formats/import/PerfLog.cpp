//===- PerfLog.cpp - perf stat -x -----------------------------------------===//
//
// A line for each event: count, unit, event, running time, share of time; before these the time
// with -I, and CPUs or sockets with -A, --per-socket and the like (man perf-stat, "CSV FORMAT").
// RAPL's events are in joules. The package is the processor's die, with its cores; memory is beside
// it.
//
//===----------------------------------------------------------------------===//

#include "formats/import/LogNumbers.h"
#include "formats/import/LogParsers.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

namespace ergon {

namespace {
/// The cells of a line by their meaning.
struct PerfLine {
  std::string Value, Unit, Event;
  std::optional<double> AtS; ///< with -I
  std::optional<double> CountedPercent;
  bool IsBroken = false;            ///< decimal commas between cells that commas separate
  std::string Derived, DerivedUnit; ///< `1.077`, `CPUs utilized`
};

class PerfReader {
public:
  PerfReader(const ImportOptions &Options, ToolLog &Result) : Options(Options), Result(Result) {}
  std::optional<Error> take(const LogLine &Line, bool IsLast);
  std::optional<Error> finish();

private:
  const ImportOptions &Options;
  ToolLog &Result;
  char Separator = 0;
  std::map<std::string, double> Counts; ///< by event, in SI units
  std::optional<double> IntervalS, ElapsedS, FromClockS, TaskS;
  double LastS = 0;
  std::set<std::string> NotCounted, NotCountedNames, Scaled, OtherEnergy;
  std::size_t Events = 0, Other = 0;

  std::optional<Error> takeEvent(const LogLine &Line, const PerfLine &Event);
  std::optional<double> energyJ();
};
} // namespace

/// A number, which perf writes without groups: a comma in it is a decimal one.
static LogNumber perfNumber(std::string_view Cell) {
  return readNumber(Cell, has(Cell, ",") ? NumberStyle::Comma : NumberStyle::Point);
}

/// The event of a line; nothing where it is none.
static std::optional<PerfLine> perfLine(std::string_view Text, char Separator) {
  const auto Cells = csvCells(Text, Separator);
  if (!Cells)
    return std::nullopt;
  for (std::size_t K = 2; K + 1 < Cells->size() && K < 7; ++K) {
    const std::string &Value = (*Cells)[K - 2], &Unit = (*Cells)[K - 1], &Event = (*Cells)[K];
    const bool IsValue = readNumber(Value).Value || Value.starts_with("<not ");
    if (!IsValue || Event.empty() || readNumber(Event).Value || readNumber(Unit).Value)
      continue;
    PerfLine Result{Value, Unit, Event, {}, {}, false, "", ""};
    if (K > 2)
      Result.AtS = perfNumber((*Cells)[0]).Value;
    std::size_t Next = K + 1;
    if (Next < Cells->size() && (*Cells)[Next].ends_with('%')) // of -r
      ++Next;
    if (Next + 1 < Cells->size())
      Result.CountedPercent = perfNumber((*Cells)[Next + 1]).Value;
    // perf writes times with nine and shares with two decimals.
    Result.IsBroken =
        Separator == ',' && ((Result.AtS && !has((*Cells)[0], ".")) ||
                             (Result.CountedPercent && !has((*Cells)[Next + 1], ".")));
    if (Next + 3 < Cells->size()) {
      Result.Derived = (*Cells)[Next + 2];
      Result.DerivedUnit = (*Cells)[Next + 3];
    }
    return Result;
  }
  return std::nullopt;
}

/// The event without its modifiers and the number of its unit: `uncore_imc_0/cas_count_read/` is
/// `uncore_imc/cas_count_read/`, `cpu_core/cycles/u` and `cycles:u` are `cycles`.
static std::string eventName(std::string Event) {
  std::ranges::transform(Event, Event.begin(),
                         [](unsigned char C) { return char(std::tolower(C)); });
  if (const std::size_t Colon = Event.find(':'); Colon != std::string::npos)
    Event.resize(Colon);
  for (std::string_view Core : {"cpu_core/", "cpu_atom/", "cpu/"})
    if (Event.starts_with(Core)) {
      Event.erase(0, Core.size());
      Event.resize(std::min(Event.size(), Event.find('/')));
    }
  if (Event.starts_with("uncore_imc_")) {
    const std::size_t Slash = Event.find('/');
    if (Slash != std::string::npos)
      Event = "uncore_imc" + Event.substr(Slash);
  }
  return Event;
}

std::optional<Error> PerfReader::takeEvent(const LogLine &Line, const PerfLine &Event) {
  ++Events;
  const std::string Name = eventName(Event.Event);
  if (Event.Value.starts_with("<not")) {
    NotCounted.insert(Event.Event);
    NotCountedNames.insert(Name);
    return std::nullopt;
  }
  const LogNumber Number = perfNumber(Event.Value);
  if (!Number.Unit.empty() || Event.IsBroken)
    return lineError(Line,
                     Event.IsBroken ? "decimal commas stand between cells that commas separate"
                                    : inQuotes(Event.Value) + " is not a number",
                     "run perf with LC_ALL=C, or separate by another character: -x ';'");
  if (Event.AtS) {
    if (*Event.AtS < LastS)
      return lineError(Line, "the time is earlier than that of the line before",
                       "give one run of perf stat -I at a time");
    IntervalS = LastS = *Event.AtS;
  }
  if (Event.CountedPercent && *Event.CountedPercent < 99.5)
    Scaled.insert(Event.Event);
  double Value = *Number.Value;
  const bool IsEnergy = Name.starts_with("power/energy");
  const bool IsClock = Name == "task-clock" || Name == "cpu-clock";
  if (IsEnergy || Name == "duration_time" || IsClock || !Event.Unit.empty()) {
    // perf has counted duration_time in ns and task-clock in ms since before it wrote the units.
    const std::string Unit = !Event.Unit.empty()       ? Event.Unit
                             : Name == "duration_time" ? "ns"
                             : IsClock                 ? "msec"
                                                       : "";
    const auto Known = logUnit(Unit);
    if (IsEnergy && (!Known || Known->Quantity != LogQuantity::Energy))
      return lineError(Line,
                       Unit.empty() ? "the unit of " + Event.Event + " is missing"
                                    : inQuotes(Unit) + " is no unit of energy",
                       "keep the column of units as perf stat -x writes it: Joules");
    if (!Known || Unit.empty()) {
      Result.Rates.push_back(Event.Event);
      return std::nullopt;
    }
    Value *= Known->Size;
  }
  const LogQuantity Quantity = IsEnergy                             ? LogQuantity::Energy
                               : Name == "duration_time" || IsClock ? LogQuantity::Time
                                                                    : LogQuantity::Count;
  if (auto Bad = impossible(Line, Event.Event, Quantity, Value))
    return Bad;
  if (Name == "duration_time") {
    if (Value > 0) // some versions of perf have 0 beside other events
      ElapsedS = ElapsedS.value_or(0) + Value;
  } else if (IsClock) {
    const LogNumber Used = perfNumber(Event.Derived);
    if (Used.Value && *Used.Value > 0 && Event.DerivedUnit == "CPUs utilized")
      FromClockS = FromClockS.value_or(0) + Value / *Used.Value;
    if (Name == "task-clock")
      TaskS = TaskS.value_or(0) + Value;
  } else if (IsEnergy && Name != "power/energy-pkg/" && Name != "power/energy-ram/") {
    OtherEnergy.insert(Event.Event);
  } else {
    Counts[Name] += Value;
  }
  return std::nullopt;
}

std::optional<Error> PerfReader::take(const LogLine &Line, bool IsLast) {
  if (Line.Text.starts_with('#'))
    return std::nullopt;
  if (!Separator)
    for (const char Tried : {',', ';', '\t', '|'})
      if (perfLine(Line.Text, Tried)) {
        Separator = Tried;
        break;
      }
  if (!Separator) {
    ++Other;
    return std::nullopt;
  }
  if (const auto Event = perfLine(Line.Text, Separator))
    return takeEvent(Line, *Event);
  if (IsLast && !Line.IsWhole)
    Result.Notes.push_back(cutOffNote(Line));
  else if (const auto Cells = csvCells(Line.Text, Separator);
           !Cells || Cells->size() < 2 || (!(*Cells)[0].empty() && !(*Cells)[1].empty()))
    ++Other; // a line that begins with blanks has a derived value alone
  return std::nullopt;
}

/// The energy of package and memory; nothing where a part of it was not counted all the time.
std::optional<double> PerfReader::energyJ() {
  std::set<std::string> Parts = OtherEnergy;
  std::optional<double> Sum;
  bool IsWhole = true;
  for (const std::string Name : {"power/energy-pkg/", "power/energy-ram/"}) {
    const auto Found = Counts.find(Name);
    if (Found == Counts.end()) {
      IsWhole &= Name != "power/energy-pkg/"; // memory has no counter on many machines
      continue;
    }
    IsWhole &= !NotCountedNames.contains(Name); // in an interval, or on a socket
    Sum = Sum.value_or(0) + Found->second;
    Parts.insert(Name);
  }
  if (IsWhole || Parts.empty())
    return Sum;
  Result.Findings.push_back(
      energyInPart("power/energy-pkg/", std::vector<std::string>(Parts.begin(), Parts.end())));
  return std::nullopt;
}

std::optional<Error> PerfReader::finish() {
  if (!Events)
    return Error{"has no events of perf stat -x", "",
                 "write it with perf stat -a -x, -e power/energy-pkg/,power/energy-ram/,"
                 "duration_time -o FILE PROGRAM",
                 ""};
  LoggedRun Run{.Name = Options.Workload};
  Run.TimeS = Options.TimeS ? Options.TimeS
              : ElapsedS    ? ElapsedS
              : IntervalS   ? IntervalS
                            : FromClockS;
  if (!Run.TimeS || *Run.TimeS <= 0)
    return Error{"does not say how long the program ran", "",
                 "count duration_time too: perf stat -e duration_time,…; or give --time", ""};
  if (ElapsedS && IntervalS && std::abs(*ElapsedS - *IntervalS) > 0.05 * *IntervalS)
    Result.Notes.push_back("duration_time adds up to " + shortNumber(*ElapsedS) +
                           " s, but the last interval ends at " + shortNumber(*IntervalS) + " s");
  for (const auto &[Name, Value] : Counts)
    if (!Name.starts_with("power/energy"))
      Run.Metrics.push_back({Name, Value});
  Run.EnergyJ = energyJ();
  if (auto Cycles = Counts.find("cycles"); Cycles != Counts.end() && TaskS && *TaskS > 0) {
    Run.CoreMhz = Cycles->second / *TaskS / 1e6;
    Result.Notes.push_back("the core's clock is cycles over task-clock, " +
                           shortNumber(*Run.CoreMhz) + " MHz; say otherwise with --at");
  }
  auto Note = [&](const std::set<std::string> &Names, const std::string &What) {
    if (!Names.empty())
      Result.Notes.push_back(What + listed(std::vector<std::string>(Names.begin(), Names.end())));
  };
  Note(NotCounted, "perf did not count ");
  Note(Scaled, "perf counted for a part of the time alone, and scaled: ");
  Note(OtherEnergy, "energies that are part of the package, or of more than the processor, were "
                    "left out: ");
  if (Other)
    Result.Notes.push_back(std::to_string(Other) + " lines are no events and were left out");
  Result.Runs.push_back(std::move(Run));
  return std::nullopt;
}

std::optional<Error> readPerf(LogLines Lines, const ImportOptions &Options, ToolLog &Result) {
  PerfReader Reader(Options, Result);
  for (const LogLine &Line : Lines)
    if (auto Bad = Reader.take(Line, &Line == &Lines.back()))
      return Bad;
  return Reader.finish();
}

} // namespace ergon
