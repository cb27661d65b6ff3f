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
static long LastKhz;

/* The time that is told is Told at the real time Real, and goes by Factor times as fast from there
   on. Written by one thread at a time, while Version is odd. */
static struct {
  double Real, Told, Factor;
} Now = {0, 0, 1};
static atomic_uint Version;
static atomic_flag Busy = ATOMIC_FLAG_INIT;

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

static double told(double Real) {
  for (;;) {
    const unsigned Before = atomic_load(&Version);
    const double Result = Now.Told + (Real - Now.Real) * Now.Factor;
    if (Before % 2 == 0 && atomic_load(&Version) == Before)
      return Result;
  }
}

/* Looks at the file, which takes no time. */
static void look(double Real) {
  const long Khz = askedKhz();
  const double Factor = Khz > 0 ? realHz() / (1e3 * Khz) : 1, Told = told(Real);
  LastKhz = Khz;
  atomic_fetch_add(&Version, 1);
  Now.Told = Told;
  Now.Factor = Factor;
  Now.Real = seconds(CLOCK_MONOTONIC);
  atomic_fetch_add(&Version, 1);
}

int clock_gettime(clockid_t Id, struct timespec *Into) {
  static _Thread_local double ThreadReal, ThreadTold;
  if (!RealClock)
    RealClock = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  if (Id != CLOCK_MONOTONIC && Id != CLOCK_THREAD_CPUTIME_ID)
    return RealClock(Id, Into);
  const double Real = seconds(CLOCK_MONOTONIC);
  if (Real > Now.Real + 0.02 && !atomic_flag_test_and_set(&Busy)) {
    look(Real);
    atomic_flag_clear(&Busy);
  }
  double Result;
  if (Id == CLOCK_MONOTONIC) {
    Result = told(Real);
  } else {
    const double Thread = seconds(Id);
    Result = ThreadTold += (Thread - ThreadReal) * Now.Factor;
    ThreadReal = Thread;
  }
  Into->tv_sec = (time_t)Result;
  Into->tv_nsec = (long)((Result - (double)Into->tv_sec) * 1e9);
  return 0;
}
