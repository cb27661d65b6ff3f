// RAPL by a powercap tree whose counters go around several times while the program runs: the record has
// what the tree delivered, to the microjoule, and the regions no more than that. (That they have it in
// proportion to their time is in script.c, where time is the script's.)

// ALLOW_RETRIES: 2
// RUN: rm -rf %t.* && %clang -O1 %s -o %t %rt_flags
// RUN: mkdir -p %t.pc/intel-rapl:0/intel-rapl:0:0 %t.pc/intel-rapl:0/intel-rapl:0:2 %t.pc/intel-rapl:1
// RUN: cd %t.pc && ln -s intel-rapl:0/intel-rapl:0:0 intel-rapl:0:0 && mkdir idle_inject subsystem
// RUN: echo package-0 > intel-rapl:0/name && echo core > intel-rapl:0:0/name
// RUN: echo dram > intel-rapl:0/intel-rapl:0:2/name && echo psys > intel-rapl:1/name
// RUN: %python %S/Inputs/fill.py 20000000 19999000 intel-rapl:0 intel-rapl:0:0 intel-rapl:1
// RUN: %python %S/Inputs/fill.py 60000000 0 intel-rapl:0/intel-rapl:0:2
// RUN: env ERGON_METERS=powercap ERGON_POWERCAP_ROOT=%t.pc ERGON_RUN_DIR=%t.runs \
// RUN:   %python %S/Inputs/fed.py %t.pc %t.fed.json 60 1.5 %t
// RUN: %run_records %t.runs 'is_whole()' 'len(run["meters"]) == 4' \
// RUN:   'all(each["energy_j"] * 10**6 == json.load(open("%t.fed.json"))[each["name"].split("/")[1]] for each in run["meters"])' \
// RUN:   'min(each["energy_j"] for each in run["meters"]) > 80' \
// RUN:   '[each["covers"] for each in run["meters"]] == ["package-0", "package-0/core", "package-0/dram", "psys"]' \
// RUN:   'all(region("long")["energy_j"][each["name"]] > region("short")["energy_j"][each["name"]] > 0 for each in run["meters"])' \
// RUN:   'all(region("long")["energy_j"][each["name"]] + region("short")["energy_j"][each["name"]] <= each["energy_j"] for each in run["meters"])'

// 100 threads more, all of which run from before the first joule until after the last one: each has every one.
// RUN: rm -rf %t.runs && env ERGON_METERS=powercap ERGON_POWERCAP_ROOT=%t.pc ERGON_RUN_DIR=%t.runs \
// RUN:   %python %S/Inputs/fed.py %t.pc %t.fed.json 60 1 %t threads
// RUN: %run_records %t.runs 'region()["threads"] == region("long")["threads"] == 101' \
// RUN:   'all(region()["energy_j"][each["name"]] == 101 * each["energy_j"] for each in run["meters"])' \
// RUN:   'all(each["energy_j"] * 10**6 == json.load(open("%t.fed.json"))[each["name"].split("/")[1]] for each in run["meters"])'

#include <ergon.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void pass(long Nanoseconds) {
  struct timespec For = {0, Nanoseconds};
  nanosleep(&For, 0);
}

static void work(void) {
  ergon_region_begin("long");
  pass(7000000);
  ergon_region_end("long");
  ergon_region_begin("short");
  pass(3000000);
  ergon_region_end("short");
}

enum { NumThreads = 100 };
static atomic_int NumRunning, NumStopped, Stop;

static void *run(void *Unused) {
  work(); // the first reading that it sees is from before the first joule
  work();
  for (++NumRunning; !Stop;)
    work();
  for (++NumStopped;;)
    pause();
}

int main(int Count, char **Arguments) {
  const int Threads = Count > 1 ? NumThreads : 0;
  pthread_t Thread;
  for (int I = 0; I != Threads; ++I)
    pthread_create(&Thread, 0, run, 0);
  while (NumRunning != Threads)
    pass(1000000);
  puts("ready");
  fflush(stdout);
  // Until the input is closed.
  for (struct pollfd Input = {0, POLLIN, 0}; poll(&Input, 1, 0) == 0;)
    work();
  for (Stop = 1; NumStopped != Threads;)
    pass(1000000);
  return 0;
}
