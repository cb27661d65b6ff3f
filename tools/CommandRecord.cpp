//===- CommandRecord.cpp - ergon record -----------------------------------===//
//
// Runs a build with the plugin in every clang and flang of it: clang's driver reads
// CCC_OVERRIDE_OPTIONS, flang's FCC_OVERRIDE_OPTIONS, and the plugin reads ERGON_DIR,
// so no build file changes.
//
//===----------------------------------------------------------------------===//

#include "formats/RecordFormat.h"
#include "tools/Commands.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace ergon {

static constexpr const char *SupportedVersion = "22";

static std::string pluginPath(const RecordOptions &Options) {
  if (!Options.Plugin.empty())
    return Options.Plugin;
  if (const char *Set = std::getenv("ERGON_PLUGIN"); Set && *Set)
    return Set;
  std::error_code Failed;
  fs::path Beside =
      fs::read_symlink("/proc/self/exe", Failed).parent_path() / ".." / "lib" / "ErgonPasses.so";
  return Beside.lexically_normal();
}

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

/// When each record of the folder was written.
static std::map<fs::path, fs::file_time_type> recordsIn(const std::string &Directory) {
  std::map<fs::path, fs::file_time_type> Result;
  std::error_code Failed;
  for (fs::directory_iterator File(Directory, Failed), End; !Failed && File != End;
       File.increment(Failed))
    if (std::string_view(File->path().native()).ends_with(RecordSuffix))
      Result[File->path()] = fs::last_write_time(File->path(), Failed);
  return Result;
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
}

/// The command's exit status, 128 + N where signal N ended it, or an error where
/// it could not be started.
static std::expected<int, Error> runCommand(const std::vector<std::string> &Command) {
  std::vector<char *> Words;
  for (const std::string &Word : Command)
    Words.push_back(const_cast<char *>(Word.c_str()));
  Words.push_back(nullptr);
  int Report[2]; // closes on exec; carries errno where exec fails
  if (pipe2(Report, O_CLOEXEC) != 0)
    return std::unexpected(Error{std::strerror(errno), "", "try again", Command[0]});
  pid_t Child = fork();
  if (Child == 0) {
    execvp(Words[0], Words.data());
    int Why = errno;
    [[maybe_unused]] ssize_t Written = write(Report[1], &Why, sizeof Why);
    _exit(127);
  }
  close(Report[1]);
  int Why = 0;
  bool Failed = Child < 0 || read(Report[0], &Why, sizeof Why) > 0;
  close(Report[0]);
  int Status = 0;
  if (Child > 0)
    waitpid(Child, &Status, 0);
  if (Failed)
    return std::unexpected(Error{"the build command cannot be run: " +
                                     std::string(std::strerror(Child < 0 ? errno : Why)),
                                 "", "give the command after --, as in: -- make -j2", Command[0]});
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : 128 + WTERMSIG(Status);
}

int runRecord(const RecordOptions &Options) {
  std::string Plugin = pluginPath(Options);
  if (access(Plugin.c_str(), R_OK) != 0)
    return complain(
        {"the plugin is not there", "", "build ErgonPasses, or give --plugin FILE", Plugin});
  if (Plugin.find(' ') != std::string::npos)
    return complain({"clang's override options cannot hold a path with a space", "",
                     "put the plugin into a folder without one, or give --plugin FILE", Plugin});
  if (auto Wrong = wrongCompiler(Options))
    return complain(*Wrong);
  std::error_code Failed;
  fs::create_directories(Options.Directory, Failed);
  if (Failed || access(Options.Directory.c_str(), W_OK | X_OK) != 0)
    return complain({"no records can be written there: " +
                         (Failed ? Failed.message() : std::string(std::strerror(errno))),
                     "", "give a folder that can be written to", Options.Directory});
  fs::path Directory = fs::canonical(Options.Directory, Failed);
  auto Before = recordsIn(Directory);
  setEnvironment(Plugin, Options, Directory);
  auto Status = runCommand(Options.Command);
  if (!Status)
    return complain(Status.error());
  auto After = recordsIn(Directory);
  if (After.empty())
    return complain({*Status == 0 ? "the build wrote no record"
                                  : fmt::format("the build failed (exit status {}) and wrote no "
                                                "record",
                                                *Status),
                     "",
                     fmt::format("only clang {0} writes them: is it the build's compiler "
                                 "(CC=clang-{0}), and was anything left to compile?",
                                 SupportedVersion),
                     Options.Directory});
  std::size_t New = 0;
  for (const auto &[Path, Time] : After)
    if (auto Old = Before.find(Path); Old == Before.end() || Old->second != Time)
      ++New;
  fmt::print(stderr, "ergon: {} of {} records in {} are new\n", New, After.size(),
             Options.Directory);
  return *Status;
}

} // namespace ergon
