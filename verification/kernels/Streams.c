/* Each element by itself, or with the one before. */
#include "verification/Kernels.h"

void KERNEL(copy)(long n, double *a, const double *b) {
  for (long i = 0; i < n; i++)
    a[i] = b[i];
}

void KERNEL(fill)(long n, double *a, double s) {
  for (long i = 0; i < n; i++)
    a[i] = s;
}

void KERNEL(triad)(long n, double *restrict a, const double *restrict b, const double *restrict c,
                   double s) {
  for (long i = 0; i < n; i++)
    a[i] = b[i] + s * c[i];
}

void KERNEL(axpy)(long n, double s, const double *x, double *y) {
  for (long i = 0; i < n; i++)
    y[i] += s * x[i];
}

void KERNEL(axpy_f32)(int n, float s, const float *x, float *y) {
  for (int i = 0; i < n; i++)
    y[i] += s * x[i];
}

void KERNEL(divide)(long n, double *a, const double *b, const double *c) {
  for (long i = 0; i < n; i++)
    a[i] = b[i] / c[i];
}

void KERNEL(complex_multiply)(long n, double *restrict a, const double *b, const double *c) {
  for (long i = 0; i < n; i++) {
    a[2 * i] = b[2 * i] * c[2 * i] - b[2 * i + 1] * c[2 * i + 1];
    a[2 * i + 1] = b[2 * i] * c[2 * i + 1] + b[2 * i + 1] * c[2 * i];
  }
}

void KERNEL(horner)(long n, int degree, const double *restrict c, const double *restrict x,
                    double *restrict y) {
  for (long i = 0; i < n; i++) {
    double value = c[degree];
    for (int k = degree - 1; k >= 0; k--)
      value = value * x[i] + c[k];
    y[i] = value;
  }
}

void KERNEL(prefix_sum)(long n, const double *a, double *sums) {
  double sum = 0;
  for (long i = 0; i < n; i++) {
    sum += a[i];
    sums[i] = sum;
  }
}
