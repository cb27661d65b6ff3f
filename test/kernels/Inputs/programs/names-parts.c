void set(double *p, int n) {
  for (int i = 0; i < n; i++)
    p[i] = i % 11;
}
void scale(double *to, const double *from, int n) {
  for (int i = 0; i < n; i++)
    to[i] = 0.5 * from[i];
}
void halves(double *low, double *high, int n) {
  for (int i = 0; i < n; i++) {
    double t = low[i];
    low[i] = high[n - 1 - i];
    high[n - 1 - i] = t;
  }
}
double both(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}
