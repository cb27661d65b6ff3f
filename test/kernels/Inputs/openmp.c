/* Parallel regions of many shapes. Arguments: which one, n, and m. */
#include <stdlib.h>
#include <string.h>
#define KERNEL __attribute__((noinline))
#define IS(NAME) (!strcmp(words[1], #NAME))
int omp_get_thread_num(void);
int omp_get_num_threads(void);
/* Older runtimes do not have it, and need not. */
__attribute__((weak)) void __kmpc_dispatch_deinit(void *where, int thread) {}

KERNEL void scale(int n, const double *a, double *b) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    b[i] += 3 * a[i];
}

/* Each thread adds its sum to the whole one. */
KERNEL double dot(int n, const double *a, const double *b) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

KERNEL void triangle(int n, const double *a, double *b) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      b[i] += a[j] * 2;
}

KERNEL void guided(int n, double *a) {
#pragma omp parallel for schedule(guided)
  for (int i = 1; i < n - 1; i++)
    a[i] = a[i] * a[i] + 1;
}

KERNEL void collapsed(int n, int m, double *a) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i * m + j] *= 2;
}

KERNEL void lanes(int n, const double *a, double *b) {
#pragma omp parallel for simd
  for (int i = 0; i < n; i++)
    b[i] = a[i] / 3;
}

KERNEL void simdAlone(int n, const double *a, double *b) {
#pragma omp simd
  for (int i = 0; i < n; i++)
    b[i] = a[i] * 2 + 1;
}

/* Several loops and once-only work in one region, around time steps. */
KERNEL void steps(int n, int m, double *a, double *b) {
#pragma omp parallel
  {
    for (int t = 0; t < m; t++) {
#pragma omp for
      for (int i = 1; i < n - 1; i++)
        b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
#pragma omp for nowait
      for (int i = 1; i < n - 1; i++)
        a[i] = b[i] * 2;
#pragma omp barrier
#pragma omp single
      a[0] += 1;
#pragma omp master
      b[0] += 1;
    }
#pragma omp critical
    a[1] = a[1] * 3 + 1;
  }
}

/* Code of its own for each thread, and a share dealt out by hand. */
KERNEL void byHand(int n, double *a) {
#pragma omp parallel num_threads(3)
  {
    int me = omp_get_thread_num(), all = omp_get_num_threads();
    for (int i = me; i < n; i += all)
      a[i] *= 5;
    if (me == 1)
      a[n] += 1;
  }
}

KERNEL void sections(int n, double *a, double *b) {
#pragma omp parallel sections
  {
#pragma omp section
    for (int i = 0; i < n; i++)
      a[i] *= 2;
#pragma omp section
    for (int i = 0; i < n; i++)
      b[i] = b[i] * 2 + 1;
  }
}

KERNEL void perhaps(int n, int m, double *a) {
#pragma omp parallel for if (m > 1)
  for (int i = 0; i < n; i++)
    a[i] += 1;
}

/* A loop shared by the threads of the region that calls this. */
KERNEL void orphan(int n, double *a) {
#pragma omp for
  for (int i = 0; i < n; i++)
    a[i] += 2;
  a[n + omp_get_thread_num()] += 1;
}
KERNEL void callsOrphan(int n, double *a) {
#pragma omp parallel
  orphan(n, a);
}

KERNEL double last(int n, const double *a) {
  double x = 0;
#pragma omp parallel for lastprivate(x)
  for (int i = 0; i < n; i++)
    x = a[i] * 2;
  return x + 1;
}

/* No flops; the optimizer makes a memset of each thread's share. */
KERNEL void clear(int n, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    a[i] = 0;
}

KERNEL void nested(int n, int m, double *a) {
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < n; i++)
#pragma omp parallel for
    for (int j = 0; j < m; j++)
      a[i * m + j] += 1;
}

int main(int count, char **words) {
  int n = atoi(words[2]), m = count > 3 ? atoi(words[3]) : 1;
  long size = (long)n * n + n * m + 64;
  double *a = malloc(8 * size), *b = malloc(8 * size);
  for (long i = 0; i < size; i++)
    a[i] = b[i] = 1 + i % 5;
  if (IS(scale)) scale(n, a, b);
  if (IS(dot)) return dot(n, a, b) == 12345;
  if (IS(triangle)) triangle(n, a, b);
  if (IS(guided)) guided(n, a);
  if (IS(collapsed)) collapsed(n, m, a);
  if (IS(lanes)) lanes(n, a, b);
  if (IS(simdAlone)) simdAlone(n, a, b);
  if (IS(steps)) steps(n, m, a, b);
  if (IS(byHand)) byHand(n, a);
  if (IS(sections)) sections(n, a, b);
  if (IS(perhaps)) perhaps(n, m, a);
  if (IS(callsOrphan)) callsOrphan(n, a);
  if (IS(last)) return last(n, a) == 12345;
  if (IS(clear)) clear(n, a);
  if (IS(nested)) nested(n, m, a);
  return 0;
}
