/* Ten loops with OpenMP for bench/cpu_time.py. */
#include "loops.h"
#include <math.h>

RESTRICTED(parallel_scale) {
#pragma omp parallel for
  for (long i = 0; i < n; i++)
    a[i] = 1.5 * b[i] + c[i];
  return 0;
}
RESTRICTED(parallel_dot) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}
RESTRICTED(parallel_roots) {
#pragma omp parallel for
  for (long i = 0; i < n; i++)
    a[i] = sqrt(b[i] + 1.0) / (c[i] + 2.0);
  return 0;
}
RESTRICTED(parallel_logs) {
#pragma omp parallel for
  for (long i = 0; i < n; i++)
    a[i] = log(b[i] + 1.0);
  return 0;
}
RESTRICTED(parallel_stencil) {
#pragma omp parallel for
  for (long i = 1; i < m - 1; i++)
    for (long j = 1; j < m - 1; j++)
      a[i * m + j] = 0.25 * (b[i * m + j - 1] + b[i * m + j + 1] + b[(i - 1) * m + j] + b[(i + 1) * m + j]);
  return 0;
}
RESTRICTED(parallel_rows) {
#pragma omp parallel for
  for (long i = 0; i < m; i++) {
    double sum = 0;
    for (long j = 0; j < m; j++)
      sum += a[i * m + j] * c[j];
    b[i] = sum;
  }
  return 0;
}
RESTRICTED(parallel_triangle) {
#pragma omp parallel for
  for (long i = 0; i < m; i++) {
    double sum = 0;
    for (long j = 0; j < i; j++)
      sum += a[i * m + j] * c[j];
    b[i] = sum;
  }
  return 0;
}
RESTRICTED(parallel_gather) {
#pragma omp parallel for
  for (long i = 0; i < n; i++)
    a[i] = b[p[i]];
  return 0;
}
RESTRICTED(parallel_polynomials) {
#pragma omp parallel for
  for (long i = 0; i < n; i++) {
    double value = 0;
    for (int k = 0; k < 12; k++)
      value = value * b[i] + c[k];
    a[i] = value;
  }
  return 0;
}
RESTRICTED(parallel_two_loops) {
#pragma omp parallel
  {
#pragma omp for
    for (long i = 0; i < n; i++)
      a[i] = b[i] * 0.5;
#pragma omp for
    for (long i = 0; i < n; i++)
      d[i] = a[i] + c[i];
  }
  return 0;
}
