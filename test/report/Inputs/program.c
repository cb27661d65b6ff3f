// Loops of many kinds, for answers that are compared.
#include <stddef.h>
double sqrt(double);
void dgemm_like(int n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++)
        sum += a[i * (long)n + k] * b[k * (long)n + j];
      c[i * (long)n + j] = sum;
    }
}
float triangle(int n, int m, const float *restrict a, float *restrict b) {
  float sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j += 2) {
      b[j] = a[i] / (1.0f + a[j]);
      if (a[j] > 0)
        sum += b[j] * m;
    }
  return sum;
}
void stencil(int n, int rounds, double *restrict a, double *restrict b) {
  for (int t = 0; t < rounds; t++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
    for (int i = 1; i < n - 1; i++)
      a[i] = sqrt(b[i]);
  }
}
void histogram(int n, int bins, const unsigned *restrict keys, unsigned *restrict count) {
  for (int i = 0; i < n; i++)
    count[keys[i] % (unsigned)bins]++;
}
