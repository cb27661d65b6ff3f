void later(double *x) {
#pragma omp task shared(x)
  x[0] += 1;
}
