//===- CompileCommands.cpp - recording without a build --------------------===//

#include "tools/record/CompileCommands.h"
#include "tools/base/Measuring.h"
#include "tools/base/TemporaryFolder.h"
#include "tools/base/Terminal.h"
#include "tools/record/CompilerWords.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace fs = std::filesystem;

namespace ergon {

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

std::optional<std::string> llvmVersion(const std::string &Compiler) {
  if (Compiler.contains('\''))
    return std::nullopt;
  const std::string Output = outputOf("'" + Compiler + "' --version 2>/dev/null");
  for (std::string_view Name : {"clang version ", "flang version "})
    if (std::size_t Position = Output.find(Name); Position != std::string::npos) {
      const std::string Version = Output.substr(Position + Name.size());
      return Version.substr(0, Version.find_first_of(".\n "));
    }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Command lines
//===----------------------------------------------------------------------===//

std::string objectOf(const Compilation &C) {
  std::string Result = fs::path(C.File).stem().native() + ".o";
  for (std::size_t I = compilerOf(C) + 1; I < C.Words.size(); ++I) {
    const std::string_view Word = C.Words[I];
    if ((Word == "-o" || Word == "--output") && I + 1 != C.Words.size())
      Result = C.Words[I + 1];
    else if (Word.starts_with("--output="))
      Result = Word.substr(Word.find('=') + 1);
    else if (Word.starts_with("-o") && !Word.starts_with("-obj"))
      Result = Word.substr(2);
  }
  return Result;
}

Compilation compilationInto(const Compilation &C, const std::string &Object) {
  Compilation Result{C.Directory, C.File, {}};
  for (std::size_t I = compilerOf(C); I < C.Words.size();)
    if (const std::size_t Left = outputWords(C.Words, I)) {
      I += Left;
    } else {
      // What follows these is theirs, whatever it looks like.
      const bool IsPair = C.Words[I].starts_with("-X") || C.Words[I] == "-mllvm";
      for (std::size_t End = std::min(C.Words.size(), I + 1 + IsPair); I != End; ++I)
        Result.Words.push_back(C.Words[I]);
    }
  if (std::ranges::find(Result.Words, "-c") == Result.Words.end())
    Result.Words.insert(Result.Words.begin() + 1, "-c");
  Result.Words.insert(Result.Words.begin() + 1, {"-o", Object});
  return Result;
}

//===----------------------------------------------------------------------===//
// Running them
//===----------------------------------------------------------------------===//

/// Those whose compiler is the plugin's, without response files; of the others a line for each
/// compiler, or for each whose files are refused.
static std::vector<Compilation> supported(const std::vector<Compilation> &Compilations,
                                          std::size_t &Refused) {
  std::map<std::string, std::optional<std::string>> Versions;
  std::map<std::string, std::vector<const Compilation *>> Others;
  std::vector<Compilation> Result;
  for (const Compilation &C : Compilations) {
    const std::string &Compiler = C.Words[compilerOf(C)];
    auto [Found, New] = Versions.try_emplace(Compiler);
    // A relative name is of the folder where it is run.
    if (New && isCompiler(Compiler, C.Directory))
      Found->second = llvmVersion(Compiler.contains('/') ? fs::path(C.Directory) / Compiler
                                                         : fs::path(Compiler));
    if (Found->second != SupportedVersion) {
      Others[Compiler].push_back(&C);
      continue;
    }
    if (auto Whole = expandFiles(C)) {
      Result.push_back(std::move(*Whole));
    } else {
      ++Refused;
      fmt::print(stderr, "ergon: {}: {}\n", C.File, Whole.error().line());
    }
  }
  for (const auto &[Compiler, Left] : Others) {
    const auto &Version = Versions[Compiler];
    fmt::print(stderr, "ergon: {} is {}: no record of {} file{} that it compiles, {}{}\n", Compiler,
               Version ? "clang " + *Version : fmt::format("not clang {}", SupportedVersion),
               Left.size(), Left.size() == 1 ? "" : "s", Left[0]->File,
               Left.size() == 1 ? "" : ", …");
  }
  return Result;
}

namespace {
/// Compilations at work, each with a file for what it prints.
class CompilerPool {
public:
  explicit CompilerPool(const fs::path &Folder) : Folder(Folder) {}
  bool start(const Compilation &C);
  /// Waits until one ends, and tells what it printed and whether it failed.
  void wait(ProgressBar &Bar);
  std::size_t running() const { return Running.size(); }
  std::size_t failed() const { return Failures; }

private:
  fs::path Folder;
  std::map<pid_t, std::pair<const Compilation *, fs::path>> Running; ///< path without an ending
  std::size_t Started = 0, Failures = 0;
};
} // namespace

bool CompilerPool::start(const Compilation &C) {
  const fs::path Files = Folder / std::to_string(Started++);
  const Compilation Run = compilationInto(C, Files.native() + ".o");
  const std::string Printed = Files.native() + ".txt", Object = objectOf(C);
  std::vector<char *> Words;
  for (const std::string &Word : Run.Words)
    Words.push_back(const_cast<char *>(Word.c_str()));
  Words.push_back(nullptr);
  const pid_t Child = fork();
  if (Child < 0)
    return false;
  if (Child == 0) {
    const int Result = open(Printed.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(Result, STDOUT_FILENO);
    dup2(Result, STDERR_FILENO);
    setenv("ERGON_OBJECT", Object.c_str(), 1);
    setenv("CCACHE_DISABLE", "1", 1);
    if (chdir(Run.Directory.c_str()) == 0)
      execvp(Words[0], Words.data());
    dprintf(STDERR_FILENO, "%s: %s\n", Run.Directory.c_str(), std::strerror(errno));
    _exit(127);
  }
  Running[Child] = {&C, Files};
  return true;
}

void CompilerPool::wait(ProgressBar &Bar) {
  int Status = 0;
  const pid_t Child = waitpid(-1, &Status, 0);
  const auto Found = Running.find(Child);
  if (Found == Running.end())
    return;
  const auto [C, Files] = Found->second;
  Running.erase(Found);
  const std::string Printed = readTextFile(Files.native() + ".txt").value_or("");
  if (Status != 0 || !Printed.empty())
    Bar.clear();
  fmt::print(stderr, "{}", Printed);
  if (Status != 0 && !StopWhenAsked::asked()) {
    ++Failures;
    fmt::print(stderr, "ergon: {}: {} {}\n", C->File, C->Words[compilerOf(*C)],
               WIFEXITED(Status) ? fmt::format("failed with exit status {}", WEXITSTATUS(Status))
                                 : fmt::format("was ended by signal {}", WTERMSIG(Status)));
  }
  std::error_code Ignored;
  for (const char *Ending : {".o", ".txt"})
    fs::remove(Files.native() + Ending, Ignored);
}

std::expected<std::size_t, Error> compileAll(const std::vector<Compilation> &Compilations,
                                             unsigned Jobs) {
  std::size_t Failed = 0;
  const std::vector<Compilation> Left = supported(Compilations, Failed);
  if (Left.empty() && !Failed)
    return std::unexpected(
        Error{fmt::format("no entry is compiled by clang {}", SupportedVersion), "",
              fmt::format("configure with CC=clang-{0} CXX=clang++-{0}", SupportedVersion), ""});
  auto Folder = TemporaryFolder::make();
  if (!Folder)
    return std::unexpected(Folder.error());
  if (Jobs == 0)
    Jobs = std::max(1U, std::thread::hardware_concurrency());
  {
    const StopWhenAsked Stop;
    ProgressBar Bar;
    CompilerPool Pool(Folder->path());
    for (std::size_t Next = 0; Next != Left.size() || Pool.running();) {
      const bool IsAsked = StopWhenAsked::asked();
      if (IsAsked && !Pool.running())
        break;
      if (!IsAsked && Next != Left.size() && Pool.running() != Jobs && Pool.start(Left[Next])) {
        Bar.show(Next, Left.size(), Left[Next].File);
        ++Next;
      } else if (Pool.running())
        Pool.wait(Bar);
      else
        return std::unexpected(Error{std::strerror(errno), "", "try again", Left[Next].Words[0]});
    }
    Failed += Pool.failed();
  }
  return Failed;
}

} // namespace ergon
