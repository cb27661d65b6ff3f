// A folder that cannot be written to, or no room for the record: the program notices nothing, no half
// of a record is left, and an earlier one of the process stays.

// RUN: rm -rf %t.* && %clang -O1 %s -o %t %rt_flags
// RUN: touch %t.file && env ERGON_METERS=none %same %t.file/runs %t
// RUN: env ERGON_METERS=none %same /dev/full %t && env ERGON_METERS=none %same /proc/self %t
// RUN: mkdir %t.locked && chmod 555 %t.locked
// RUN: env ERGON_METERS=none %python %S/Inputs/unprivileged.py %same %t.locked %t
// RUN: %run_records %t.locked 'runs == []'
// A record of some hundred bytes has room for no more.
// RUN: env ERGON_METERS=none SIZE_LIMIT=100 %same %t.full %t && %run_records %t.full 'runs == []'
// RUN: env ERGON_METERS=none SIZE_LIMIT=6000 %same %t.half %t more
// RUN: %run_records %t.half 'run["ended"] == "running"' 'len(run["regions"]) == 1'

#include <ergon.h>
#include <stdio.h>

int main(int Count, char **Arguments) {
  ergon_write_run();
  char Name[32];
  for (int I = 0; I != (Count > 1 ? 1000 : 0); ++I) {
    snprintf(Name, sizeof Name, "a region of number %d", I);
    ergon_region_begin(Name);
    ergon_region_end(Name);
  }
  puts("done");
  return 4;
}
