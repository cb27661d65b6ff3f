//===- DcgmLog.cpp - dcgmi dmon -------------------------------------------===//
//
// Columns between spaces: `#Entity POWER SMCLK MMCLK`, a row of units that begins with ID, then
// `GPU 0 120.5 1410 1215`. Both headers come again every few readings. There are no times, unless
// each line was given one: `dcgmi dmon … | ts %.s`. Fields without a unit have a blank in the row
// of units, so that its words are fewer than the columns; the units of the fields used here are
// those of DCGM's documentation ("Field Identifiers": 155 watts, 156 mJ, 100 and 101 MHz), and
// another one in that row is an error.
//
//===----------------------------------------------------------------------===//

#include "formats/import/LogNumbers.h"
#include "formats/import/LogParsers.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace ergon {

namespace {
class DcgmReader {
public:
  DcgmReader(const ImportOptions &Options, ToolLog &Result) : Options(Options), Result(Result) {}
  std::optional<Error> take(const LogLine &Line, bool IsLast);
  std::optional<Error> finish();

private:
  const ImportOptions &Options;
  ToolLog &Result;
  std::vector<std::string> Names;                           ///< of the columns after the entity
  std::size_t Prefix = 0;                                   ///< words of a time before each line
  std::map<std::string, std::size_t> Count;                 ///< of readings, by device
  std::map<std::string, std::pair<double, double>> Counter; ///< time and joules, by device
  std::size_t NoPower = 0, Other = 0;

  std::optional<Error> takeRow(const LogLine &Line, const std::vector<std::string> &Words);
};
} // namespace

std::optional<Error> DcgmReader::takeRow(const LogLine &Line,
                                         const std::vector<std::string> &Words) {
  const std::string Device =
      Words[Prefix] == "GPU" ? Words[Prefix + 1] : Words[Prefix] + " " + Words[Prefix + 1];
  auto Value = [&](std::string_view Name) -> std::optional<double> {
    const auto At = columnOf(Names, {Name});
    return At ? readNumber(Words[Prefix + 2 + *At]).Value : std::nullopt;
  };
  PowerReading Reading;
  if (Prefix) {
    std::string Time = Words[0];
    for (std::size_t K = 1; K != Prefix; ++K)
      Time += " " + Words[K];
    const auto AtS = readTimestamp(Time);
    if (!AtS)
      return lineError(Line, inQuotes(Time) + " is no time",
                       "write seconds since 1970 or YYYY-MM-DDTHH:MM:SS before each line");
    Reading.AtS = *AtS;
  } else {
    Reading.AtS = Options.PeriodS.value_or(1) * double(Count[Device]++);
  }
  Reading.CoreMhz = Value("SMCLK");
  Reading.MemMhz = Value("MMCLK");
  std::optional<double> PowerW = Value("POWER");
  if (const auto MilliJ = Value("TOTEC"); MilliJ && !columnOf(Names, {"POWER"})) {
    // The mean power since the reading before.
    const auto [Before, IsNew] = Counter.try_emplace(Device, Reading.AtS, *MilliJ / 1e3);
    if (IsNew)
      return std::nullopt;
    const auto [BeforeS, BeforeJ] = std::exchange(Before->second, {Reading.AtS, *MilliJ / 1e3});
    if (Reading.AtS > BeforeS)
      PowerW = (*MilliJ / 1e3 - BeforeJ) / (Reading.AtS - BeforeS);
    Reading.AtS = (Reading.AtS + BeforeS) / 2;
  }
  if (!PowerW || *PowerW < 0) {
    ++NoPower;
    return std::nullopt;
  }
  Reading.PowerW = *PowerW;
  return addReading(Result, Device, Reading, Line);
}

std::optional<Error> DcgmReader::take(const LogLine &Line, bool IsLast) {
  std::vector<std::string> Words = words(Line.Text);
  for (std::size_t K = 0; K != Words.size(); ++K) {
    const bool IsOne = Words[K] == "#Entity",
               IsTwo = Words[K] == "#" && K + 1 < Words.size() && Words[K + 1] == "Entity";
    if (!IsOne && !IsTwo)
      continue;
    Prefix = K;
    Names.assign(Words.begin() + std::ptrdiff_t(K) + (IsOne ? 1 : 2), Words.end());
    if (!columnOf(Names, {"POWER", "TOTEC"}))
      return lineError(Line, "there is neither power nor energy",
                       "log fields 155, 100 and 101: dcgmi dmon -e 155,100,101 -d 100");
    return std::nullopt;
  }
  if (Names.empty()) {
    ++Other;
    return std::nullopt;
  }
  const std::string First = Prefix < Words.size() ? Words[Prefix] : "";
  if (First == "ID" || First == "Id") {
    const std::vector<std::string> Units(Words.begin() + std::ptrdiff_t(Prefix) + 1, Words.end());
    for (std::size_t K = 0; Units.size() == Names.size() && K != Names.size(); ++K)
      if ((Names[K] == "POWER" && Units[K] != "W") || (Names[K] == "TOTEC" && Units[K] != "mJ") ||
          ((Names[K] == "SMCLK" || Names[K] == "MMCLK") && Units[K] != "MHz"))
        return lineError(Line,
                         inQuotes(Units[K]) + " is not the unit that DCGM has for " + Names[K],
                         "take the log as dcgmi dmon wrote it");
    return std::nullopt;
  }
  if (First.starts_with("GPU") && Words.size() == Prefix + 2 + Names.size())
    return takeRow(Line, Words);
  if (IsLast && !Line.IsWhole)
    Result.Notes.push_back(cutOffNote(Line));
  else
    ++Other;
  return std::nullopt;
}

std::optional<Error> DcgmReader::finish() {
  if (Result.Power.empty())
    return Error{NoPower ? "no reading has a power" : "has no readings of dcgmi dmon", "",
                 "write it with dcgmi dmon -e 155,100,101 -d 100", ""};
  if (!Prefix && !Options.PeriodS)
    Result.Notes.push_back("readings are taken to be 1000 ms apart, the default of dcgmi dmon -d; "
                           "say otherwise with --period");
  noteLeftOut(NoPower, Other, Result);
  return std::nullopt;
}

std::optional<Error> readDcgm(LogLines Lines, const ImportOptions &Options, ToolLog &Result) {
  DcgmReader Reader(Options, Result);
  for (const LogLine &Line : Lines)
    if (auto Bad = Reader.take(Line, &Line == &Lines.back()))
      return Bad;
  return Reader.finish();
}

} // namespace ergon
