#include <math.h>
extern double q[10];
void generate(int n, double *seed, double a, double *y) {
  double s = *seed;
  for (int i = 0; i < n; i++) {
    double t = a * s + 1;
    s = t - 16777216.0 * (long)(t * (1 / 16777216.0));
    y[i] = s * (1 / 16777216.0);
  }
  *seed = s;
}
int accept(const double *x, int n, double *sums) {
  int found = 0;
  for (int i = 0; i < n; i++) {
    double a = 2 * x[2 * i] - 1, b = 2 * x[2 * i + 1] - 1, t = a * a + b * b;
    if (t <= 1) {
      double f = sqrt(1 - t);
      q[found % 10] += 1;
      sums[0] += a * f;
      sums[1] += b * f;
      found++;
    }
  }
  return found;
}
