#include "fields.h"
#include <stdlib.h>
void openFields(struct Fields *f, int n) {
  f->ex = malloc(n * n * sizeof(double));
  f->ey = malloc(n * n * sizeof(double));
  f->hz = malloc(n * n * sizeof(double));
  for (int i = 0; i < n * n; i++) {
    f->ex[i] = i % 7;
    f->ey[i] = i % 5;
    f->hz[i] = i % 3;
  }
}
void electric(struct Fields *f, int n, int t) {
  double *ex = f->ex, *ey = f->ey, *hz = f->hz;
  for (int j = 0; j < n; j++)
    ey[j] = t;
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n; j++)
      ey[i * n + j] -= 0.5 * (hz[i * n + j] - hz[(i - 1) * n + j]);
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++)
      ex[i * n + j] -= 0.5 * (hz[i * n + j] - hz[i * n + j - 1]);
}
void magnetic(struct Fields *f, int n) {
  for (int i = 0; i < n - 1; i++)
    for (int j = 0; j < n - 1; j++)
      f->hz[i * n + j] -= 0.7 * (f->ex[i * n + j + 1] - f->ex[i * n + j] + f->ey[(i + 1) * n + j] - f->ey[i * n + j]);
}
void closeFields(struct Fields *f) {
  free(f->ex);
  free(f->ey);
  free(f->hz);
}
