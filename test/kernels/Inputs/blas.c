/* Dense kernels, each out of line. Arguments: which one, n, and jacobi's number of steps. */
#include <stdlib.h>
#define KERNEL __attribute__((noinline))

KERNEL void saxpy(int n, float a, const float *x, float *y) { // x[n] y[n]
  for (int i = 0; i < n; i++)
    y[i] = a * x[i] + y[i];
}

KERNEL double dot(int n, const double *x, const double *y) { // x[n] y[n]
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

KERNEL void gemm(int n, const double *restrict a, const double *restrict b, double *restrict c) { // a[n*n] b[n*n] c[n*n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

/* L x = b for a lower triangular L, forward substitution: x[i] = (b[i] - sum) / L[i][i]. */
KERNEL void trisolve(int n, const double *restrict l, const double *restrict b, double *restrict x) { // l[n*n] b[n] x[n]
  for (int i = 0; i < n; i++) {
    double sum = b[i];
    for (int j = 0; j < i; j++)
      sum -= l[i * n + j] * x[j];
    x[i] = sum / l[i * n + i];
  }
}

KERNEL void jacobi(int n, int steps, double *restrict a, double *restrict b) { // steps=2 a[n*n] b[n*n]
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i * n + j] = 0.2 * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i * n + j] = 0.2 * (b[i * n + j] + b[i * n + j - 1] + b[i * n + j + 1] + b[(i - 1) * n + j] + b[(i + 1) * n + j]);
  }
}

int main(int count, char **words) {
  int n = atoi(words[2]), steps = count > 3 ? atoi(words[3]) : 1;
  double *a = malloc(8 * n * n + 8), *b = malloc(8 * n * n + 8), *c = malloc(8 * n * n + 8);
  float *x = calloc(n + 1, 4), *y = calloc(n + 1, 4);
  for (int i = 0; i < n * n; i++)
    a[i] = b[i] = c[i] = 1 + i % 7;
  switch (words[1][0]) {
  case 's': saxpy(n, 2, x, y); break;
  case 'd': return dot(n, a, b) == 12345;
  case 'g': gemm(n, a, b, c); break;
  case 't': trisolve(n, a, b, c); break;
  case 'j': jacobi(n, steps, a, b); break;
  }
  return 0;
}
