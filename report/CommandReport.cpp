//===- CommandReport.cpp - ergon report -----------------------------------===//

#include "report/Collect.h"
#include "report/Page.h"
#include "report/StaticReport.h"
#include "tools/SampleStore.h"

namespace ergon {

/// Says of which files no line is shown, and why. Whether there is one.
static bool complainOf(const std::vector<ReportSource> &Sources) {
  bool Any = false;
  for (const ReportSource &Each : Sources) {
    if (Each.State == "ok" || Each.State == "unchecked")
      continue;
    Any = true;
    const bool IsChanged = Each.State == "changed";
    complain({IsChanged                 ? "it has changed since it was recorded, so it is not shown"
              : Each.State == "missing" ? "it cannot be read, so it is not shown"
                                        : "it is not UTF-8, so it is not shown",
              "", IsChanged ? "compile it again" : "", Each.Path});
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
