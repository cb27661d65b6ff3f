// Loops of which the instructions of an iteration can be counted by hand.

double sum(const double *restrict a, long n) {
  double s = 0;
  for (long i = 0; i < n; i++)
    s += a[i];
  return s;
}

void triad(double *restrict a, const double *restrict b, const double *restrict c, long n) {
  for (long i = 0; i < n; i++)
    a[i] = b[i] + 3.0 * c[i];
}

void third(double *a, long n) {
  for (long i = 3; i < n; i++)
    a[i] = a[i - 3] / a[i];
}

unsigned hash(const unsigned *restrict a, long n) {
  unsigned h = 5381;
#pragma clang loop unroll(disable)
  for (long i = 0; i < n; i++)
    h = h * 33u ^ a[i];
  return h;
}

double fibonacci(double x, double y, long n) {
#pragma clang loop unroll(disable)
  for (long i = 0; i < n; i++) {
    double z = x * 0.5 + y;
    x = y;
    y = z;
  }
  return y;
}

double larger(const double *restrict a, long n) {
  double m = a[0];
#pragma clang loop unroll(disable)
  for (long i = 1; i < n; i++)
    m = a[i] > m ? a[i] : m;
  return m;
}

long matches(const char *restrict a, char wanted, long n) {
  long found = 0;
  for (long i = 0; i < n; i++)
    found += a[i] == wanted;
  return found;
}

long larger_ones(const double *restrict a, double than, long n) {
  long found = 0;
  for (long i = 0; i < n; i++)
    found += a[i] > than;
  return found;
}

void pairs(double *restrict a, const double *restrict b, long n) {
  for (long i = 0; i < n; i++)
    a[i] = b[2 * i] * b[2 * i + 1];
}

long halvings(long of) {
  long steps = 0;
  for (; of != 1; steps++)
    of = of % 2 ? 3 * of + 1 : of / 2;
  return steps;
}
