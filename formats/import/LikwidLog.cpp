//===- LikwidLog.cpp - likwid-perfctr -O ----------------------------------===//
//
// Tables below lines such as `TABLE,Group 1 Metric,ENERGY,5` or, with the marker API, `TABLE,Region
// solve,Group 1 Raw,MEM_DP,17`: a line for each event or metric, a column for each hardware thread.
// Tables with STAT in their names repeat the same as sums. Counters of a socket are shown at one of
// its threads, 0 at the others, so all add up.
//
//===----------------------------------------------------------------------===//

#include "formats/import/LogNumbers.h"
#include "formats/import/LogParsers.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ergon {

namespace {
/// A metric's or event's values over threads.
struct LikwidValue {
  double Sum = 0, Most = 0;
  std::size_t Count = 0; ///< of threads with a number above 0
};

/// One group of one region.
struct LikwidGroup {
  std::map<std::string, LikwidValue> Metrics, Events;
};

class LikwidReader {
public:
  explicit LikwidReader(ToolLog &Result) : Result(Result) {}
  std::optional<Error> take(const LogLine &Line, bool IsLast);
  std::optional<Error> finish();

private:
  ToolLog &Result;
  std::vector<std::pair<std::pair<std::string, std::string>, LikwidGroup>> Groups; ///< in order
  LikwidGroup *Now = nullptr;
  bool IsRaw = false;
  std::size_t Threads = 0;

  void beginTable(const std::vector<std::string> &Cells);
};
} // namespace

void LikwidReader::beginTable(const std::vector<std::string> &Cells) {
  Now = nullptr;
  std::size_t Next = 1;
  std::string Region;
  if (Cells.size() > 2 && Cells[1].starts_with("Region "))
    Region = Cells[Next++].substr(7);
  if (Next >= Cells.size() || !Cells[Next].starts_with("Group ") || Cells[Next].ends_with("STAT"))
    return;
  IsRaw = Cells[Next].ends_with("Raw");
  const std::string Group = Cells[Next].substr(0, Cells[Next].rfind(' '));
  const auto Key = std::pair(Region, Group);
  auto Found = std::ranges::find(Groups, Key, &decltype(Groups)::value_type::first);
  if (Found == Groups.end())
    Found = Groups.insert(Found, {Key, {}});
  Now = &Found->second;
}

/// What a metric or event counts, by its name.
static LogQuantity quantity(std::string_view Name) {
  return Name.ends_with("[J]") || Name.ends_with("_ENERGY") ? LogQuantity::Energy
         : Name.ends_with("[s]")                            ? LogQuantity::Time
                                                            : LogQuantity::Count;
}

std::optional<Error> LikwidReader::take(const LogLine &Line, bool IsLast) {
  const auto Cells = csvCells(Line.Text);
  if (!Cells || (IsLast && !Line.IsWhole && Now && Cells->size() < Threads + (IsRaw ? 2 : 1))) {
    Result.Notes.push_back(IsLast && !Line.IsWhole
                               ? cutOffNote(Line)
                               : "line " + std::to_string(Line.Number) + " is no CSV");
    return std::nullopt;
  }
  const std::string &First = Cells->front();
  if (First == "TABLE") {
    beginTable(*Cells);
    return std::nullopt;
  }
  if (First == "STRUCT") {
    Now = nullptr;
    return std::nullopt;
  }
  if (!Now)
    return std::nullopt;
  if (First == "Event" || First == "Metric" || First == "Region Info") {
    Threads = std::size_t(std::ranges::count_if(*Cells, [](const std::string &Cell) {
      return Cell.starts_with("HWThread ") || Cell.starts_with("Core ") ||
             Cell.starts_with("core ");
    }));
    return std::nullopt;
  }
  // An event has its counter between name and values.
  const bool IsEvent = IsRaw && Cells->size() > 2 && !readNumber((*Cells)[1]).Value;
  LikwidValue &Value = (IsEvent ? Now->Events : Now->Metrics)[First];
  for (std::size_t K = IsEvent ? 2 : 1, Read = 0; K < Cells->size() && Read != Threads; ++K, ++Read)
    if (const LogNumber Number = readNumber((*Cells)[K]); Number.Value && Number.Unit.empty()) {
      if (auto Bad = impossible(Line, First, quantity(First), *Number.Value))
        return Bad;
      Value.Sum += *Number.Value;
      Value.Most = std::max(Value.Most, *Number.Value);
      Value.Count += *Number.Value > 0;
    }
  return std::nullopt;
}

/// The metric called \p Name whatever its unit, `Energy` for `Energy [J]`, in SI units, and which
/// of a row's values.
static std::expected<std::optional<double>, Error> metric(const LikwidGroup &Group,
                                                          std::string_view Name,
                                                          LogQuantity Quantity,
                                                          double LikwidValue::*Which) {
  for (const auto &[Full, Value] : Group.Metrics) {
    const std::size_t Open = Full.find(" [");
    if (Full.substr(0, Open) != Name)
      continue;
    const std::string Unit = Open == std::string::npos || !Full.ends_with(']')
                                 ? ""
                                 : Full.substr(Open + 2, Full.size() - Open - 3);
    const auto Size = unitSize(Unit, Quantity);
    if (!Size)
      return std::unexpected(Error{Unit.empty()
                                       ? "the unit of " + Full + " is missing"
                                       : inQuotes(Unit) + " is no unit of " + std::string(Name),
                                   "", "keep the names as likwid-perfctr -O writes them", ""});
    if (Value.Count > 0)
      return Value.*Which * *Size;
  }
  return std::nullopt;
}

