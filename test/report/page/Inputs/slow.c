// Sums without a closed form: for n = 1000000 the model is at them for many seconds.
double slow(long n, const double *restrict A) {
  double Sum = 0;
  for (long I = 0; I < n; ++I)
    for (long J = 0; J < I * I / (I + 7); ++J)
      Sum += A[J];
  return Sum;
}
double quick(long n, const double *restrict A) {
  double Sum = 0;
  for (long I = 0; I < n; ++I)
    Sum += A[I];
  return Sum;
}
