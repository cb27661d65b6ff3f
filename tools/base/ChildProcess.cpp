//===- ChildProcess.cpp - commands that Ergon runs ------------------------===//

#include "tools/base/ChildProcess.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace ergon {

std::string libraryPath(const std::string &Given, const char *Variable, const char *Name) {
  if (!Given.empty())
    return Given;
  if (const char *Set = std::getenv(Variable); Set && *Set)
    return Set;
  std::error_code Failed;
  fs::path Beside = fs::read_symlink("/proc/self/exe", Failed).parent_path() / ".." / "lib" / Name;
  return Beside.lexically_normal();
}

std::expected<fs::path, Error> openFolder(const std::string &Directory) {
  std::error_code Failed;
  fs::create_directories(Directory, Failed);
  if (Failed || access(Directory.c_str(), W_OK | X_OK) != 0)
    return std::unexpected(
        Error{"no records can be written there: " +
                  (Failed ? Failed.message() : std::string(std::strerror(errno))),
              "", "give a folder that can be written to", Directory});
  return fs::canonical(Directory, Failed);
}

WrittenFiles::WrittenFiles(fs::path Directory, Test IsWanted)
    : Directory(std::move(Directory)), IsWanted(IsWanted), Before(now()) {}

WrittenFiles::Times WrittenFiles::now() const {
  Times Result;
  std::error_code Failed;
  for (fs::directory_iterator File(Directory, Failed), End; !Failed && File != End;
       File.increment(Failed))
    if (std::error_code Gone; IsWanted(File->path()) && File->is_regular_file(Gone))
      Result[File->path()] = fs::last_write_time(File->path(), Failed);
  return Result;
}

std::vector<fs::path> WrittenFiles::written() const {
  std::vector<fs::path> Result;
  for (const auto &[Path, Time] : now())
    if (auto Old = Before.find(Path); Old == Before.end() || Old->second != Time)
      Result.push_back(Path);
  return Result;
}

std::size_t WrittenFiles::count() const { return now().size(); }

namespace {
/// While this lives, what is typed at the terminal ends the command alone, where nothing else was
/// asked for.
class LeaveToCommand {
public:
  LeaveToCommand() {
    for (int K = 0; K != 2; ++K)
      if (Were[K] = std::signal(Numbers[K], SIG_IGN); Were[K] != SIG_DFL)
        std::signal(Numbers[K], Were[K]);
  }
  ~LeaveToCommand() { restore(); }
  /// Also in the command's own process.
  void restore() const {
    for (int K = 0; K != 2; ++K)
      std::signal(Numbers[K], Were[K]);
  }

private:
  static constexpr int Numbers[2] = {SIGINT, SIGQUIT};
  void (*Were[2])(int);
};
} // namespace

/// Runs \p Command after \p Prepare in the new process, and \p Attend in this one.
static std::expected<int, Error> run(const std::vector<std::string> &Command, const auto &Prepare,
                                     const auto &Attend) {
  std::vector<char *> Words;
  for (const std::string &Word : Command)
    Words.push_back(const_cast<char *>(Word.c_str()));
  Words.push_back(nullptr);
  int Report[2]; // closes on exec; carries errno where exec fails
  if (pipe2(Report, O_CLOEXEC) != 0)
    return std::unexpected(Error{std::strerror(errno), "", "try again", Command[0]});
  const LeaveToCommand Leave;
  pid_t Child = fork();
  if (Child == 0) {
    Leave.restore();
    Prepare();
    execvp(Words[0], Words.data());
    int Why = errno;
    [[maybe_unused]] ssize_t Written = write(Report[1], &Why, sizeof Why);
    _exit(127);
  }
  close(Report[1]);
  int Why = 0;
  bool Failed = Child < 0 || read(Report[0], &Why, sizeof Why) > 0;
  close(Report[0]);
  Attend();
  int Status = 0;
  if (Child > 0)
    waitpid(Child, &Status, 0);
  if (Failed)
    return std::unexpected(
        Error{"the command cannot be run: " + std::string(std::strerror(Child < 0 ? errno : Why)),
              "", "give it and its arguments after --", Command[0]});
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : 128 + WTERMSIG(Status);
}

std::expected<int, Error> statusOf(const std::vector<std::string> &Command, Output To) {
  return run(
      Command,
      [To] {
        if (To == Output::ToErrors)
          dup2(STDERR_FILENO, STDOUT_FILENO);
      },
      [] {});
}

std::expected<Captured, Error> outputOf(const std::vector<std::string> &Command) {
  int Pipe[2];
  if (pipe2(Pipe, O_CLOEXEC) != 0)
    return std::unexpected(Error{std::strerror(errno), "", "try again", Command[0]});
  Captured Result{};
  auto Status = run(
      Command,
      [&] {
        const int Nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(Nothing, STDIN_FILENO);
        dup2(Pipe[1], STDOUT_FILENO);
        dup2(Nothing, STDERR_FILENO);
      },
      [&] {
        close(Pipe[1]);
        char Part[4096];
        for (ssize_t Size; (Size = read(Pipe[0], Part, sizeof Part)) != 0;)
          if (Size > 0)
            Result.Text.append(Part, std::size_t(Size));
          else if (errno != EINTR)
            break;
        close(Pipe[0]);
      });
  if (!Status)
    return std::unexpected(Status.error());
  Result.Status = *Status;
  return Result;
}

std::expected<Ended, Error> runCommand(const std::vector<std::string> &Command,
                                       const fs::path &Directory, WrittenFiles::Test IsWanted,
                                       Output To) {
  const WrittenFiles Files(Directory, IsWanted);
  auto Status = statusOf(Command, To);
  if (!Status)
    return std::unexpected(Status.error());
  return Ended{*Status, Files.count(), Files.written().size()};
}

} // namespace ergon
