// Triangles, tiles and guards whose loops go in steps: quotients of the outer loop's variable.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL __attribute__((noinline))

KERNEL void triangle(int n, int m, double *x) {
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j += 3)
      x[j] += m;
}

KERNEL void nested(int n, int m, double *x) {
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j += 7)
      for (int k = j; k < n; k += 2)
        x[k] += m;
}

// Tiles of m × m of the upper triangle.
KERNEL void tiles(int n, int m, double *x) {
  for (int ii = 0; ii < n; ii += m)
    for (int jj = 0; jj < n; jj += m)
      for (int i = ii; i < (ii + m < n ? ii + m : n); i++)
        for (int j = jj > i ? jj : i; j < (jj + m < n ? jj + m : n); j++)
          x[j] += 1;
}

KERNEL void guarded(int n, int m, double *x) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j += 4)
      if (i + j < n)
        x[j] += m;
}

KERNEL void stepOf(int n, int m, double *x) {
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j += m)
      x[j] += 1;
}

static inline __attribute__((always_inline)) void stage(int l, int n, double *x) {
  int blocks = 1 << (l - 1), length = 1 << (n - l);
  for (int i = 0; i < length; i++)
    for (int k = 0; k < blocks; k++)
      x[i * blocks + k] += 1;
}

/* Stages of a transform, two at a time; the second one of the last two may be left out. */
KERNEL void stages(int n, int m, double *x) {
  for (int l = 1; l <= n; l += 2) {
    stage(l, n, x);
    if (l == n)
      break;
    stage(l + 1, n, x);
  }
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  static double x[1000];
  int n = atoi(argv[2]), m = atoi(argv[3]);
  if (!strcmp(argv[1], "triangle"))
    triangle(n, m, x);
  if (!strcmp(argv[1], "nested"))
    nested(n, m, x);
  if (!strcmp(argv[1], "tiles"))
    tiles(n, m, x);
  if (!strcmp(argv[1], "guarded"))
    guarded(n, m, x);
  if (!strcmp(argv[1], "stepOf"))
    stepOf(n, m, x);
  if (!strcmp(argv[1], "stages"))
    stages(n, m, x);
  printf("%g\n", x[7]);
}
