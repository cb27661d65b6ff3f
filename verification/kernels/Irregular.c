/* What is accessed, or how often something runs, is in the data. */
#include "verification/Kernels.h"

void KERNEL(histogram)(long n, const unsigned *key, unsigned *bins) {
  for (long i = 0; i < n; i++)
    bins[key[i]]++;
}

void KERNEL(gather)(long n, const int *restrict at, const double *restrict x, double *restrict y) {
  for (long i = 0; i < n; i++)
    y[i] = x[at[i]];
}

void KERNEL(csr)(int n, const int *row, const int *col, const double *a, const double *x,
                 double *y) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = row[i]; k < row[i + 1]; k++)
      sum += a[k] * x[col[k]];
    y[i] = sum;
  }
}

long KERNEL(list_sum)(const struct node *first) {
  long sum = 0;
  for (const struct node *at = first; at; at = at->next)
    sum += at->value;
  return sum;
}

/* Steps to 1 of all numbers up to n. */
long KERNEL(collatz)(long n) {
  long steps = 0;
  for (long i = 1; i <= n; i++)
    for (unsigned long at = i; at != 1; steps++)
      at = at % 2 ? 3 * at + 1 : at / 2;
  return steps;
}
