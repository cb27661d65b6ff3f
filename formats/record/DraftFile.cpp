//===- DraftFile.cpp - files that are whole or not there ------------------===//

#include "formats/record/DraftFile.h"
#include "formats/json/HeldSignal.h"
#include "formats/record/RecordFormat.h"

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace ergon {

/// On a file system without locks, a draft of this age counts as abandoned.
static constexpr std::chrono::hours LongestWrite{24};

static std::string draftName(const std::string &Path) {
  std::uint64_t Number = 0;
  if (getrandom(&Number, sizeof Number, GRND_NONBLOCK) != sizeof Number)
    Number = std::uint64_t(std::chrono::steady_clock::now().time_since_epoch().count()) * 65537 +
             std::uint64_t(getpid());
  char Digits[17];
  std::snprintf(Digits, sizeof Digits, "%016llx", static_cast<unsigned long long>(Number));
  return Path + "." + Digits + ".tmp";
}

/// Opens a draft that is new and locked; its name goes to \p Draft. Below 0: errno says why not.
static int openDraft(const std::string &Path, std::string &Draft) {
  for (int Tries = 100; Tries != 0; --Tries) {
    Draft = draftName(Path);
    const int File =
        open(Draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (File < 0 && errno == EEXIST)
      continue;
    if (File < 0)
      return File;
    while (flock(File, LOCK_EX) != 0 && errno == EINTR)
      ;
    // Another process may have removed it as abandoned before it had the lock.
    struct stat Now{};
    if (fstat(File, &Now) != 0 || Now.st_nlink != 0)
      return File;
    close(File);
  }
  errno = EEXIST;
  return -1;
}

/// 0, or an errno value.
static int writeAll(int File, std::string_view Text) {
  while (!Text.empty()) {
    const ssize_t Written = write(File, Text.data(), Text.size());
    if (Written < 0 && errno == EINTR)
      continue;
    if (Written <= 0)
      return Written < 0 ? errno : ENOSPC;
    Text.remove_prefix(std::size_t(Written));
  }
  // Some file systems tell of a full disk only when a file is closed; the lock has to stay.
  const int Copy = dup(File);
  return Copy >= 0 && close(Copy) != 0 ? errno : 0;
}

int writeWholeFile(const std::string &Path, std::string_view Text) {
  const HeldSignal NoLimit(SIGXFSZ);
  std::string Draft;
  const int File = openDraft(Path, Draft);
  if (File < 0)
    return errno;
  int Error = writeAll(File, Text);
  if (!Error && rename(Draft.c_str(), Path.c_str()) != 0)
    Error = errno;
  if (Error)
    unlink(Draft.c_str());
  close(File);
  return Error;
}

/// By its name: `f.c-….ergon.json.….tmp`, `run-….json.….part`.
static bool isDraft(const fs::path &File) {
  const std::string Name = File.filename();
  return (Name.ends_with(".tmp") && Name.contains(std::string(RecordSuffix) + ".")) ||
         (Name.ends_with(".part") && Name.starts_with("run-"));
}

/// Whether no process holds the lock on the open \p File.
static bool isLeft(int File) {
  struct stat Now{};
  if (fstat(File, &Now) != 0 || !S_ISREG(Now.st_mode))
    return false;
  if (flock(File, LOCK_EX | LOCK_NB) == 0)
    return true;
  const auto Age =
      std::chrono::system_clock::now() - std::chrono::system_clock::from_time_t(Now.st_mtime);
  return errno != EWOULDBLOCK && Age > LongestWrite;
}

void removeLeftDrafts(const fs::path &Folder) {
  std::error_code Failed;
  for (fs::directory_iterator Position(Folder, Failed), End; !Failed && Position != End;
       Position.increment(Failed)) {
    if (!isDraft(Position->path()))
      continue;
    const int File = open(Position->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (File < 0)
      continue;
    if (isLeft(File))
      unlink(Position->path().c_str());
    close(File);
  }
}

} // namespace ergon
