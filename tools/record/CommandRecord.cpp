//===- CommandRecord.cpp - ergon record -----------------------------------===//
//
// Runs a build with the plugin in every clang and flang of it: clang's driver reads
// CCC_OVERRIDE_OPTIONS, flang's FCC_OVERRIDE_OPTIONS, and the plugin reads ERGON_DIR,
// so no build file changes. Or runs the compilers that a compilation database lists.
//
//===----------------------------------------------------------------------===//

#include "formats/json/FileName.h"
#include "formats/record/DraftFile.h"
#include "formats/record/RecordFormat.h"
#include "predict/store/ParsedFile.h"
#include "tools/base/ChildProcess.h"
#include "tools/base/Commands.h"
#include "tools/base/Measuring.h"
#include "tools/record/CompileCommands.h"
#include "tools/record/LostRecords.h"
#include "tools/record/ObjectCache.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>
#include <unistd.h>

namespace fs = std::filesystem;

namespace ergon {

/// Words of the build that name a compiler: the command itself, CC=… and CXX=…
/// among its arguments and in the environment.
static std::set<std::string> compilersNamed(const RecordOptions &Options) {
  std::set<std::string> Result;
  auto Add = [&](std::string_view Word) {
    std::string Program(Word.substr(0, Word.find(' ')));
    if (fs::path(Program).filename().native().starts_with("clang") &&
        Program.find('\'') == std::string::npos)
      Result.insert(Program);
  };
  Add(Options.Command[0]);
  for (const char *Variable : {"CC", "CXX"})
    if (const char *Value = std::getenv(Variable))
      Add(Value);
  for (std::string_view Word : Options.Command)
    for (std::string_view Prefix : {"CC=", "CXX=", "-DCMAKE_C_COMPILER=", "-DCMAKE_CXX_COMPILER="})
      if (Word.starts_with(Prefix))
        Add(Word.substr(Prefix.size()));
  return Result;
}

/// An error where a compiler that the build names is a clang of another version.
static std::optional<Error> wrongCompiler(const RecordOptions &Options) {
  for (const std::string &Compiler : compilersNamed(Options)) {
    const auto Version = llvmVersion(Compiler);
    if (Version && *Version != SupportedVersion)
      return Error{
          fmt::format("it is clang {}, and the plugin is for clang {}", *Version, SupportedVersion),
          "", fmt::format("build with clang-{0} (CC=clang-{0} CXX=clang++-{0})", SupportedVersion),
          Compiler};
  }
  return std::nullopt;
}

static bool isRecord(const fs::path &File) {
  return std::string_view(File.native()).ends_with(RecordSuffix);
}

/// Adds \p Override to what a driver makes of its command line.
static void addOverride(const char *Variable, const std::string &Override) {
  const char *Before = std::getenv(Variable);
  const std::string First = Before && *Before ? Before : "#"; // # keeps clang from printing each
  setenv(Variable, (First + " " + Override).c_str(), 1);
}

/// The plugin of clang itself, which gives builds without -g their names and lines.
static fs::path debugInfoPlugin(const fs::path &Plugin) {
  return Plugin.parent_path() / "ErgonDebugInfo.so";
}

static void setEnvironment(const std::string &Plugin, const RecordOptions &Options,
                           const fs::path &Directory) {
  for (const char *Variable : {"CCC_OVERRIDE_OPTIONS", "FCC_OVERRIDE_OPTIONS"})
    addOverride(Variable, "+-fpass-plugin=" + Plugin);
  if (const fs::path Names = debugInfoPlugin(Plugin); fs::exists(Names))
    addOverride("CCC_OVERRIDE_OPTIONS", "+-fplugin=" + Names.native());
  else
    fmt::print(stderr,
               "ergon: {} is not there: records of what is compiled without -g have no "
               "names of their own\n",
               Names.native());
  setenv("ERGON_DIR", Directory.c_str(), 1);
  if (!Options.Snapshots.empty())
    setenv("ERGON_SNAPSHOTS", Options.Snapshots.c_str(), 1);
  if (Options.Instrument)
    setenv("ERGON_INSTRUMENT", "1", 1);
}

/// Settings that records depend on, beside the plugin and the cache's own inputs.
static std::string settingsOf(const RecordOptions &Options) {
  std::string Result =
      fmt::format("snapshots {}\ninstrument {}\n", Options.Snapshots, Options.Instrument ? 1 : 0);
  for (const char *Variable : {"CCC_OVERRIDE_OPTIONS", "FCC_OVERRIDE_OPTIONS"})
    if (const char *Before = std::getenv(Variable))
      Result += fmt::format("{} {}\n", Variable, Before);
  return Result;
}

/// Compiler checks of a configure step, whose folder or source is removed during the build.
static bool isLeftOut(const Unit &U) {
  const fs::path Directory = nameOfText(U.Directory), Source = Directory / nameOfText(U.Source);
  const std::string_view Name = Source.native();
  if ((Name.contains("/CMakeFiles/") && Name.contains("/CompilerId")) ||
      Name.contains("/meson-private/"))
    return true;
  // Standard input has no file, and flang without -g does not say which one it was.
  const bool IsFile =
      U.Source != "-" && !U.Source.starts_with('<') && !U.Source.starts_with("Fortran unit of ");
  std::error_code Ignored;
  return IsFile && !(fs::exists(Directory, Ignored) && fs::exists(Source, Ignored));
}

namespace {
struct OwnRecords {
  std::size_t New = 0;           ///< and kept
  std::vector<BuildNote> Broken; ///< what cannot be read
};
} // namespace

/// Removes and reports such records.
static OwnRecords keepOwn(const std::vector<fs::path> &Records) {
  OwnRecords Result{Records.size(), {}};
  std::vector<std::string> Gone;
  for (const fs::path &P : Records) {
    auto Text = readTextFile(P);
    auto Record = Text ? RecordFile::open(std::move(*Text), P) : std::unexpected(Text.error());
    std::error_code Ignored;
    if (!Record)
      Result.Broken.push_back({BuildNote::Event::Lost, P.filename(), "", "", Record.error().What});
    else if (isLeftOut(Record->unit()) && fs::remove(P, Ignored))
      Gone.push_back(fs::path(Record->unit().Directory) / Record->unit().Source);
  }
  const bool IsOne = Gone.size() == 1;
  if (!Gone.empty())
    fmt::print(
        stderr,
        "ergon: {} record{} of checks of the configuration, and of folders that are gone, {} "
        "left out: {}{}\n",
        Gone.size(), IsOne ? "" : "s", IsOne ? "is" : "are", Gone[0], IsOne ? "" : ", …");
  Result.New -= Gone.size() + Result.Broken.size();
  return Result;
}

/// Reports lost records; false where one is lost.
static bool tellLost(std::vector<BuildNote> Lost) {
  std::erase_if(Lost, [](const BuildNote &Note) {
    return !Note.Source.empty() && isLeftOut({Note.Source, "", Note.Directory, "", "", {}});
  });
  for (const BuildNote &BN : Lost)
    complain({"its cost record is lost: " + BN.Why, "", "mend that and compile the file again",
              BN.Source.empty()
                  ? BN.Record
                  : (fs::path(BN.Directory) / BN.Source).lexically_normal().native()});
  return Lost.empty();
}

/// Reports records that an object cache withheld from this build.
static int tellOf(const CacheOutcome &Cache) {
  for (const CachedCompilation &Compilation : Cache.Lost)
    complain({"ccache had the object file and no record of it", "",
              "set CCACHE_RECACHE=1, clean and build again: that compiles it once more",
              (fs::path(Compilation.Directory) / Compilation.Source).lexically_normal()});
  if (!Cache.NotKept.empty())
    fmt::print(stderr,
               "ergon: {}: {} record{} cannot be kept there: the next build that takes the object "
               "files from ccache will miss them\n",
               Cache.NotKept[0].CacheDirectory, Cache.NotKept.size(),
               Cache.NotKept.size() == 1 ? "" : "s");
  return Cache.Lost.empty() ? Done : BadInput;
}

/// Runs the build; its exit status, or BadInput where records are lost.
static std::expected<int, Error> build(const RecordOptions &Options, const std::string &Plugin,
                                       const fs::path &Directory) {
  auto Cache = ObjectCache::open(Plugin, settingsOf(Options));
  if (!Cache)
    return std::unexpected(Cache.error());
  setEnvironment(Plugin, Options, Directory);
  auto Status = statusOf(Options.Command);
  if (!Status)
    return Status;
  const int Told = tellOf(Cache->finish(Directory));
  return *Status ? *Status : Told;
}

/// The same for what a compilation database lists.
static std::expected<int, Error> compile(const RecordOptions &Options, const std::string &Plugin,
                                         const fs::path &Directory) {
  auto Read = parseFile(Options.CompileCommands, parseCompilations);
  if (!Read)
    return std::unexpected(Read.error());
  setEnvironment(Plugin, Options, Directory);
  auto Failed = compileAll(*Read, Options.Jobs);
  if (!Failed) {
    Failed.error().File = Options.CompileCommands;
    return std::unexpected(Failed.error());
  }
  if (StopWhenAsked::asked()) {
    fmt::print(stderr, "ergon: interrupted\n");
    return 128 + SIGINT; // as a build that is interrupted
  }
  if (*Failed)
    fmt::print(stderr, "ergon: {}: {} of {} compilations failed\n", Options.CompileCommands,
               *Failed, Read->size());
  return *Failed ? BadInput : Done;
}

static std::string whyNone(const RecordOptions &Options, int Status, bool Dropped) {
  if (!Options.CompileCommands.empty())
    return "no record was written";
  if (Dropped)
    return "the build wrote no record of code that is still there";
  if (Status)
    return fmt::format("the build failed (exit status {}) and wrote no record", Status);
  return "the build wrote no record";
}

int runRecord(const RecordOptions &Options) {
  if (Options.Command.empty() == Options.CompileCommands.empty())
    return complain(
        {"COMMAND is required", "", "give it after --, or --compile-commands FILE", ""});
  if (!Options.CompileCommands.empty() && Options.Instrument)
    return complain({"--instrument is for programs that are built", "",
                     "give the build command after --, in the place of --compile-commands", ""});
  std::string Plugin = libraryPath(Options.Plugin, "ERGON_PLUGIN", "ErgonPasses.so");
  if (access(Plugin.c_str(), R_OK) != 0)
    return complain(
        {"the plugin is not there", "", "build ErgonPasses, or give --plugin FILE", Plugin});
  std::error_code Ignored;
  Plugin = fs::absolute(Plugin, Ignored); // compilers run in other folders
  if (Plugin.find(' ') != std::string::npos)
    return complain({"clang's override options cannot hold a path with a space", "",
                     "put the plugin into a folder without one, or give --plugin FILE", Plugin});
  if (!Options.Command.empty())
    if (auto Wrong = wrongCompiler(Options))
      return complain(*Wrong);
  auto Directory = openFolder(Options.Directory);
  if (!Directory)
    return complain(Directory.error());
  auto Notes = BuildNotes::open();
  if (!Notes)
    return complain(Notes.error());
  removeLeftDrafts(*Directory);
  const WrittenFiles Records(*Directory, isRecord);
  auto Status = (Options.Command.empty() ? compile : build)(Options, Plugin, *Directory);
  if (!Status)
    return complain(Status.error());
  auto Lost = lostRecords((*Notes)->end(), *Directory);
  removeLeftDrafts(*Directory); // of compilers that were killed
  const auto Written = Records.written();
  auto [New, Broken] = keepOwn(Written);
  std::ranges::move(Broken, std::back_inserter(Lost));
  const bool IsWhole = tellLost(std::move(Lost));
  const std::size_t All = Records.count();
  if (All == 0 && IsWhole)
    return complain({whyNone(Options, *Status, !Written.empty()), "",
                     fmt::format("only clang {0} writes them: is it the build's compiler "
                                 "(CC=clang-{0}), and was anything left to compile?",
                                 SupportedVersion),
                     Options.Directory});
  fmt::print(stderr, "ergon: {} of {} records in {} are new\n", New, All, Options.Directory);
  // Who interrupts a build knows that it is not whole.
  return IsWhole || *Status == 128 + SIGINT ? *Status : BadInput;
}

} // namespace ergon
