// Who can write to the folder of run records, and knows what they are going to be called, has put links there to a
// file of somebody else's: that file stays as it is, and the record is written.

// RUN: rm -rf %t.* && %clang -O1 %s -o %t %rt_flags && mkdir %t.runs && echo kept > %t.other
// RUN: env ERGON_METERS=none ERGON_RUN_DIR=%t.runs %t %t.runs %t.other
// RUN: echo kept | cmp - %t.other
// RUN: rm %t.runs/*.part && %run_records %t.runs 'run["ended"] == "exit"'

#include <stdio.h>
#include <time.h>
#include <unistd.h>

// The time at which the runtime says that the process began.
int clock_gettime(clockid_t Which, struct timespec *Into) {
  Into->tv_sec = 1000000000;
  Into->tv_nsec = 0;
  return 0;
}

int main(int Count, char **Arguments) {
  char Record[4096], Draft[4200];
  snprintf(Record, sizeof Record, "%s/run-%ld-1000000000000000000.json", Arguments[1],
           (long)getpid());
  snprintf(Draft, sizeof Draft, "%s.part", Record);
  return symlink(Arguments[2], Record) | symlink(Arguments[2], Draft);
}
