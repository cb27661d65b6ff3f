/* Linear algebra, matrices by rows. */
#include "verification/Kernels.h"

#include <math.h>

void KERNEL(gemv)(int m, int n, const double *a, const double *x, double *y) {
  for (int i = 0; i < m; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++)
      sum += a[(long)i * n + j] * x[j];
    y[i] = sum;
  }
}

/* The matrix is by columns here: m of each. */
void KERNEL(gemv_columns)(int m, int n, const double *restrict a, const double *restrict x,
                          double *restrict y) {
  for (int i = 0; i < m; i++)
    y[i] = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      y[i] += a[(long)j * m + i] * x[j];
}

void KERNEL(matmul_ijk)(int m, int n, int k, const double *restrict a, const double *restrict b,
                        double *restrict c) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int l = 0; l < k; l++)
        sum += a[(long)i * k + l] * b[(long)l * n + j];
      c[(long)i * n + j] = sum;
    }
}

void KERNEL(matmul_ikj)(int m, int n, int k, const double *restrict a, const double *restrict b,
                        double *restrict c) {
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++)
      c[(long)i * n + j] = 0;
    for (int l = 0; l < k; l++)
      for (int j = 0; j < n; j++)
        c[(long)i * n + j] += a[(long)i * k + l] * b[(long)l * n + j];
  }
}

static int least(int a, int b) { return a < b ? a : b; }

void KERNEL(matmul_blocked)(int m, int n, int k, const double *restrict a, const double *restrict b,
                            double *restrict c) {
  enum { block = 32 };
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      c[(long)i * n + j] = 0;
  for (int jj = 0; jj < n; jj += block)
    for (int ll = 0; ll < k; ll += block)
      for (int i = 0; i < m; i++)
        for (int l = ll; l < least(ll + block, k); l++)
          for (int j = jj; j < least(jj + block, n); j++)
            c[(long)i * n + j] += a[(long)i * k + l] * b[(long)l * n + j];
}

void KERNEL(syrk)(int n, int k, const double *restrict a, double *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int l = 0; l < k; l++)
        sum += a[(long)i * k + l] * a[(long)j * k + l];
      c[(long)i * n + j] = sum;
    }
}

void KERNEL(triangular_solve)(int n, const double *l, const double *b, double *restrict x) {
  for (int i = 0; i < n; i++) {
    double sum = b[i];
    for (int j = 0; j < i; j++)
      sum -= l[(long)i * n + j] * x[j];
    x[i] = sum / l[(long)i * n + i];
  }
}

void KERNEL(cholesky)(int batch, int n, const double *restrict a, double *restrict l) {
  for (int p = 0; p < batch; p++) {
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < i; j++) {
        double sum = a[(long)i * n + j];
        for (int k = 0; k < j; k++)
          sum -= l[(long)i * n + k] * l[(long)j * n + k];
        l[(long)i * n + j] = sum / l[(long)j * n + j];
      }
      double sum = a[(long)i * n + i];
      for (int k = 0; k < i; k++)
        sum -= l[(long)i * n + k] * l[(long)i * n + k];
      l[(long)i * n + i] = sqrt(sum);
    }
    a += (long)n * n;
    l += (long)n * n;
  }
}

/* Of m rows, n columns: without pivots. */
void KERNEL(lu)(int m, int n, const double *restrict a, double *restrict f) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      f[(long)i * n + j] = a[(long)i * n + j];
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < m; i++) {
      double factor = f[(long)i * n + k] / f[(long)k * n + k];
      f[(long)i * n + k] = factor;
      for (int j = k + 1; j < n; j++)
        f[(long)i * n + j] -= factor * f[(long)k * n + j];
    }
}

void KERNEL(transpose)(int n, const double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[(long)j * n + i] = a[(long)i * n + j];
}
