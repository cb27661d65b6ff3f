//===- RunRecord.cpp - the run record of this process ---------------------===//

#include "runtime/lib/RunRecord.h"
#include "formats/RunKeys.h"
#include "runtime/lib/Counters.h"
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
std::int64_t StartedAt;
pid_t Owner;
std::atomic_flag IsWriting;

} // namespace

bool setFolder(const char *Given) {
  mkdir(Given, 0777); // it may be there
  return realpath(Given, Folder) != nullptr;
}

std::int64_t startOfRun() { return StartedAt; }

void startRun() {
  timespec At;
  clock_gettime(CLOCK_REALTIME, &At);
  StartedAt = now();
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
}

static void write(Output &Into, const char *EndedBy) {
  using namespace run_keys;
  Into.open('{');
  Into.text(Schema, "schema");
  Into.text(runtime::Program, run_keys::Program);
  Into.number(Owner, Process);
  Into.number(getppid(), Parent);
  Into.text(runtime::Started, run_keys::Started);
  Into.billionths(now() - StartedAt, Duration);
  Into.text(EndedBy, Ended);
  writeCounters(Into);
  writeMeters(Into, StartedAt);
  writeRegions(Into);
  Into.close('}');
}

/// Writing more than the limit on a file's size ends a program; the runtime's own must not.
class WithoutSizeSignal {
public:
  WithoutSizeSignal() {
    sigemptyset(&Signal);
    sigaddset(&Signal, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &Signal, &Before);
  }
  ~WithoutSizeSignal() {
    const timespec AtOnce{};
    if (!sigismember(&Before, SIGXFSZ))
      while (sigtimedwait(&Signal, nullptr, &AtOnce) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  }

private:
  sigset_t Signal, Before;
};

/// Returns 0 or an errno value; then nothing is left.
static int writeFile(const char *Ended) {
  const WithoutSizeSignal Guard;
  int File = open(Draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (File < 0)
    return errno;
  Output Into(File);
  write(Into, Ended);
  int Error = Into.finish();
  if (close(File) != 0 && !Error)
    Error = errno;
  if (!Error && rename(Draft, Path) != 0)
    Error = errno;
  if (Error)
    unlink(Draft);
  return Error;
}

int writeRun(const char *Ended, bool InHandler) {
  // One of several threads that end the process writes; a child of vfork is no process of its own.
  if (getpid() != Owner || IsWriting.test_and_set())
    return EBUSY;
  const int Kept = errno;
  int Error;
  {
    const FinalReadings Held(InHandler);
    Error = writeFile(Ended);
  }
  IsWriting.clear();
  errno = Kept;
  return Error;
}

} // namespace ergon::runtime
