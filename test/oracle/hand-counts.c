// The oracle against counts that are plain from the source, for n = 1000.
//
// REQUIRES: valgrind
// RUN: %clang -O2 -fno-vectorize -fno-slp-vectorize -fno-math-errno -no-pie %s -o %t -lm

// One multiplication, one addition and two loads of 8 bytes an iteration.
// RUN: %oracle --function '^dot$' %t 1000 | FileCheck %s --check-prefix=DOT
// DOT: {"flops_f64": 2000, "functions": {"dot": 1}, "instructions": {{[0-9]+}}, "load_bytes_memory": 16000, "loads_memory": 2000}

// The same from a vectorized build, whose instructions do several lanes: 512 = 64 * 8 elements leave no rest.
// Horizontal additions at the end come on top, so only the multiplications are plain: as fused operations.
// RUN: %clang -O2 -ffast-math -march=x86-64-v3 -no-pie %s -o %t.wide -lm
// RUN: %oracle --function '^dot$' %t.wide 512 | FileCheck %s --check-prefix=WIDE
// WIDE: "fma_f64": 512,{{.*}} "load_bytes_memory": 8192,

// Divisions and square roots count as work and as what they are: 1000 * (div + sqrt + add).
// RUN: %oracle --function '^roots$' %t 1000 | FileCheck %s --check-prefix=ROOTS
// ROOTS: {"div_f32": 1000, "flops_f32": 3000, "functions": {"roots": 1}, {{.*}} "loads_memory": 1000, "sqrt_f32": 1000,

// An instruction that adds to memory loads and stores: 1000 indices and 1000 counters of 4 bytes, and a store each.
// RUN: %oracle --function '^histogram$' %t 1000 | FileCheck %s --check-prefix=HISTOGRAM
// HISTOGRAM: "load_bytes_memory": 8000, "loads_memory": 2000, "store_bytes_memory": 4000, "stores_memory": 1000}

// A constant that the compiler keeps in .rodata is no load of the program; the table of the program is.
// RUN: %oracle --function '^lookup$' %t 1000 | FileCheck %s --check-prefix=LOOKUP
// LOOKUP: "flops_f64": 2000,{{.*}} "load_bytes_memory": 12000, "loads_constant": 1, "loads_memory": 2000}

// Eighteen values do not fit into sixteen registers: the rest is spilled, which is named apart. 18 loads
// are the program's, 18 * n additions and 17 for the sum.
// RUN: %oracle --function '^pressure$' %t 1000 | FileCheck %s --check-prefix=PRESSURE
// PRESSURE: "flops_f64": 18017,{{.*}} "loads_memory": 18, "loads_stack": {{[1-9]}}

// Locals of an unoptimized build are on the stack, reached through the frame pointer.
// RUN: %clang -O0 -fno-math-errno -no-pie %s -o %t.plain -lm
// RUN: %oracle --function '^dot$' %t.plain 1000 | FileCheck %s --check-prefix=PLAIN
// PLAIN: "load_bytes_memory": 16000,{{.*}} "loads_memory": 2000, "loads_stack": {{[1-9]}}

// Comparing: equal, different, and every reason for which there is nothing to compare.
// RUN: echo '{"counts": {"flops_f64": 2e3, "loads_memory": 2000}}' > %t.right
// RUN: %oracle --function '^dot$' --compare %t.right --classes flops_f64,loads_memory,stores_memory %t 1000 \
// RUN:   | FileCheck %s --check-prefix=EQUAL
// EQUAL: equal: flops_f64=2000, loads_memory=2000, stores_memory=0
// RUN: echo '{"counts": {"flops_f64": 1999, "loads_memory": 2000}}' > %t.wrong
// RUN: not %oracle --function '^dot$' --compare %t.wrong --classes flops_f64,loads_memory %t 1000 \
// RUN:   | FileCheck %s --check-prefix=DIFFERENT --implicit-check-not=loads
// DIFFERENT: flops_f64: predicted 1999, executed 2000
// RUN: not %oracle --function '^never$' %t 1000 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: no function of {{.*}} that matches '^never$' was executed (found, not executed: never)
// RUN: not %oracle --function '^nowhere$' %t 1000 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: no function of {{.*}} that matches '^nowhere$' was executed
// RUN: not %oracle --compare %t.right --classes flop %t 1000 2>&1 | FileCheck %s --check-prefix=CLASS
// CLASS: no such class: flop
// RUN: echo '{"counts": {}, "unbound": ["n"]}' > %t.unbound
// RUN: not %oracle --compare %t.unbound --classes flops_f64 %t 1000 2>&1 | FileCheck %s --check-prefix=UNBOUND
// UNBOUND: the prediction has unbound symbols: n
// RUN: not %oracle %t 2>&1 | FileCheck %s --check-prefix=STATUS
// STATUS: ended with status 3
#include <math.h>
#include <stdlib.h>

#define KERNEL __attribute__((noinline))

KERNEL double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

KERNEL void roots(int n, const float *x, float *y) {
  for (int i = 0; i < n; i++)
    y[i] = 1.0f / (sqrtf(x[i]) + 2.0f);
}

KERNEL void histogram(int n, const int *x, int *counts) {
  for (int i = 0; i < n; i++)
    counts[x[i]] += 3;
}

static const double table[4] = {1, 10, 100, 1000};

KERNEL double lookup(int n, const int *x) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += table[x[i]] * 2.5;
  return sum;
}

KERNEL double pressure(int n, const double *p) {
  double a0 = p[0], a1 = p[1], a2 = p[2], a3 = p[3], a4 = p[4], a5 = p[5], a6 = p[6], a7 = p[7], a8 = p[8],
         a9 = p[9], b0 = p[10], b1 = p[11], b2 = p[12], b3 = p[13], b4 = p[14], b5 = p[15], b6 = p[16],
         b7 = p[17];
  for (int i = 0; i < n; i++) {
    a0 += b7, a1 += a0, a2 += a1, a3 += a2, a4 += a3, a5 += a4, a6 += a5, a7 += a6, a8 += a7, a9 += a8;
    b0 += a9, b1 += b0, b2 += b1, b3 += b2, b4 += b3, b5 += b4, b6 += b5, b7 += b6;
  }
  return a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + b0 + b1 + b2 + b3 + b4 + b5 + b6 + b7;
}

KERNEL void never(void) {}

int main(int argc, char **argv) {
  if (argc < 2)
    return 3;
  if (argc > 99)
    never();
  int n = atoi(argv[1]);
  double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
  float *f = calloc(n, sizeof *f), *g = calloc(n, sizeof *g);
  int *index = calloc(n, sizeof *index), counts[4] = {0};
  for (int i = 0; i < n; i++)
    index[i] = i % 4;
  volatile double sink = dot(n, x, y);
  roots(n, f, g);
  histogram(n, index, counts);
  sink = lookup(n, index) + pressure(n, x);
  return 0;
}
