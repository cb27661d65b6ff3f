//===- CommandRecord.cpp - ergon record -----------------------------------===//
//
// Runs a build with the plugin in every clang and flang of it: clang's driver reads
// CCC_OVERRIDE_OPTIONS, flang's FCC_OVERRIDE_OPTIONS, and the plugin reads ERGON_DIR,
// so no build file changes.
//
//===----------------------------------------------------------------------===//

#include "formats/RecordFormat.h"
#include "tools/ChildProcess.h"
#include "tools/Commands.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <unistd.h>

namespace fs = std::filesystem;

namespace ergon {

static constexpr const char *SupportedVersion = "22";

/// What the command prints on its standard output.
static std::string outputOf(const std::string &Command) {
  std::string Result;
  if (FILE *Pipe = popen(Command.c_str(), "r")) {
    char Buffer[256];
    while (std::size_t Read = fread(Buffer, 1, sizeof Buffer, Pipe))
      Result.append(Buffer, Read);
    pclose(Pipe);
  }
  return Result;
}

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
    std::string Output = outputOf("'" + Compiler + "' --version 2>/dev/null");
    std::size_t At = Output.find("clang version ");
    if (At == std::string::npos)
      continue;
    std::string Version = Output.substr(At + std::strlen("clang version "));
    Version = Version.substr(0, Version.find_first_of(".\n "));
    if (Version != SupportedVersion)
      return Error{
          fmt::format("it is clang {}, and the plugin is for clang {}", Version, SupportedVersion),
          "", fmt::format("build with clang-{0} (CC=clang-{0} CXX=clang++-{0})", SupportedVersion),
          Compiler};
  }
  return std::nullopt;
}

static bool isRecord(const fs::path &File) {
  return std::string_view(File.native()).ends_with(RecordSuffix);
}

static void setEnvironment(const std::string &Plugin, const RecordOptions &Options,
                           const fs::path &Directory) {
  for (const char *Variable : {"CCC_OVERRIDE_OPTIONS", "FCC_OVERRIDE_OPTIONS"}) {
    const char *Before = std::getenv(Variable);
    std::string Override = Before && *Before ? Before : "#"; // # keeps clang from printing each
    setenv(Variable, (Override + " +-fpass-plugin=" + Plugin).c_str(), 1);
  }
  setenv("ERGON_DIR", Directory.c_str(), 1);
  if (!Options.Snapshots.empty())
    setenv("ERGON_SNAPSHOTS", Options.Snapshots.c_str(), 1);
  if (Options.Instrument)
    setenv("ERGON_INSTRUMENT", "1", 1);
}

int runRecord(const RecordOptions &Options) {
  std::string Plugin = libraryPath(Options.Plugin, "ERGON_PLUGIN", "ErgonPasses.so");
  if (access(Plugin.c_str(), R_OK) != 0)
    return complain(
        {"the plugin is not there", "", "build ErgonPasses, or give --plugin FILE", Plugin});
  if (Plugin.find(' ') != std::string::npos)
    return complain({"clang's override options cannot hold a path with a space", "",
                     "put the plugin into a folder without one, or give --plugin FILE", Plugin});
  if (auto Wrong = wrongCompiler(Options))
    return complain(*Wrong);
  auto Directory = openFolder(Options.Directory);
  if (!Directory)
    return complain(Directory.error());
  setEnvironment(Plugin, Options, *Directory);
  auto Ran = runCommand(Options.Command, *Directory, isRecord);
  if (!Ran)
    return complain(Ran.error());
  if (Ran->All == 0)
    return complain({Ran->Status == 0
                         ? "the build wrote no record"
                         : fmt::format("the build failed (exit status {}) and wrote no "
                                       "record",
                                       Ran->Status),
                     "",
                     fmt::format("only clang {0} writes them: is it the build's compiler "
                                 "(CC=clang-{0}), and was anything left to compile?",
                                 SupportedVersion),
                     Options.Directory});
  fmt::print(stderr, "ergon: {} of {} records in {} are new\n", Ran->New, Ran->All,
             Options.Directory);
  return Ran->Status;
}

} // namespace ergon
