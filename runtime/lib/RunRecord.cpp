//===- RunRecord.cpp - the run record of this process ---------------------===//

#include "runtime/lib/RunRecord.h"
#include "formats/run/RunKeys.h"
#include "runtime/lib/Counters.h"
#include "runtime/lib/Messages.h"
#include "runtime/lib/Metering.h"
#include "runtime/lib/Output.h"
#include "runtime/lib/Regions.h"
#include "runtime/lib/Time.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ergon::runtime {
namespace {

// All that a signal handler needs is made before.
char Folder[PATH_MAX], Program[PATH_MAX], Path[PATH_MAX + 64], Started[40];
/// The words of the command line, a zero behind each; empty where there are more.
char Words[1 << 14];
std::size_t WordBytes;
pid_t Owner;
std::atomic_flag IsWriting;
std::atomic<bool> IsOver; // a thread that writes now is cut off

} // namespace

bool setFolder(const char *Given) {
  mkdir(Given, 0777); // it may be there
  return realpath(Given, Folder) != nullptr;
}

static void readWords() {
  WordBytes = 0;
  const int File = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (File < 0)
    return;
  for (ssize_t Got; (Got = read(File, Words + WordBytes, sizeof Words - WordBytes)) > 0;)
    WordBytes += std::size_t(Got);
  close(File);
  if (WordBytes == sizeof Words)
    WordBytes = 0;
}

void startRun() {
  timespec T;
  clock_gettime(CLOCK_REALTIME, &T);
  beginRun();
  Owner = getpid();
  tm Parts;
  gmtime_r(&T.tv_sec, &Parts);
  std::size_t Length = strftime(Started, sizeof Started, "%Y-%m-%dT%H:%M:%S", &Parts);
  std::snprintf(Started + Length, sizeof Started - Length, ".%09ldZ", long(T.tv_nsec));
  std::snprintf(Path, sizeof Path, "%s/run-%ld-%lld%09ld.json", Folder, long(Owner),
                (long long)(T.tv_sec), long(T.tv_nsec));
  ssize_t Read = readlink("/proc/self/exe", Program, sizeof Program - 1);
  Program[Read < 0 ? 0 : Read] = 0;
  readWords();
  IsWriting.clear();
  IsOver = false;
}

/// The program's arguments, without its own name.
static void writeArguments(Output &Result) {
  if (WordBytes == 0)
    return;
  Result.open('[', run_keys::Arguments);
  for (std::size_t Next = std::strlen(Words) + 1; Next < WordBytes;
       Next += std::strlen(Words + Next) + 1)
    Result.text(Words + Next);
  Result.close(']');
}

static void write(Output &Result, const char *EndedBy, bool InHandler) {
  using namespace run_keys;
  Result.open('{');
  Result.text(Schema, "schema");
  Result.text(runtime::Program, run_keys::Program);
  writeArguments(Result);
  Result.number(Owner, Process);
  Result.number(getppid(), Parent);
  Result.text(runtime::Started, run_keys::Started);
  Result.billionths(now() - startOfRun(), Duration);
  Result.text(EndedBy, Ended);
  writeCounters(Result, InHandler);
  writeMessages(Result);
  writeMeters(Result, startOfRun());
  writeRegions(Result);
  Result.close('}');
}

namespace {

/// Blocks all signals while it lives, so that a record that was begun is finished. SIGXFSZ is among
/// them: it ends a program that writes more than the limit on a file's size.
class WithoutSignals {
public:
  WithoutSignals() {
    sigset_t All;
    sigfillset(&All);
    pthread_sigmask(SIG_BLOCK, &All, &Before);
  }
  ~WithoutSignals() {
    const timespec AtOnce{};
    sigset_t Size;
    sigemptyset(&Size);
    sigaddset(&Size, SIGXFSZ);
    if (!sigismember(&Before, SIGXFSZ))
      while (sigtimedwait(&Size, nullptr, &AtOnce) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  }

private:
  sigset_t Before;
};

/// Whether this thread is the one that writes. Waits for another one to be done: the process may
/// end as soon as this one goes on.
bool beginWriting() {
  for (int Tries = 1000; IsWriting.test_and_set(); --Tries) {
    if (Tries == 0)
      return false;
    const timespec Pause{0, 1'000'000};
    nanosleep(&Pause, nullptr);
  }
  return true;
}

/// The draft of the record. Its name is random, so that nobody can put a link there before. It is
/// locked while it is written; `ergon run` removes drafts without a lock (DraftFile.h).
class Draft {
public:
  Draft() {
    for (int Tries = 100; Tries != 0; --Tries) {
      choose();
      File = open(Name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
      if (File < 0 && errno == EEXIST)
        continue;
      struct stat Now{};
      if (File < 0 || flock(File, LOCK_EX) != 0 || fstat(File, &Now) != 0 || Now.st_nlink != 0)
        return;
      ::close(File); // removed before it was locked
      File = -1;
    }
    errno = EEXIST;
  }
  int file() const { return File; }
  /// Renames the draft to the record, or removes it where \p Error is not 0. Returns \p Error, or
  /// the errno value of what failed here.
  int close(int Error) {
    // Some file systems tell of a full disk only when a file is closed; the lock has to stay.
    const int Copy = Error ? -1 : dup(File);
    if (Copy >= 0 && ::close(Copy) != 0)
      Error = errno;
    if (!Error && rename(Name, Path) != 0)
      Error = errno;
    if (Error)
      unlink(Name);
    ::close(File);
    return Error;
  }

private:
  int File = -1;
  char Name[sizeof Path + 32];

  /// PATH.0123456789abcdef.part; no snprintf in a signal handler.
  void choose() {
    std::uint64_t Random = 0;
    if (getrandom(&Random, sizeof Random, GRND_NONBLOCK) != sizeof Random)
      Random = std::uint64_t(now()) * 65537 + std::uint64_t(Owner);
    char *Cursor = stpcpy(stpcpy(Name, Path), ".");
    for (int Shift = 60; Shift >= 0; Shift -= 4)
      *Cursor++ = "0123456789abcdef"[Random >> Shift & 15];
    stpcpy(Cursor, ".part");
  }
};

} // namespace

/// Returns 0 or an errno value; then nothing is left.
static int writeFile(const char *Ended, bool InHandler) {
  Draft Result;
  if (Result.file() < 0)
    return errno;
  Output Text(Result.file());
  write(Text, Ended, InHandler);
  return Result.close(Text.finish());
}

static int writeOnce(const char *Ended, bool InHandler, bool IsLast) {
  if (getpid() != Owner) // a child of vfork is no process of its own
    return EBUSY;
  const int Kept = errno;
  int Error = EBUSY;
  const WithoutSignals Guard;
  if (beginWriting()) {
    if (!IsOver) {
      const FinalReadings Held(InHandler);
      Error = writeFile(Ended, InHandler);
      IsOver = IsLast;
    }
    IsWriting.clear();
  }
  errno = Kept;
  return Error;
}

int writeRun() { return writeOnce("running", /*InHandler=*/false, /*IsLast=*/false); }

void writeLastRun(const char *Ended, bool InHandler) {
  writeOnce(Ended, InHandler, /*IsLast=*/true);
}

void resumeRun() {
  if (getpid() == Owner)
    IsOver = false;
}

} // namespace ergon::runtime
