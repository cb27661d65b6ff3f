//===- SystemFile.cpp - the small files of /sys ---------------------------===//

#include "runtime/meters/SystemFile.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ergon::runtime {

/// O_NONBLOCK: a pipe in the place of a file does not block the program.
static int openToRead(const char *Path) { return open(Path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); }

int readNumber(const char *Path, std::int64_t &Value) {
  const int File = openToRead(Path);
  if (File < 0)
    return errno;
  char Text[64];
  ssize_t Length = read(File, Text, sizeof Text);
  const int Error = Length < 0 ? errno : 0;
  close(File);
  if (Error)
    return Error;
  while (Length > 0 && (Text[Length - 1] == '\n' || Text[Length - 1] == ' '))
    --Length;
  const auto [End, Wrong] = std::from_chars(Text, Text + Length, Value);
  return Wrong == std::errc() && End == Text + Length ? 0 : EBADMSG;
}

bool isPassing(int Errno) {
  return Errno == EINTR || Errno == EAGAIN || Errno == ENODATA || Errno == EBUSY ||
         Errno == EMFILE || Errno == ENFILE;
}

std::string readLine(const std::string &Path) {
  std::string Result(4096, 0); // a page, the most that a file of /sys has
  const int File = openToRead(Path.c_str());
  const ssize_t Length = File < 0 ? 0 : read(File, Result.data(), Result.size());
  if (File >= 0)
    close(File);
  Result.resize(Length < 0 ? 0 : std::size_t(Length));
  Result.resize(std::min(Result.find('\n'), Result.size()));
  while (!Result.empty() && Result.back() == ' ')
    Result.pop_back();
  return Result;
}

bool isOtherThanFile(const char *Path) {
  struct stat Matches{};
  return stat(Path, &Matches) == 0 && !S_ISREG(Matches.st_mode);
}

bool exists(const std::string &Path) { return access(Path.c_str(), F_OK) == 0; }

std::vector<std::string> namesIn(const std::string &Folder) {
  std::vector<std::string> Result;
  if (DIR *Open = opendir(Folder.c_str())) {
    while (const dirent *D = readdir(Open))
      if (D->d_name[0] != '.')
        Result.emplace_back(D->d_name);
    closedir(Open);
  }
  std::ranges::sort(Result);
  return Result;
}

std::string fromEnvironment(const char *Variable, const char *Otherwise) {
  const char *Value = secure_getenv(Variable);
  return Value && *Value ? Value : Otherwise;
}

} // namespace ergon::runtime
