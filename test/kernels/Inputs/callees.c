/* What shapes.c calls, in a file of its own. */
double scaled(int i, double x) { return i * x + 1; }
double row(int n, const double *a) {
  double sum = 0;
  for (int j = 0; j < n; j++)
    sum += a[j];
  return sum;
}
