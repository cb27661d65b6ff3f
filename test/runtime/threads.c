// A million regions in one thread and in 100 at once, and 100 000 threads that end, with a meter.

// ALLOW_RETRIES: 2
// RUN: rm -rf %t.* && %clang -O1 %s -o %t %rt_flags
// RUN: %python %S/Inputs/fill.py 262143328850 5 %t.pc/intel-rapl:0 %t.pc/intel-rapl:0:0
// RUN: env ERGON_METERS=powercap ERGON_POWERCAP_ROOT=%t.pc ERGON_RUN_DIR=%t.runs %t 1000000 1 1
// RUN: %run_records %t.runs 'region("outer")["count"] == region("outer", "inner")["count"] == 500000' 'is_whole()'
// RUN: rm -r %t.runs && env ERGON_METERS=powercap ERGON_POWERCAP_ROOT=%t.pc ERGON_RUN_DIR=%t.runs %t 1000000 100 1
// RUN: %run_records %t.runs 'region("outer")["count"] == region("outer", "inner")["count"] == 500000' \
// RUN:   'region("outer")["threads"] == 100' 'region()["threads"] == 101' 'run["region_mistakes"] == 0'
// RUN: rm -r %t.runs && env ERGON_METERS=powercap ERGON_POWERCAP_ROOT=%t.pc ERGON_RUN_DIR=%t.runs %t 200000 10 10000
// RUN: %run_records %t.runs 'region("outer")["count"] == region("outer", "inner")["count"] == 100000' \
// RUN:   'region("outer")["threads"] == 100000' 'region()["threads"] == 100001'

#include <ergon.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static long Pairs;

static void *work(void *Unused) {
  for (long I = 0; I != Pairs; ++I) {
    ergon_region_begin("outer");
    ergon_region_begin("inner");
    ergon_region_end("inner");
    ergon_region_end("outer");
  }
  return 0;
}

static double seconds(void) {
  struct timespec At;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &At);
  return (double)At.tv_sec + 1e-9 * (double)At.tv_nsec;
}

int main(int Count, char **Arguments) {
  const long Regions = atol(Arguments[1]), Threads = atol(Arguments[2]), Rounds = atol(Arguments[3]);
  pthread_t Each[100];
  struct rusage First, Last;
  Pairs = Regions / Threads / Rounds / 2;
  const double Began = seconds();
  for (long Round = 0; Round != Rounds; ++Round) {
    for (long I = 0; I != Threads; ++I)
      pthread_create(Each + I, 0, work, 0);
    for (long I = 0; I != Threads; ++I)
      pthread_join(Each[I], 0);
    if (Round == 0)
      getrusage(RUSAGE_SELF, &First);
  }
  getrusage(RUSAGE_SELF, &Last);
  const double Mean = (seconds() - Began) / (double)Regions;
  printf("%.0f ns a region, %ld KiB more after the first round\n", 1e9 * Mean, Last.ru_maxrss - First.ru_maxrss);
  // Threads that are begun and ended cost more than a region.
  return (Rounds == 1 && Mean > 1e-6) || Last.ru_maxrss - First.ru_maxrss > 2048;
}
