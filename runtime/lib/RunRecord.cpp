//===- RunRecord.cpp - the run record of this process ---------------------===//

#include "runtime/lib/RunRecord.h"
#include "formats/RunKeys.h"
#include "runtime/lib/Counters.h"
#include "runtime/lib/Messages.h"
#include "runtime/lib/Metering.h"
#include "runtime/lib/Output.h"
#include "runtime/lib/Process.h"
#include "runtime/lib/Regions.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ergon::runtime {
namespace {

// All that a signal handler needs is made before.
char Folder[PATH_MAX], Program[PATH_MAX], Path[PATH_MAX + 64], Draft[PATH_MAX + 80], Started[40];
pid_t Owner;
std::atomic_flag IsWriting;
std::atomic<bool> IsOver; // whoever writes now is cut off

} // namespace

bool setFolder(const char *Given) {
  mkdir(Given, 0777); // it may be there
  return realpath(Given, Folder) != nullptr;
}

void startRun() {
  timespec At;
  clock_gettime(CLOCK_REALTIME, &At);
  beginRun();
  Owner = getpid();
  tm Parts;
  gmtime_r(&At.tv_sec, &Parts);
  std::size_t Length = strftime(Started, sizeof Started, "%Y-%m-%dT%H:%M:%S", &Parts);
  std::snprintf(Started + Length, sizeof Started - Length, ".%09ldZ", long(At.tv_nsec));
  std::snprintf(Path, sizeof Path, "%s/run-%ld-%lld%09ld.json", Folder, long(Owner),
                (long long)(At.tv_sec), long(At.tv_nsec));
  std::snprintf(Draft, sizeof Draft, "%s.part", Path);
  ssize_t Read = readlink("/proc/self/exe", Program, sizeof Program - 1);
  Program[Read < 0 ? 0 : Read] = 0;
  IsWriting.clear();
  IsOver = false;
}

static void write(Output &Into, const char *EndedBy, bool InHandler) {
  using namespace run_keys;
  Into.open('{');
  Into.text(Schema, "schema");
  Into.text(runtime::Program, run_keys::Program);
  Into.number(Owner, Process);
  Into.number(getppid(), Parent);
  Into.text(runtime::Started, run_keys::Started);
  Into.billionths(now() - startOfRun(), Duration);
  Into.text(EndedBy, Ended);
  writeCounters(Into, InHandler);
  writeMessages(Into);
  writeMeters(Into, startOfRun());
  writeRegions(Into);
  Into.close('}');
}

namespace {

/// No signal comes in between, so that what is begun is ended; nor the one that ends a program
/// which writes more than the limit on a file's size.
class WithoutSignals {
public:
  WithoutSignals() {
    sigset_t All;
    sigfillset(&All);
    pthread_sigmask(SIG_BLOCK, &All, &Before);
  }
  ~WithoutSignals() {
    const timespec AtOnce{};
    sigset_t OfSize;
    sigemptyset(&OfSize);
    sigaddset(&OfSize, SIGXFSZ);
    if (!sigismember(&Before, SIGXFSZ))
      while (sigtimedwait(&OfSize, nullptr, &AtOnce) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  }

private:
  sigset_t Before;
};

} // namespace

/// Whether this thread is the one that writes. Waits for another one to be done: the process may
/// end as soon as this one goes on.
static bool beginWriting() {
  for (int Tries = 1000; IsWriting.test_and_set(); --Tries) {
    if (Tries == 0)
      return false;
    const timespec Pause{0, 1'000'000};
    nanosleep(&Pause, nullptr);
  }
  return true;
}

/// Returns 0 or an errno value; then nothing is left.
static int writeFile(const char *Ended, bool InHandler) {
  int File = open(Draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (File < 0)
    return errno;
  Output Into(File);
  write(Into, Ended, InHandler);
  int Error = Into.finish();
  if (close(File) != 0 && !Error)
    Error = errno;
  if (!Error && rename(Draft, Path) != 0)
    Error = errno;
  if (Error)
    unlink(Draft);
  return Error;
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
