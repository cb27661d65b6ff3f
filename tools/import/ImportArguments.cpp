//===- ImportArguments.cpp - options of ergon import ----------------------===//

#include "formats/import/LogNumbers.h"
#include "formats/import/LogText.h"
#include "model/machine/CostClass.h"
#include "model/machine/PlausibleRanges.h"
#include "model/symbolic/Wording.h"
#include "tools/base/ClocksText.h"
#include "tools/import/Import.h"

namespace ergon {

/// `2.5s`, `100 ms`, `2.5`: seconds; nothing of an empty text. Error: it is no time.
static std::expected<std::optional<double>, Error> seconds(const std::string &Text,
                                                           const char *Option, bool MayBeZero) {
  if (Text.empty())
    return std::nullopt;
  const LogNumber Number = readNumber(Text);
  const auto Size = Number.Unit.empty() ? 1 : unitSize(Number.Unit, LogQuantity::Time);
  if (!Number.Value || !Size || (!MayBeZero && *Number.Value <= 0))
    return std::unexpected(
        Error{inQuotes(Text) + " is no time", "", "write for example 2.5s or 100ms", Option});
  return *Number.Value * *Size;
}

/// `NAME=VALUE` at the last equals sign.
static std::pair<std::string, std::string> split(const std::string &Text) {
  const std::size_t Equals = Text.rfind('=');
  return {Text.substr(0, Equals), Equals == std::string::npos ? "" : Text.substr(Equals + 1)};
}

std::expected<ImportArguments, Error> readImportArguments(const ImportCommandOptions &Options) {
  ImportArguments Result;
  Result.Reading.Workload = Options.Workload;
  Result.Joining.Device = Options.Gpu;
  Result.Joining.KeepsBlank = Options.KeepsBlank;
  if (!Options.Columns.empty()) {
    const auto Names = csvCells(Options.Columns);
    if (!Names)
      return std::unexpected(Error{"is no list of names", "",
                                   "write for example timestamp,power.draw,clocks.sm,clocks.mem",
                                   "--columns"});
    Result.Reading.Columns = *Names;
  }
  for (auto [Text, Option, Target, MayBeZero] :
       {std::tuple{&Options.Period, "--period", &Result.Reading.PeriodS, false},
        std::tuple{&Options.Time, "--time", &Result.Reading.TimeS, false},
        std::tuple{&Options.Offset, "--offset", &Result.Joining.OffsetS, true}}) {
    const auto Read = seconds(*Text, Option, MayBeZero);
    if (!Read)
      return std::unexpected(Read.error());
    *Target = *Read;
  }
  if (!Options.At.empty()) {
    const auto Given = parseClocks(Options.At);
    if (!Given)
      return std::unexpected(Error{inQuotes(Options.At) + " is no setting", "",
                                   "write core=MHZ,mem=MHZ, or CORE_MHZ/MEM_MHZ", "--at"});
    for (const auto &[Mhz, Most] :
         {std::pair(Given->CoreMhz, MostCoreMhz), {Given->MemMhz, MostMemMhz}})
      if (Mhz && (*Mhz < LeastMhz || *Mhz > Most))
        return std::unexpected(Error{
            shortNumber(*Mhz) + " MHz is no clock", "",
            "write it in MHz, from " + shortNumber(LeastMhz) + " to " + shortNumber(Most), "--at"});
    Result.Joining.CoreMhz = Given->CoreMhz;
    Result.Joining.MemMhz = Given->MemMhz;
  }
  for (const std::string &Text : Options.Taken) {
    auto [Metric, Class] = split(Text);
    if (Class.empty())
      Class = Metric;
    if (!isClassName(Class))
      return std::unexpected(Error{inQuotes(Class) + " cannot name a cost class", "",
                                   "write COUNTER=CLASS; a class has letters, digits and "
                                   "underscores",
                                   "--take"});
    Result.Joining.Taken.push_back({Metric, Class});
  }
  for (const std::string &Text : Options.Counts) {
    const auto [Class, Value] = split(Text);
    const LogNumber Number = readNumber(Value);
    if (!isClassName(Class) || !Number.Value || !Number.Unit.empty() || *Number.Value < 0)
      return std::unexpected(Error{inQuotes(Text) + " is no count of a class", "",
                                   "write CLASS=NUMBER, such as flops_f32=2e9", "--count"});
    Result.Joining.Counts.push_back({Class, *Number.Value, {}});
  }
  return Result;
}

} // namespace ergon
