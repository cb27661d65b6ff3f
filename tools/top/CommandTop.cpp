//===- CommandTop.cpp - ergon top -----------------------------------------===//

#include "predict/profile/ProgramProfile.h"
#include "predict/text/Text.h"
#include "tools/base/OpenedProgram.h"
#include "tools/base/Terminal.h"
#include "tools/lint/AdviceSources.h"
#include "tools/view/MeasuredView.h"
#include "tools/view/RunView.h"

#include <fmt/format.h>

#include <algorithm>

namespace ergon {

static ProfileBy readBy(const std::string &Text) {
  for (ProfileBy By : {ProfileBy::Line, ProfileBy::Loop, ProfileBy::Kernel})
    if (Text == name(By))
      return By;
  return ProfileBy::Function;
}

/// The last part of a path.
static std::string fileName(std::string_view Path) {
  return std::string(Path.substr(Path.rfind('/') + 1));
}

/// The table between the headline and the notes: as many rows as a screen has room for.
static void printProfile(const ProgramProfile &Profile, const RunTitle &Title, bool IsVerbose) {
  static constexpr std::size_t MostRows = 20, FewestRows = 3, Around = 4; // heads, others, blank
  const bool Colored = useColor(stdout);
  const TextLines Head = headLines(Profile, Title, Colored);
  const TextLines Notes = noteLines(Profile, Title, IsVerbose);
  const std::size_t Used = Head.size() + Notes.size() + Around;
  const std::size_t Rows =
      IsVerbose ? MostRows : std::max(FewestRows, ScreenLines - std::min(ScreenLines, Used));
  printLines(Head);
  printLines(rowLines(Profile, Title,
                      {.Name = Profile.By == ProfileBy::Line ? "line of" : "function"}, Rows,
                      Colored));
  fmt::print("\n");
  printLines(Notes);
}

int runTop(const TopOptions &Options) {
  auto Opened = openProgram(Options, /*WithLines=*/true);
  if (!Opened)
    return complain(Opened.error());
  auto Document = Opened->answer(Options.Strict);
  if (!Document)
    return complain(Document.error());
  if (!neededFor(*Document).empty())
    return reportUnbound(Document->Function, Document->Unknowns);
  Opened->noticeOfFits();
  const Function &Main = Opened->Entry->function();
  CountedRecords &Records = Opened->Records->records();
  const PredictionTarget &Target = Opened->Records->target();
  const bool IsTable = Options.Csv || Options.Folded;
  ProgramProfile Profile = profileOf(Main, Opened->Entry->lookup(), std::move(*Document),
                                     Target.M ? &*Target.M : nullptr,
                                     {.By = readBy(Options.By),
                                      .Scope = Target.Scope,
                                      .WithStacks = Options.Folded,
                                      .Measured = Target.Measured,
                                      .Advice = IsTable ? nullptr : &Records.store()});
  readSources(Profile.Advised, {});
  if (!Target.Measured.empty() && Profile.Whole.Measured.empty())
    return complain(noTimeToCorrect(*Target.M));
  if (Opened->Entry->failure())
    return complain(*Opened->Entry->failure());
  noticeDoubts(Profile.Whole.Measured);
  if (Options.Json)
    fmt::print("{}", writeProfile(Profile));
  else if (Options.Csv)
    fmt::print("{}", writeProfileCsv(Profile));
  else if (Options.Folded)
    fmt::print("{}", writeFolded(Profile));
  else {
    RunTitle Title;
    Title.Program = fileName(Main.Location.File) + (Main.Location.File.empty() ? "" : ": ") +
                    Profile.Whole.Function;
    if (Options.Arguments && !Options.Arguments->empty())
      Title.Program += " " + *Options.Arguments;
    if (const std::string Given = names(Profile.Whole.Bindings, Profile.Whole.Bounds);
        !Given.empty() && Options.Sets.size())
      Title.Program += " with " + Given;
    Title.Directory = Records.store().refOf(Opened->Entry->recorded()).File->unit().Directory;
    printProfile(Profile, Title, Options.Verbose);
  }
  return Done;
}

} // namespace ergon
