/* What sizes.c calls, in a file of its own. */
struct dims {
  int nx, ny;
};

void inner_(const int *n, double *a) {
  for (int i = 0; i < *n; i++)
    a[i] += 1;
}

void rows(const struct dims *d, double *a) {
  for (int i = 0; i < d->nx; i++)
    for (int j = 0; j < d->ny; j++)
      a[j] += 1;
}
