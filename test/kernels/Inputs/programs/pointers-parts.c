#include <stdlib.h>
double *now, *next, *weight;
static double *made(int n) { return malloc(sizeof(double) * n * n); }
void allocate(int n) {
  now = made(n);
  next = made(n);
  weight = made(n);
}
void fill(int n) {
  for (int i = 0; i < n * n; i++) {
    now[i] = i % 13;
    next[i] = 0;
    weight[i] = 1.0 / (1 + i % 7);
  }
}
void relax(int n) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      next[i * n + j] = weight[i * n + j] * (now[(i - 1) * n + j] + now[(i + 1) * n + j] + now[i * n + j - 1] + now[i * n + j + 1]);
}
double total(int n) {
  double sum = 0;
  for (int i = 0; i < n * n; i++)
    sum += now[i];
  return sum;
}
