//===- CalibrationLog.cpp - samples of a calibration, as they come --------===//

#include "tools/calibrate/CalibrationLog.h"
#include "calibration/Probes.h"
#include "calibration/Sampling.h"
#include "formats/json/TextFile.h"
#include "formats/run/SamplesFormat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <ranges>
#include <string_view>
#include <system_error>

#include <unistd.h>

namespace ergon {

Error CalibrationLog::cannotWrite(int Number) const {
  return {"cannot be written: " + std::generic_category().message(Number), "",
          "give a path in a folder you own, with space left; what is there is whole", part()};
}

std::expected<void, Error> CalibrationLog::write(const std::string &Line) {
  const long Before = std::ftell(File.get());
  if (std::fwrite(Line.data(), 1, Line.size(), File.get()) == Line.size() &&
      std::fflush(File.get()) == 0)
    return {};
  const Error Bad = cannotWrite(errno);
  // Half of a line would be none of the samples.
  [[maybe_unused]] const bool Shorter = Before >= 0 && ftruncate(fileno(File.get()), Before) == 0;
  return std::unexpected(Bad);
}

std::expected<void, Error> CalibrationLog::read(std::string Text) {
  const Error Other = {"has samples of other probes", "",
                       "remove it to begin anew, or give another -o", part()};
  std::expected<Samples, Error> Table = parseSamples(Text);
  if (!Table) {
    Table.error().File = part();
    return std::unexpected(Table.error());
  }
  if (Table->Classes != Classes)
    return std::unexpected(Other);
  for (const Sample &S : Table->Rows) {
    const auto Off = [&](double Mhz) { return std::abs(*S.Clocks.CoreMhz / Mhz - 1); };
    const auto Near = std::ranges::min_element(ClocksMhz, {}, Off);
    if (Off(*Near) > MostClockMove)
      return std::unexpected(Error{fmt::format("has samples taken at {:.0f} MHz, and the core runs "
                                               "at {:.0f} now",
                                               *S.Clocks.CoreMhz, fmt::join(ClocksMhz, ", ")),
                                   fmt::format("line {}", S.Line),
                                   "remove it to begin anew, or give another -o", part()});
    Row &Result =
        Before[Near - ClocksMhz.begin()][S.Workload].emplace_back(Row{S.TimeS, S.EnergyJ, {}});
    for (std::size_t K = 0; K != Classes.size(); ++K)
      if (S.Counts[K].value_or(0) > 0)
        Result.Counts[Classes[K]] = *S.Counts[K];
  }
  if (ClocksMhz.size() == 1)
    ClocksMhz.front() = *Table->Rows.front().Clocks.CoreMhz;
  return {};
}

std::expected<CalibrationLog, Error> CalibrationLog::open(const std::string &Profile,
                                                          const std::vector<std::string> &Classes,
                                                          const std::vector<double> &ClocksMhz) {
  CalibrationLog Log;
  std::filesystem::path Base = Profile;
  if (Base.extension() == ".json")
    Base.replace_extension();
  Log.Path = Base.string() + ".samples.csv";
  Log.Classes = Classes;
  for (double Mhz : ClocksMhz)
    Log.ClocksMhz.push_back(std::round(Mhz));
  Log.Before.resize(ClocksMhz.size());
  std::string Header;
  for (std::string_view SampleColumn : SampleColumns)
    Header += (Header.empty() ? "" : ",") + std::string(SampleColumn);
  for (const std::string &Class : Classes)
    Header += "," + Class;
  Header += "\n";
  std::error_code Ignored;
  std::string Remote;
  if (std::filesystem::exists(Log.part(), Ignored)) {
    if (!std::filesystem::is_regular_file(Log.part(), Ignored))
      return std::unexpected(Error{"is no file", "", "give another -o", Log.part()});
    std::expected<std::string, Error> Text = readTextFile(Log.part());
    if (!Text)
      return std::unexpected(Text.error());
    Remote = std::move(*Text);
    Remote.resize(Remote.rfind('\n') + 1); // the last line may have been cut off
  }
  if (Remote.find('\n') + 1 < Remote.size()) { // there is more than a header
    if (auto Read = Log.read(Remote); !Read)
      return std::unexpected(Read.error());
  } else {
    Remote.clear();
  }
  Log.File.reset(std::fopen(Log.part().c_str(), Remote.empty() ? "wb" : "r+b"));
  if (!Log.File || ftruncate(fileno(Log.File.get()), off_t(Remote.size())) != 0 ||
      std::fseek(Log.File.get(), 0, SEEK_END) != 0)
    return std::unexpected(Log.cannotWrite(errno));
  if (Remote.empty())
    if (auto Written = Log.write(Header); !Written)
      return std::unexpected(Written.error());
  return Log;
}

void CalibrationLog::setCoreMhz(double Mhz) {
  Now = std::ranges::find(ClocksMhz, Mhz) - ClocksMhz.begin();
}

std::expected<void, Error> CalibrationLog::add(const std::string &Workload, double TimeS,
                                               std::optional<double> EnergyJ,
                                               const std::map<std::string, double> &Counts) {
  // Clocks of memory and voltages are not measured.
  std::string Line = fmt::format("{},{:.0f},,,,{:.9g},{}", Workload, coreMhz(), TimeS,
                                 EnergyJ ? fmt::format("{:.9g}", *EnergyJ) : "");
  for (const std::string &Class : Classes) {
    auto Found = Counts.find(Class);
    Line += fmt::format(",{:.17g}", Found == Counts.end() ? 0 : Found->second);
  }
  return write(Line + "\n");
}

std::expected<std::string, Error> CalibrationLog::finish() {
  if (std::fclose(File.release()) != 0)
    return std::unexpected(cannotWrite(errno));
  auto Taken = readTextFile(part());
  if (!Taken)
    return std::unexpected(Taken.error());
  // Passes over flushed data are no workloads of a roofline: a line takes what its pass is long.
  std::string Kept;
  for (const auto Line : std::views::split(*Taken, '\n')) {
    const std::string_view Row(Line.begin(), Line.end());
    if (!Row.empty() && !Row.substr(0, Row.find(',')).contains(FlushedName))
      Kept.append(Row) += '\n';
  }
  if (auto Written = writeTextFile(Path, Kept); !Written)
    return std::unexpected(Written.error());
  std::error_code Ignored; // a file that stays holds the same samples
  std::filesystem::remove(part(), Ignored);
  return Path;
}

} // namespace ergon
