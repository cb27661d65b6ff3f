//===- SystemFile.cpp - the small files of /sys ---------------------------===//

#include "runtime/meters/SystemFile.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

namespace ergon::runtime {

int readNumber(const char *Path, std::int64_t &Value) {
  const int File = open(Path, O_RDONLY | O_CLOEXEC);
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
  std::string Result;
  std::ifstream File(Path);
  std::getline(File, Result);
  while (!Result.empty() && Result.back() == ' ')
    Result.pop_back();
  return Result;
}

bool exists(const std::string &Path) { return access(Path.c_str(), F_OK) == 0; }

std::vector<std::string> namesIn(const std::string &Folder) {
  std::vector<std::string> Result;
  if (DIR *Open = opendir(Folder.c_str())) {
    while (const dirent *Each = readdir(Open))
      if (Each->d_name[0] != '.')
        Result.emplace_back(Each->d_name);
    closedir(Open);
  }
  std::ranges::sort(Result);
  return Result;
}

std::string fromEnvironment(const char *Variable, const char *Otherwise) {
  const char *Value = std::getenv(Variable);
  return Value && *Value ? Value : Otherwise;
}

} // namespace ergon::runtime
