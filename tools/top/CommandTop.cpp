//===- CommandTop.cpp - ergon top -----------------------------------------===//

#include "predict/profile/ProgramProfile.h"
#include "predict/text/Text.h"
#include "tools/base/Opened.h"
#include "tools/base/ProgramArguments.h"
#include "tools/top/TopView.h"

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
  auto Opened = openPredictor(Options);
  if (!Opened)
    return complain(Opened.error());
  FunctionQuery Wanted = Options.Entry;
  if (Wanted.Entry.empty())
    Wanted.Entry = "main";
  auto Entry = openEntry(**Opened, Wanted, Options.Sets);
  if (!Entry)
    return complain(Entry.error());
  if (auto Bad = setArguments(Options.Arguments, **Entry))
    return complain(*Bad);
  auto Document = Options.Strict ? (*Entry)->predict() : (*Entry)->estimate();
  if (!Document)
    return complain(Document.error());
  if (!lacksOnlyFormulas(*Document))
    return reportUnbound(Document->Function, Document->Unknowns);
  const Function &Main = (*Entry)->function();
  const auto &M = (*Opened)->target().M;
  std::optional<Error> Failure;
  const ProgramProfile Profile =
      profileOf(Main, (*Opened)->records().lookup(Failure), std::move(*Document), M ? &*M : nullptr,
                {readBy(Options.By), (*Opened)->target().Scope, Options.Folded});
  if (Failure)
    return complain(*Failure);
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
    Title.Directory = (*Opened)->records().store().refOf(Main).File->unit().Directory;
    printTop(Profile, Title);
  }
  return Done;
}

} // namespace ergon
