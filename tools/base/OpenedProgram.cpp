//===- OpenedProgram.cpp - an entry that a command asks about -------------===//

#include "tools/base/OpenedProgram.h"
#include "predict/store/RunStore.h"
#include "tools/base/ProgramArguments.h"
#include "tools/base/RateOptions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ergon {

/// Says which runs answer, where they are not those of the arguments.
static void noticeOfRuns(const ProgramRuns &Chosen, bool IsFitted) {
  if (Chosen.AreSame || Chosen.Others.empty())
    return;
  if (!Chosen.Arguments)
    return printNotice("the runs had different arguments: say with --args which are meant");
  printNotice(fmt::format("no run had the arguments \"{}\", but {}: {}",
                          fmt::join(Chosen.Arguments->Line.Words, " "), Chosen.Others,
                          IsFitted ? "what they counted is fitted to these"
                                   : "their values stand for what depends on arguments"));
}

void OpenedProgram::noticeOfFits() const {
  const Runs &Counted = Records->records().store().runs();
  static constexpr std::size_t MaxShown = 5;
  std::size_t Shown = 0;
  for (const std::string &Fit : Counted.fits())
    if (Shown++ < MaxShown)
      printNotice(Fit);
  if (Shown > MaxShown)
    printNotice(fmt::format("{} more values are fitted", Shown - MaxShown));
}

std::expected<OpenedProgram, Error> openProgram(PredictOptions Options, bool WithLines) {
  OpenedProgram Result;
  auto Rates = readRates(Options.Rates);
  if (!Rates)
    return std::unexpected(Rates.error());
  Result.Rates = std::move(*Rates);
  FunctionQuery &Wanted = Result.Wanted = Options.Entry;
  if (Wanted.Entry.empty())
    Wanted.Entry = "main";
  ProgramRuns Chosen{.Paths = Options.Entry.Runs, .Arguments = std::nullopt};
  if (Options.Arguments)
    Chosen.Arguments = ProgramArguments::given(*Options.Arguments);
  const bool IsProgram = Wanted.Entry == "main" && !Options.Entry.Runs.empty();
  if (IsProgram) {
    auto Found = runsOf(Options.Entry.Runs, std::move(Chosen.Arguments));
    if (!Found)
      return std::unexpected(Found.error());
    Chosen = std::move(*Found);
    Options.Entry.Runs = Chosen.Paths;
    if (Chosen.Arguments && !Chosen.AreSame)
      Options.Entry.Arguments = Chosen.Arguments->Line.Words;
  }
  auto Records = openPredictor(Options, WithLines);
  if (!Records)
    return std::unexpected(Records.error());
  Result.Records = *Records;
  const Runs &Counted = Result.Records->records().store().runs();
  if (IsProgram)
    noticeOfRuns(Chosen, Counted.isFitted());
  Wanted.AsRun = IsProgram && Options.Sets.empty() && (Chosen.AreSame || Counted.isFitted());
  auto Entry = openEntry(*Result.Records, Wanted, Options.Sets);
  if (!Entry)
    return std::unexpected(Entry.error());
  Result.Entry = *Entry;
  if (const auto Threads = Wanted.AsRun ? Counted.threads() : std::nullopt) {
    GivenValue Value("omp.threads", *Threads);
    Value.IsOptional = true;
    Result.Entry->set(std::move(Value));
  }
  const Function &Main = Result.Entry->function();
  if (Chosen.Arguments && (Options.Arguments || Main.Parameters.size() >= 2)) {
    auto Bad = setArguments(*Chosen.Arguments, *Result.Entry);
    if (Bad && !Wanted.AsRun) // a run has other ways to read its arguments
      return std::unexpected(*Bad);
  }
  if (Wanted.Entry != "main" && !Main.IsKernel && !Main.Code.empty())
    setValuesFromCode(*Result.Entry);
  return Result;
}

} // namespace ergon
