//===- NvidiaSmiLog.cpp - power logs of nvidia-smi ------------------------===//
//
// `--query-gpu=… --format=csv`: names with units, `power.draw [W]`, unless noheader; values with
// units, `208.36 W`, unless nounits. nvidia-smi --help-query-gpu says what each column is:
// power.draw is in watts, clocks in MHz. `dmon -o DT`: columns between spaces, below a line of
// names and one of units.
//
//===----------------------------------------------------------------------===//

#include "formats/import/LogNumbers.h"
#include "formats/import/LogParsers.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <map>

namespace ergon {

static constexpr const char *ColumnsFix =
    "name them in the order of --query-gpu: --columns timestamp,power.draw,clocks.sm,clocks.mem";

namespace {
enum class Column { Other, Time, Power, Core, Mem, Device };

/// Columns in the order of preference: the average over a second comes after the instant.
struct KnownColumn {
  std::string_view Name;
  Column Kind;
};

struct SmiColumn {
  std::string Name, Unit;
  Column Kind = Column::Other;
};

/// A reading before it is known of which device.
struct RawReading {
  const LogLine *Line;
  std::string Device;
  PowerReading Reading;
};

class SmiReader {
public:
  SmiReader(const ImportOptions &Options, ToolLog &Result) : Options(Options), Result(Result) {}
  std::optional<Error> read(LogLines Lines);

private:
  const ImportOptions &Options;
  ToolLog &Result;
  std::vector<SmiColumn> Columns;
  std::vector<RawReading> Raw;
  std::size_t NoPower = 0, Other = 0;
  bool IsGuessed = false;

