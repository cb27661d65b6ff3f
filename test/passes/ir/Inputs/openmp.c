double dot(int n, const double *x, const double *y) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}

void two(long n, double *x, double *y) {
#pragma omp parallel num_threads(4)
  {
#pragma omp for nowait
    for (long i = 0; i < n; i++)
      x[i] = x[i] * 2.0;
#pragma omp for
    for (long i = 0; i < n; i++)
      y[i] += x[i];
#pragma omp single
    y[0] = y[0] * 3.0;
#pragma omp master
    y[1] = y[1] * 3.0;
#pragma omp critical
    y[2] = y[2] * 3.0;
  }
}

void dynamic(int n, double a, const double *x, double *y) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; i++)
    y[i] += a * x[i];
}

void clear(int n, double *x) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    x[i] = 0;
}
