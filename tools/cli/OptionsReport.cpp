//===- OptionsReport.cpp - options of report ------------------------------===//

#include "tools/cli/Options.h"

#include <CLI/CLI.hpp>

namespace ergon {

void addReportCommands(CLI::App &App, int &Status) {
  auto &Result = keep(ReportOptions{});
  CLI::App *Reporter =
      App.add_subcommand("report", "a page that shows what each line costs, and recomputes it");
  addFilters(*Reporter, Result.Entry);
  Reporter
      ->add_option("-o,--output", Result.Output,
                   "the page to write; with --static a folder, or the path of a Markdown file")
      ->required();
  addList(*Reporter, "--entry", Result.Entries,
          "a function to show, as for predict (default: all)");
  addList(*Reporter, "--set", Result.Sets, "NAME=VALUE to begin with");
  addList(*Reporter, "--machine", Result.Machines,
          "a machine to begin with, or a profile's path (default: this machine's); the shipped "
          "ones follow");
  addSourceRoots(*Reporter, Result.SourceRoots);
  addMeasured(*Reporter, Result.Measured);
  Reporter->add_flag("--strict", Result.IsStrict,
                     "estimate nothing: what depends on a symbol without a value has no numbers");
  Reporter->add_flag("--static", Result.IsStatic,
                     "Markdown and SVG plots, for which no browser is needed");
  addExample(*Reporter, "report records --set n=4096 --machine epyc-9654 -o report.html",
             "docs/report.md");
  Reporter->callback([&Result, &Status] { Status = runReport(Result); });
}

} // namespace ergon
