/* Processors that run at the clock that cpufreq's files say: at half the clock time goes by twice
   as fast. Loaded before the C library. CLOCK_SHIM_FILE has the clock in kHz; CLOCK_SHIM_KHZ is
   what the processors run at whatever they are asked for. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int (*RealClock)(clockid_t, struct timespec *);
static atomic_flag Busy = ATOMIC_FLAG_INIT;
static double Factor = 1, LastReal, LastScaled, LastLook = -1;
static long LastKhz = -1;

static double seconds(clockid_t Id) {
  struct timespec Now;
  RealClock(Id, &Now);
  return Now.tv_sec + 1e-9 * Now.tv_nsec;
}

/* Additions that wait for each other a second: cycles. */
static double realHz(void) {
  double Shortest = 1;
  for (int Look = 0; Look != 5; ++Look) {
    const double Begin = seconds(CLOCK_MONOTONIC);
    uint64_t Sum = 0;
    for (int K = 0; K != 2500; ++K)
#define ADD                                                                                        \
  Sum += K;                                                                                        \
  __asm__ volatile("" : "+r"(Sum));
    {
      ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD
    }
    const double Took = seconds(CLOCK_MONOTONIC) - Begin;
    Shortest = Took < Shortest ? Took : Shortest;
  }
  return 16 * 2500 / Shortest;
}

static long askedKhz(void) {
  char Text[64] = "";
  const char *const Path = getenv("CLOCK_SHIM_FILE"), *const Always = getenv("CLOCK_SHIM_KHZ");
  if (Always)
    return atol(Always);
  const int File = Path ? open(Path, O_RDONLY | O_CLOEXEC) : -1;
  if (File < 0)
    return 0;
  const ssize_t Length = read(File, Text, sizeof Text - 1);
  close(File);
  return Length > 0 ? atol(Text) : LastKhz;
}

int clock_gettime(clockid_t Id, struct timespec *Into) {
  static _Thread_local double ThreadReal, ThreadScaled;
  while (atomic_flag_test_and_set(&Busy))
    ;
  if (!RealClock)
    RealClock = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  if (Id != CLOCK_MONOTONIC && Id != CLOCK_THREAD_CPUTIME_ID) {
    atomic_flag_clear(&Busy);
    return RealClock(Id, Into);
  }
  const double Real = seconds(CLOCK_MONOTONIC);
  if (LastLook < 0)
    LastReal = LastScaled = Real;
  LastScaled += (Real - LastReal) * Factor;
  LastReal = Real;
  if (LastLook < 0 || Real > LastLook + 0.02) {
    const long Khz = askedKhz();
    if (Khz > 0)
      Factor = realHz() / (1e3 * Khz);
    LastKhz = Khz;
    LastReal = LastLook = seconds(CLOCK_MONOTONIC); /* looking takes no time */
  }
  double Result = LastScaled;
  if (Id == CLOCK_THREAD_CPUTIME_ID) {
    const double Thread = seconds(Id);
    Result = ThreadScaled += (Thread - ThreadReal) * Factor;
    ThreadReal = Thread;
  }
  atomic_flag_clear(&Busy);
  Into->tv_sec = (time_t)Result;
  Into->tv_nsec = (long)((Result - (double)Into->tv_sec) * 1e9);
  return 0;
}
