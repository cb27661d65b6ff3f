// Two functions of two parameters, and one with a branch on data.
double sqrt(double);

void product(long n, long m, const double *restrict A, const double *restrict B, double *restrict C) {
  for (long I = 0; I < n; ++I)
    for (long J = 0; J < n; ++J) {
      for (long K = 0; K < m; ++K) C[I * n + J] += A[I * m + K] * B[J * m + K];
    }
}

double roots(long n, const double *A) {
  double Sum = 0;
  for (long I = 0; I < n; ++I)
    if (A[I] > 0.5)
      Sum += sqrt(A[I]);
  return Sum;
}

void blend(long n, long m, const float *restrict A, float *restrict B) {
  product(n, m, (const double *)0, (const double *)0, (double *)0);
  for (long I = 0; I < n; ++I)
    B[I] = 0.25f * A[I] + 0.75f * B[I];
}

void wide(unsigned n, unsigned m, float *A) {
  unsigned Count = n * m;
  for (unsigned I = 0; I < Count; ++I)
    A[I & 7] *= 0.5f;
}
