// Several threads and a signal end a process at the same time: there is one whole record, and nothing half-written.

// RUN: rm -rf %t.* && %clang -O1 %s -o %t %rt_flags
// RUN: env ERGON_METERS=none ERGON_RUN_DIR=%t.runs %t
// RUN: %run_records %t.runs 'len(runs) == 101' 'all(len(each["regions"]) == 301 for each in runs[1:])'

#include <ergon.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *stop(void *Unused) {
  usleep(rand() % 600);
  kill(getpid(), SIGTERM);
  return 0;
}

static void *leave(void *Unused) {
  usleep(rand() % 600);
  _exit(3);
}

static int child(void) {
  char Name[30];
  pthread_t Thread;
  for (int I = 0; I != 300; ++I) {
    snprintf(Name, sizeof Name, "region %d", I);
    ergon_region_begin(Name);
    ergon_region_end(Name);
  }
  pthread_create(&Thread, 0, stop, 0);
  pthread_create(&Thread, 0, leave, 0);
  pthread_create(&Thread, 0, leave, 0);
  usleep(rand() % 600);
  return 0;
}

int main(void) {
  for (int I = 0; I != 100; ++I) {
    srand((unsigned)I);
    if (fork() == 0)
      return child();
    wait(0);
  }
  return 0;
}
