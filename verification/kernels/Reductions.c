/* Many elements become one number. */
#include "verification/Kernels.h"

double KERNEL(sum)(long n, const double *a) {
  double sum = 0;
  for (long i = 0; i < n; i++)
    sum += a[i];
  return sum;
}

long KERNEL(sum_integers)(long n, const int *a) {
  long sum = 0;
  for (long i = 0; i < n; i++)
    sum += a[i];
  return sum;
}

double KERNEL(strided_sum)(long n, long stride, const double *a) {
  double sum = 0;
  for (long i = 0; i < n; i++)
    sum += a[i * stride];
  return sum;
}

double KERNEL(dot)(long n, const double *x, const double *y) {
  double sum = 0;
  for (long i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

double KERNEL(maximum)(long n, const double *a) {
  double most = a[0];
  for (long i = 1; i < n; i++)
    if (a[i] > most)
      most = a[i];
  return most;
}

long KERNEL(count_bytes)(long n, const char *text, char wanted) {
  long count = 0;
  for (long i = 0; i < n; i++)
    count += text[i] == wanted;
  return count;
}
