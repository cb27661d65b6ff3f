//===- CommandReport.cpp - ergon report -----------------------------------===//

#include "formats/json/TextFile.h"
#include "predict/source/SourceFiles.h"
#include "report/output/Collect.h"
#include "report/output/Page.h"
#include "report/output/StaticReport.h"
#include "tools/base/Opened.h"
#include "tools/base/OwnMachine.h"
#include "tools/report/ReportRuns.h"

namespace ergon {

/// Reports files without visible lines, and why. Returns whether there is one.
static bool complainOf(const std::vector<ReportSource> &Sources) {
  bool Any = false;
  for (const ReportSource &Source : Sources) {
    if (Source.State == "ok")
      continue;
    // Files that are hidden on purpose are no bad input.
    Any |= Source.State == "changed" || Source.State == "missing" || Source.State == "not UTF-8";
    const auto State = sourceState(Source.State);
    const auto [Why, Fix] = State ? remedy(*State) : SourceRemedy{"it is not UTF-8", ""};
    complain({std::string(Why) + ", so it is not shown", "", std::string(Fix), Source.Path});
  }
  return Any;
}

static std::expected<void, Error> writePage(const ReportData &Data, const std::string &Output) {
  auto Page = makePage(Data);
  return Page ? writeTextFile(Output, *Page) : std::unexpected(Page.error());
}

/// The names and values of `--set`, as texts: the page's fields show them.
static std::expected<std::map<std::string, std::string>, Error>
readFields(const std::vector<std::string> &Sets) {
  std::map<std::string, std::string> Result;
  for (const std::string &Set : Sets) {
    const std::size_t Equals = Set.rfind('=');
    if (Equals == std::string::npos || Equals == 0 || Equals + 1 == Set.size())
      return std::unexpected(Error{"not NAME=VALUE", "",
                                   "write for example --set n=4096 or --set n=1000..2000",
                                   "--set " + Set});
    if (!Result.emplace(Set.substr(0, Equals), Set.substr(Equals + 1)).second)
      return std::unexpected(
          Error{"the name is given twice", "", "give each name once", "--set " + Set});
  }
  return Result;
}

static std::expected<ReportData, Error> collect(const ReportOptions &Options) {
  auto Records = openRecords(Options.Entry, Detail::All);
  if (!Records)
    return std::unexpected(Records.error());
  auto Fields = readFields(Options.Sets);
  if (!Fields)
    return std::unexpected(Fields.error());
  auto Data = collectReport({Options.Entry, Options.Entries, std::move(*Fields), Options.Machines,
                             Options.Machines.empty() ? machineOrOwn("") : "",
                             Options.Entry.Libraries, Options.SourceRoots, Options.IsStrict},
                            (*Records)->store());
  if (Data)
    if (auto Added = addRuns(Options, *Data); !Added)
      return std::unexpected(Added.error());
  return Data;
}

int runReport(const ReportOptions &Options) {
  auto Data = collect(Options);
  if (!Data)
    return complain(Data.error());
  const std::vector<ReportSource> Sources = Data->Sources;
  auto Written = Options.IsStatic ? writeStaticReport(std::move(*Data), Options.Output, printNotice)
                                  : writePage(*Data, Options.Output);
  if (!Written)
    return complain(Written.error());
  return complainOf(Sources) ? BadInput : Done;
}

} // namespace ergon
