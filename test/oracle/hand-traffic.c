// The oracle of traffic against misses that are plain from the source.
//
// REQUIRES: valgrind
// RUN: %clang -O2 -fno-vectorize -fno-slp-vectorize -gdwarf-4 -no-pie %s -o %t
// RUN: %traffic_oracle --D1 1024,2,64 --LL 4096,4,64 --function '^(total|columns|fill|zero|twice|bumped)$' %t | FileCheck %s

// Each line of 8 elements once: 1000 / 8. The line with the return address leaves dirty and is read again.
// CHECK: {"function": "total", "memory": {"d1_load_misses": 125, "ll_load_misses": 125, "ll_write_backs": 1}, "stack": {"d1_load_misses": 1, "ll_load_misses": 1}}
// The second call starts with empty caches too.
// CHECK: {"function": "total", "memory": {"d1_load_misses": 124, "ll_load_misses": 124,

// Rows are 4 lines apart, so that 32 of them share two sets of D1 and four sets of LL: each access misses.
// CHECK: {"function": "columns", "memory": {"d1_load_misses": 1024, "ll_load_misses": 1024,

// 128 lines, twice, through an LL of 64: of 257 dirty lines, one the return address's, 63 stay.
// CHECK: {"function": "fill", "memory": {"d1_store_misses": 256, "ll_store_misses": 256, "ll_write_backs": 193}, "stack": {{{.*}}"ll_write_backs": 1}

// What another function does for it, here the C library's, is told apart.
// CHECK: {"callees": {{{.*}}"d1_store_misses": 16,{{.*}}"function": "zero"

// Calls inside one that is counted are part of it, and the second one finds in the caches what the first one left.
// Which set the stack's line is in, and so whether it misses, is the environment's.
// CHECK: {"function": "twice", "memory": {"d1_load_misses": 8, "ll_load_misses": 8}
// CHECK-NOT: function

// An instruction that adds to memory counts as a store.
// RUN: %traffic_oracle --D1 1024,2,64 --LL 4096,4,64 --lines --function '^bumped$' %t all | FileCheck %s --check-prefix=LINES
// LINES: "lines": {"line [[#@LINE+36]]": {"memory d1_store_misses": 1000, "memory ll_store_misses": 1000, "memory ll_write_backs": 937}

// RUN: not %traffic_oracle --function '^bumped$' %t 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: no function of {{.*}} that matches '^bumped$' was executed (found, not executed: bumped)
#include <stdlib.h>
#include <string.h>

#define KERNEL __attribute__((noinline))

KERNEL double total(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i];
  return sum;
}

KERNEL double columns(int n, const double *x) {
  double sum = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      sum += x[i * n + j];
  return sum;
}

KERNEL void fill(int n, int times, volatile double *x) {
  for (int t = 0; t < times; t++)
    for (int i = 0; i < n; i++)
      x[i] = i;
}

KERNEL void zero(size_t n, char *x) { memset(x, 0, n); }

KERNEL double twice(int n, const double *x) { return total(n, x) + total(n, x); }

KERNEL void bumped(int n, long *x) {
  for (int i = 0; i < n; i++)
    x[8 * i] += 3;
}

int main(int argc, char **argv) {
  double *x = aligned_alloc(4096, 65536);
  memset(x, 0, 65536);
  volatile double sink = total(1000, x);
  sink = total(992, x);
  sink = columns(32, x);
  fill(1024, 2, x);
  zero(1024, (char *)x);
  sink = twice(64, x);
  if (argc > 1)
    bumped(1000, (long *)x);
  return 0;
}