  std::optional<Error> nameColumns(const LogLine &Line, const std::vector<std::string> &Names,
                                   bool AreDocumented);
  std::optional<Error> guessColumns(const LogLine &Line, const std::vector<std::string> &Cells);
  std::optional<Error> takeRow(const LogLine &Line, const std::vector<std::string> &Cells);
  std::expected<std::optional<double>, Error> value(const LogLine &Line, const SmiColumn &C,
                                                    const std::string &Cell) const;
  std::optional<Error> takeCsv(const LogLine &Line, bool IsLast);
  std::optional<Error> readDmon(LogLines Lines);
  std::optional<Error> finish();
};
} // namespace

static constexpr KnownColumn Known[] = {
    {"timestamp", Column::Time},
    {"power.draw.instant", Column::Power},
    {"power.draw", Column::Power},
    {"power.draw.average", Column::Power},
    {"pwr", Column::Power},
    {"clocks.current.sm", Column::Core},
    {"clocks.sm", Column::Core},
    {"clocks.current.graphics", Column::Core},
    {"clocks.gr", Column::Core},
    {"pclk", Column::Core},
    {"clocks.current.memory", Column::Mem},
    {"clocks.mem", Column::Mem},
    {"mclk", Column::Mem},
    {"index", Column::Device},
    {"gpu", Column::Device},
    {"uuid", Column::Device},
    {"gpu_uuid", Column::Device},
    {"pci.bus_id", Column::Device},
    {"gpu_bus_id", Column::Device},
};

/// `power.draw` of `power.draw [W]`, and the unit.
static SmiColumn splitColumn(std::string_view Text) {
  const std::size_t Open = Text.find('[');
  if (Open == std::string_view::npos || !Text.ends_with(']'))
    return {std::string(trimmed(Text)), ""};
  return {std::string(trimmed(Text.substr(0, Open))),
          std::string(trimmed(Text.substr(Open + 1, Text.size() - Open - 2)))};
}

/// Gives each column its meaning, of several of one meaning the first in the table. Where the user
/// named them, units are those of nvidia-smi's documentation.
std::optional<Error> SmiReader::nameColumns(const LogLine &Line,
                                            const std::vector<std::string> &Names,
                                            bool AreDocumented) {
  Columns.clear();
  for (const std::string &Name : Names)
    Columns.push_back(splitColumn(Name));
  for (Column Kind : {Column::Time, Column::Power, Column::Core, Column::Mem, Column::Device})
    for (const KnownColumn &K : Known) {
      if (K.Kind != Kind)
        continue;
      const auto Found = std::ranges::find(Columns, K.Name, &SmiColumn::Name);
      if (Found == Columns.end())
        continue;
      Found->Kind = Kind;
      if (AreDocumented && Found->Unit.empty())
        Found->Unit = Kind == Column::Power                         ? "W"
                      : Kind == Column::Core || Kind == Column::Mem ? "MHz"
                                                                    : "";
      break;
    }
  auto HasColumn = [&](Column Kind) {
    return std::ranges::count(Columns, Kind, &SmiColumn::Kind) > 0;
  };
  if (!HasColumn(Column::Power))
    return lineError(Line, "there is no column power.draw",
                     "log it: nvidia-smi --query-gpu=timestamp,power.draw,clocks.sm,clocks.mem "
                     "--format=csv -lms 20");
  return std::nullopt;
}

/// Takes the meaning of columns from the units of a line, where the log has no names.
std::optional<Error> SmiReader::guessColumns(const LogLine &Line,
                                             const std::vector<std::string> &Cells) {
  std::vector<std::size_t> Watts, Clocks;
  Columns.assign(Cells.size(), {});
  for (std::size_t K = 0; K != Cells.size(); ++K) {
    const LogNumber Number = readNumber(Cells[K]);
    if (readTimestamp(Cells[K]))
      Columns[K].Kind = Column::Time;
    else if (Number.Value && Number.Unit == "W")
      Watts.push_back(K);
    else if (Number.Value && Number.Unit == "MHz")
      Clocks.push_back(K);
    else if (Cells[K].starts_with("GPU-"))
      Columns[K].Kind = Column::Device;
  }
  if (Watts.size() != 1 || (!Clocks.empty() && Clocks.size() != 2))
    return lineError(Line,
                     Watts.empty() ? "the columns have neither names nor units"
                                   : "several columns have the same unit and no names",
                     ColumnsFix);
  Columns[Watts[0]] = {"power.draw", "W", Column::Power};
  if (!Clocks.empty()) {
    Columns[Clocks[0]] = {"clocks.sm", "MHz", Column::Core};
    Columns[Clocks[1]] = {"clocks.mem", "MHz", Column::Mem};
    IsGuessed = true;
  }
  return std::nullopt;
}

/// A cell in watts or MHz; nothing where it has no number.
std::expected<std::optional<double>, Error>
SmiReader::value(const LogLine &Line, const SmiColumn &C, const std::string &Cell) const {
  const LogNumber Number = readNumber(Cell);
  if (!Number.Value)
    return std::nullopt;
  const std::string Unit = Number.Unit.empty() ? C.Unit : std::string(Number.Unit);
  const LogQuantity Quantity =
      C.Kind == Column::Power ? LogQuantity::Power : LogQuantity::Frequency;
  const auto Size = unitSize(Unit, Quantity);
  if (!Size || Unit.empty())
    return std::unexpected(
        lineError(Line,
                  Unit.empty() ? "the unit of the column " + C.Name + " is not known"
                               : inQuotes(Unit) + " is no unit of " + C.Name,
                  Quantity == LogQuantity::Power
                      ? "write it in the name, power.draw [W], or log without nounits"
                      : "write it in the name, " + C.Name + " [MHz], or log without nounits"));
  return *Number.Value * *Size * (Quantity == LogQuantity::Power ? 1 : 1e-6);
}

std::optional<Error> SmiReader::takeRow(const LogLine &Line,
                                        const std::vector<std::string> &Cells) {
  RawReading Next{&Line, "", {}};
  std::optional<double> AtS, PowerW;
  for (std::size_t K = 0; K != Columns.size(); ++K) {
    const SmiColumn &C = Columns[K];
    if (C.Kind == Column::Time) {
      AtS = readTimestamp(Cells[K]);
    } else if (C.Kind == Column::Device) {
      Next.Device = Cells[K];
    } else if (C.Kind != Column::Other) {
      const auto Read = value(Line, C, Cells[K]);
      if (!Read)
        return Read.error();
      (C.Kind == Column::Power  ? PowerW
       : C.Kind == Column::Core ? Next.Reading.CoreMhz
                                : Next.Reading.MemMhz) = *Read;
    }
  }
  if (!AtS)
    return lineError(Line, "there is no time",
                     "log timestamp too: nvidia-smi --query-gpu=timestamp,power.draw,…");
  if (!PowerW) {
    ++NoPower;
    return std::nullopt;
  }
  Next.Reading.AtS = *AtS;
  Next.Reading.PowerW = *PowerW;
  Raw.push_back(std::move(Next));
  return std::nullopt;
}

std::optional<Error> SmiReader::takeCsv(const LogLine &Line, bool IsLast) {
  const auto Cells = csvCells(Line.Text);
  if (!Cells) {
    ++Other;
    return std::nullopt;
  }
  const bool IsHeader = has(Line.Text, "power.draw") || Cells->front() == "timestamp";
  if (has(Line.Text, ";") && Cells->size() < 2)
    return lineError(Line, "cells are separated by semicolons",
                     "take the file as nvidia-smi --format=csv wrote it: separated by commas");
  if (IsHeader)
    return nameColumns(Line, *Cells, false);
  const bool HasTime =
      std::ranges::any_of(*Cells, [](const auto &Cell) { return readTimestamp(Cell).has_value(); });
  if (Columns.empty() && !Options.Columns.empty()) {
    if (auto Bad = nameColumns(Line, Options.Columns, true))
      return Bad;
  } else if (Columns.empty() && HasTime) {
    if (auto Bad = guessColumns(Line, *Cells))
      return Bad;
  }
  if (Columns.size() == Cells->size() && !Columns.empty())
    return takeRow(Line, *Cells);
  if (IsLast && !Line.IsWhole)
    Result.Notes.push_back(cutOffNote(Line));
  else if (HasTime)
    return lineError(Line,
                     "has " + std::to_string(Cells->size()) + " cells where " +
                         std::to_string(Columns.size()) + " columns are named",
                     Options.Columns.empty() ? "take the line as nvidia-smi wrote it"
                                             : "name all columns with --columns");
  else
    ++Other;
  return std::nullopt;
}

/// `nvidia-smi dmon`.
std::optional<Error> SmiReader::readDmon(LogLines Lines) {
  std::vector<std::string> Names, Units;
  std::map<std::string, std::size_t> Count; // of readings, by device
  for (const LogLine &Line : Lines) {
    std::string Text(Line.Text);
    if (Text.starts_with('#')) {
      Text.erase(0, 1);
      std::vector<std::string> Words = words(Text);
      (std::ranges::count(Words, "gpu") ? Names : Units) = std::move(Words);
      continue;
    }
    const std::vector<std::string> Words = words(Text);
    if (Names.empty() || Words.size() != Names.size()) {
      ++Other;
      continue;
    }
    if (Units.size() != Names.size())
      return lineError(Line, "the columns have no units",
                       "keep the row of units that nvidia-smi dmon writes below the names");
    std::vector<std::string> Row, Columns = {"timestamp"};
    const auto Date = columnOf(Names, {"Date"}), Time = columnOf(Names, {"Time"});
    std::string Device;
    for (std::size_t K = 0; K != Names.size(); ++K) {
      if (K == Date || K == Time)
        continue;
      Columns.push_back(Names[K] + " [" + Units[K] + "]");
      Row.push_back(Words[K]);
      if (Names[K] == "gpu")
        Device = Words[K];
    }
    const double PeriodS = Options.PeriodS.value_or(1);
    Row.insert(Row.begin(), Time ? (Date ? Words[*Date] : "19700101") + " " + Words[*Time]
                                 : std::to_string(1e9 + PeriodS * double(Count[Device]++)));
    if (!Time && !Options.PeriodS && Result.Notes.empty())
      Result.Notes.push_back("readings are taken to be 1 s apart, the default of nvidia-smi dmon "
                             "-d; say otherwise with --period, or log with -o DT");
    if (auto Bad = nameColumns(Line, Columns, false))
      return Bad;
    for (SmiColumn &C : this->Columns)
      if (C.Kind == Column::Device)
        C.Unit.clear();
    if (auto Bad = takeRow(Line, Row))
      return Bad;
  }
  return finish();
}

/// Whether readings come in groups, as a line for each of several devices does.
static bool comesInGroups(const std::vector<RawReading> &Raw) {
  if (Raw.size() < 6)
    return false;
  const double SpanS = Raw.back().Reading.AtS - Raw.front().Reading.AtS;
  std::size_t Close = 0;
  for (std::size_t K = 1; K != Raw.size(); ++K)
    Close += Raw[K].Reading.AtS - Raw[K - 1].Reading.AtS < 0.25 * SpanS / double(Raw.size() - 1);
  return Close >= 0.4 * double(Raw.size());
}

std::optional<Error> SmiReader::finish() {
  if (Raw.empty() && NoPower)
    return Error{"power.draw has no number in any of " + std::to_string(NoPower) + " readings", "",
                 "this GPU or its driver reports no power: use a meter of another kind", ""};
  if (Raw.empty())
    return Error{"has no readings of nvidia-smi", "",
                 "write it with nvidia-smi --query-gpu=timestamp,power.draw,clocks.sm,clocks.mem "
                 "--format=csv -lms 20 -f FILE",
                 ""};
  if (std::ranges::none_of(Columns, [](const auto &C) { return C.Kind == Column::Device; }) &&
      comesInGroups(Raw))
    return lineError(*Raw[1].Line, "readings come in groups, as of several GPUs",
                     "log index too: nvidia-smi --query-gpu=index,timestamp,power.draw,…, or one "
                     "GPU alone: nvidia-smi -i 0");
  for (const RawReading &R : Raw)
    if (auto Bad = addReading(Result, R.Device, R.Reading, *R.Line))
      return Bad;
  if (IsGuessed)
    Result.Notes.push_back("columns have no names: the first clock is taken for that of the SMs, "
                           "the second for the memory's; say otherwise with --columns");
  noteLeftOut(NoPower, Other, Result);
  return std::nullopt;
}

std::optional<Error> SmiReader::read(LogLines Lines) {
  for (const LogLine &Line : Lines)
    if (Line.Text.starts_with('#') && std::ranges::count(words(Line.Text.substr(1)), "gpu"))
      return readDmon(Lines);
  for (const LogLine &Line : Lines)
    if (auto Bad = takeCsv(Line, &Line == &Lines.back()))
      return Bad;
  return finish();
}

std::optional<Error> readNvidiaSmi(LogLines Lines, const ImportOptions &Options, ToolLog &Result) {
  return SmiReader(Options, Result).read(Lines);
}

} // namespace ergon