/// The names of all that \p Group has in joules.
static std::vector<std::string> energies(const LikwidGroup &Group) {
  std::vector<std::string> Result;
  for (const auto &[Name, Value] : Group.Metrics)
    if (Name.ends_with(" [J]") && Value.Count > 0)
      Result.push_back(Name);
  for (const auto &[Name, Value] : Group.Events)
    if (Name.ends_with("_ENERGY") && Value.Count > 0)
      Result.push_back(Name);
  return Result;
}

/// What a group measured. Error: a unit that is not known.
static std::expected<LoggedRun, Error> runOf(const LikwidGroup &Group,
                                             std::vector<LogFinding> &Findings) {
  LoggedRun Run;
  std::optional<Error> Bad;
  auto Take = [&](std::string_view Name, LogQuantity Quantity,
                  double LikwidValue::*Which) -> std::optional<double> {
    const auto Found = metric(Group, Name, Quantity, Which);
    if (!Found && !Bad)
      Bad = Found.error();
    return Found ? *Found : std::nullopt;
  };
  for (std::string_view Name : {"Runtime (RDTSC)", "RDTSC Runtime"})
    if (!Run.TimeS)
      Run.TimeS = Take(Name, LogQuantity::Time, &LikwidValue::Most);
  if (const auto Found = Group.Events.find("Runtime (RDTSC) [s]");
      !Run.TimeS && Found != Group.Events.end())
    Run.TimeS = Found->second.Most;
  auto Energy = [&](std::initializer_list<std::string_view> Metrics,
                    std::initializer_list<const char *> Events) {
    for (std::string_view Name : Metrics)
      if (const auto EnergyJ = Take(Name, LogQuantity::Energy, &LikwidValue::Sum))
        return EnergyJ;
    for (const char *Name : Events) // of a group of the user's own: likwid has scaled it to joules
      if (const auto Found = Group.Events.find(Name);
          Found != Group.Events.end() && Found->second.Count > 0)
        return std::optional(Found->second.Sum);
    return std::optional<double>();
  };
  const auto Package = Energy({"Energy", "Energy PKG"}, {"PWR_PKG_ENERGY", "RAPL_PKG_ENERGY"}),
             Memory = Energy({"Energy DRAM"}, {"PWR_DRAM_ENERGY"});
  if (Package)
    Run.EnergyJ = *Package + Memory.value_or(0);
  else if (const std::vector<std::string> Parts = energies(Group); !Parts.empty())
    Findings.push_back(energyInPart("Energy [J] or PWR_PKG_ENERGY", Parts));
  for (const auto &[Name, Value] : Group.Metrics)
    if (Name == "Clock [MHz]" && Value.Count > 0)
      Run.CoreMhz = Value.Sum / double(Value.Count);
  for (std::string_view Name : {"Memory data volume", "Memory read data volume",
                                "Memory write data volume", "L2 data volume", "L3 data volume"})
    if (const auto Bytes = Take(Name, LogQuantity::Bytes, &LikwidValue::Sum))
      Run.Metrics.push_back({std::string(Name), *Bytes});
  for (std::string_view Kind : {"SP", "DP"})
    for (const auto &[Name, Value] : Group.Metrics)
      if (Run.TimeS &&
          (Name == std::string(Kind) + " [MFLOP/s]" || Name == std::string(Kind) + " MFLOP/s"))
        Run.Metrics.push_back({std::string(Kind) + " flops", Value.Sum * 1e6 * *Run.TimeS});
  for (const auto &[Name, Value] : Group.Events)
    if (!Name.contains("ENERGY") && !Name.starts_with("Runtime") && !Name.starts_with("TEMP"))
      Run.Metrics.push_back({Name, Value.Sum});
  if (Bad)
    return std::unexpected(std::move(*Bad));
  return Run;
}

std::optional<Error> LikwidReader::finish() {
  if (Groups.empty())
    return Error{"has no tables of likwid-perfctr", "",
                 "write it with likwid-perfctr -C 0-3 -g ENERGY -O -o FILE.csv PROGRAM", ""};
  std::map<std::string, std::pair<double, double>> Times; // least and most, by region
  for (const auto &[Key, Group] : Groups) {
    auto Run = runOf(Group, Result.Findings);
    if (!Run)
      return Run.error();
    if (!Run->TimeS || *Run->TimeS <= 0)
      return Error{"does not say how long " + (Key.first.empty() ? Key.second : Key.first) + " ran",
                   "", "take a group of likwid with Runtime (RDTSC) [s], such as ENERGY", ""};
    const auto [At, IsNew] = Times.try_emplace(Key.first, *Run->TimeS, *Run->TimeS);
    At->second = {std::min(At->second.first, *Run->TimeS),
                  std::max(At->second.second, *Run->TimeS)};
    Run->Name = Key.first;
    Result.Runs.push_back(std::move(*Run));
  }
  for (const auto &[Region, Range] : Times)
    if (Range.second > 1.05 * Range.first)
      Result.Notes.push_back(
          (Region.empty() ? std::string("the run") : "region " + Region) + " took " +
          shortNumber(Range.first) + " to " + shortNumber(Range.second) +
          " s in different groups: counters of one are put beside the time of all");
  return std::nullopt;
}

std::optional<Error> readLikwid(LogLines Lines, ToolLog &Result) {
  LikwidReader Reader(Result);
  for (const LogLine &Line : Lines)
    if (auto Bad = Reader.take(Line, &Line == &Lines.back()))
      return Bad;
  return Reader.finish();
}

} // namespace ergon
