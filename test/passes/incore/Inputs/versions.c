/* Vector loops that run only where objects do not overlap, or a stride is 1, and loops that are straight code. */
void halves(double *a, double *b, long n) {
  for (long i = 0; i < n; i++)
    b[i] = 0.5 * a[i];
}
void weighted(double *a, double *b, double *c, double *d, long n) {
  for (long i = 0; i < n; i++) {
    c[i] = 0.5 * a[i] + b[i];
    d[i] = a[i] - b[i];
  }
}
void strided(double *restrict a, const double *restrict b, long m, long n) {
  for (long i = 0; i < n; i++)
    a[i] += b[i * m];
}
void rows(double (*restrict a)[28], const double *restrict b, long n) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < 28; j++)
      a[i][j] += b[i] * 3.0;
}
void checked_rows(double (*a)[28], const double *b, long n) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < 28; j++)
      a[i][j] += b[j];
}
