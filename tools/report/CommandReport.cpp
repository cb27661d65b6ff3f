//===- CommandReport.cpp - ergon report -----------------------------------===//

#include "predict/source/SourceFiles.h"
#include "report/output/Collect.h"
#include "report/output/Page.h"
#include "report/output/StaticReport.h"
#include "tools/base/SampleStore.h"

namespace ergon {

/// Says of which files no line is shown, and why. Whether there is one.
static bool complainOf(const std::vector<ReportSource> &Sources) {
  bool Any = false;
  for (const ReportSource &Each : Sources) {
    if (Each.State == "ok")
      continue;
    // What is not shown by intent is no bad input.
    Any |= Each.State == "changed" || Each.State == "missing" || Each.State == "not UTF-8";
    const auto State = sourceState(Each.State);
    const auto [Why, Fix] = State ? remedy(*State) : SourceRemedy{"it is not UTF-8", ""};
    complain({std::string(Why) + ", so it is not shown", "", std::string(Fix), Each.Path});
  }
  return Any;
}

static std::expected<void, Error> writePage(const ReportData &Data, const std::string &Output) {
  auto Page = makePage(Data);
  return Page ? writeTextFile(Output, *Page) : std::unexpected(Page.error());
}

int runReport(const ReportOptions &Options) {
  auto Data = collectReport(Options);
  if (!Data)
    return complain(Data.error());
  const std::vector<ReportSource> Sources = Data->Sources;
  auto Written = Options.IsStatic ? writeStaticReport(std::move(*Data), Options.Output)
                                  : writePage(*Data, Options.Output);
  if (!Written)
    return complain(Written.error());
  return complainOf(Sources) ? BadInput : Done;
}

} // namespace ergon
