#include "sparse.h"
void build(void) {
  unsigned state = 1;
  for (int i = 0; i < N; i++) {
    rowStart[i] = i * ROW;
    for (int k = 0; k < ROW; k++) {
      state = state * 1664525u + 1013904223u;
      column[i * ROW + k] = k == 0 ? i : (int)((state >> 8) % N);
      value[i * ROW + k] = k == 0 ? 20 : -1;
    }
  }
  rowStart[N] = N * ROW;
}
void multiply(double *to, const double *from) {
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int k = rowStart[i]; k < rowStart[i + 1]; k++)
      sum += value[k] * from[column[k]];
    to[i] = sum;
  }
}
double dot(const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < N; i++)
    sum += a[i] * b[i];
  return sum;
}
void axpy(double *to, const double *from, double a) {
  for (int i = 0; i < N; i++)
    to[i] += a * from[i];
}
