//===- CommandTop.cpp - ergon top -----------------------------------------===//

#include "predict/profile/ProgramProfile.h"
#include "predict/text/Text.h"
#include "tools/base/OpenedProgram.h"
#include "tools/top/TopView.h"
#include "tools/view/MeasuredView.h"

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

/// Whether all that lacks a value is a formula that is too large, which the calls are evaluated for
/// one by one.
static bool lacksOnlyFormulas(const PredictionDocument &Document) {
  return std::ranges::all_of(Document.Counts.Unbound, [](const std::string &Symbol) {
    return Symbol.starts_with("formula:");
  });
}

int runTop(const TopOptions &Options) {
  auto Opened = openProgram(Options, /*WithLines=*/true);
  if (!Opened)
    return complain(Opened.error());
  auto Document = Opened->answer(Options.Strict);
  if (!Document)
    return complain(Document.error());
  if (!lacksOnlyFormulas(*Document))
    return reportUnbound(Document->Function, Document->Unknowns);
  Opened->noticeOfFits();
  const Function &Main = Opened->Entry->function();
  CountedRecords &Records = Opened->Records->records();
  const PredictionTarget &Target = Opened->Records->target();
  const ProgramProfile Profile = profileOf(
      Main, Opened->Entry->lookup(), std::move(*Document), Target.M ? &*Target.M : nullptr,
      {readBy(Options.By), Target.Scope, Options.Folded, Target.Measured});
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
    TopTitle Title;
    Title.Program = fileName(Main.Location.File) + (Main.Location.File.empty() ? "" : ": ") +
                    Profile.Whole.Function;
    if (Options.Arguments && !Options.Arguments->empty())
      Title.Program += " " + *Options.Arguments;
    if (const std::string Given = names(Profile.Whole.Bindings, Profile.Whole.Bounds);
        !Given.empty() && Options.Sets.size())
      Title.Program += " with " + Given;
    Title.Directory = Records.store().refOf(Opened->Entry->recorded()).File->unit().Directory;
    printTop(Profile, Title);
  }
  return Done;
}

} // namespace ergon
