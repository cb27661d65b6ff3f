// Regions, shared loops, and a variable that each thread has of its own.
double sum(long n, const double *x, double *y) {
  double total = 0;
#pragma omp parallel for reduction(+ : total)
  for (long i = 0; i < n; ++i) {
    y[i] = 2 * x[i];
    total += y[i];
  }
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for schedule(static)
    for (long i = 0; i < n; ++i)
      mine += x[i];
#pragma omp critical
    total += mine;
  }
  return total;
}
