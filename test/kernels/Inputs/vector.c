/* Loops that clang vectorizes at -O2 -march=x86-64-v3. Arguments: which one, n, and m. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#define KERNEL __attribute__((noinline))
#define IS(NAME) (!strcmp(words[1], #NAME))

/* Two vector loops (16 and 4 lanes an iteration), a scalar rest that is unrolled,
   and a version for pointers that overlap. */
KERNEL void saxpy(int n, double f, const double *x, double *y) { // x[n] y[n]
  for (int i = 0; i < n; i++)
    y[i] += f * x[i];
}

/* Three pointers, `long` bounds, single precision. */
KERNEL void add3(long n, const float *a, const float *b, float *c) { // a[n] b[n] c[n]
  for (long i = 0; i < n; i++)
    c[i] = a[i] + b[i];
}

/* A width that differs between the types. */
KERNEL void mixed(unsigned n, const float *restrict a, double *restrict b) { // a[n] b[n]
  for (unsigned i = 0; i < n; i++)
    b[i] = 0.5 * a[i] + b[i];
}

/* In order: stays scalar, unrolled eight times, and its rest. */
KERNEL double dot(int n, const double *restrict a) { // a[n]
  double s = 0;
  for (int i = 0; i < n; i++)
    s += a[i] * a[i];
  return s;
}

/* The inner loop's trip count is the outer one's variable. */
KERNEL void triangle(int n, const double *restrict a, double *restrict b) { // a[n*n] b[n*n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      b[i * n + j] += 3 * a[i * n + j];
}

KERNEL void stencil(int n, const double *restrict a, double *restrict b) { // a[n*n] b[n*n]
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      b[i * n + j] = 0.2 * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i + 1) * n + j] +
                            a[(i - 1) * n + j]);
}

/* No branch is left: both values are computed in every lane. */
KERNEL void choice(int n, double *restrict a) {
  for (int i = 0; i < n; i++)
    a[i] = a[i] > 2 ? a[i] * 2 : a[i] + 1;
}

/* Downward, divisions and roots. */
KERNEL void down(int n, double *restrict a, const double *restrict b) { // a[n] b[n]
  for (int i = n - 1; i >= 0; i--)
    a[i] = sqrt(b[i]) / (b[i] + 1);
}

/* Pairs: interleaved accesses. */
KERNEL void complexes(int n, const double *restrict a, double *restrict b) { // a[2*n] b[2*n]
  for (int i = 0; i < n; i++) {
    double re = a[2 * i], im = a[2 * i + 1];
    b[2 * i] = re * re - im * im;
    b[2 * i + 1] = 2 * re * im;
  }
}

/* Vectorized across the inner loop's known trip count, no loop is left of it. */
KERNEL void fours(int n, double *restrict a) { // a[4*n]
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 4; k++)
      a[4 * i + k] = a[4 * i + k] * 2 + k;
}

/* A bound that is computed, and a start that is not zero. */
KERNEL void part(int n, int m, double *restrict a) { // m=n//8 a[n]
  for (int i = m; i < n / 2; i++)
    a[i] += 1.5;
}

/* Rows at a distance of one another: the check is of two distances. */
KERNEL void rows(int n, int m, double *a, double *b) { // m=6 a[n*m] b[n]
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      a[j * n + i] = a[j * n + i] + 2 * b[i];
}

KERNEL void fused(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] = fma(a[i], b[i], 1.0);
}

int main(int count, char **words) {
  int n = atoi(words[2]), m = count > 3 ? atoi(words[3]) : 1;
  long size = (long)n * n + n * m + 4 * n + 64;
  double *a = malloc(8 * size), *b = malloc(8 * size);
  float *x = malloc(4 * size), *y = malloc(4 * size), *z = malloc(4 * size);
  for (long i = 0; i < size; i++)
    a[i] = b[i] = x[i] = y[i] = z[i] = 1 + i % 5;
  if (IS(saxpy)) saxpy(n, 1.5, a, b);
  if (IS(add3)) add3(n, x, y, z);
  if (IS(mixed)) mixed(n, x, b);
  if (IS(dot)) return dot(n, a) == 12345;
  if (IS(triangle)) triangle(n, a, b);
  if (IS(stencil)) stencil(n, a, b);
  if (IS(choice)) choice(n, a);
  if (IS(down)) down(n, a, b);
  if (IS(complexes)) complexes(n, a, b);
  if (IS(fours)) fours(n, a);
  if (IS(part)) part(n, m, a);
  if (IS(rows)) rows(n, m, a, b);
  if (IS(fused)) fused(n, a, b);
  return 0;
}
