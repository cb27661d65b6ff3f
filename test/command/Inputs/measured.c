/* Work that hangs on data; measured.proftext is what a run with 100 elements i % 10 counted. */
#include <stdlib.h>

__attribute__((noinline)) int find(int n, const int *x, int key, double *a) {
  for (int i = 0; i < n; i++) {
    if (x[i] == key)
      return i;
    a[i] *= 2;
  }
  return -1;
}

__attribute__((noinline)) void some(int n, const int *x, double *a) {
  for (int i = 0; i < n; i++)
    if (x[i] > 6)
      a[i] = a[i] * 2 + 1;
}

__attribute__((noinline)) void guessed(int n, const int *x, double *a) {
  for (int i = 0; i < n; i++)
    if (__builtin_expect(x[i] > 6, 1))
      a[i] = a[i] * 2 + 1;
}

__attribute__((noinline)) void chain(const int *next, double *a) {
  for (int i = 0; i != -1; i = next[i])
    a[i] += 1;
}

int main(int count, char **words) {
  int n = atoi(words[1]), *x = malloc(4 * n), *next = malloc(4 * n);
  double *a = calloc(n, 8);
  for (int i = 0; i < n; i++) {
    x[i] = i % 10;
    next[i] = i + 3 < n ? i + 3 : -1;
  }
  some(n, x, a);
  chain(next, a);
  return find(n, x, 7, a) + find(n, x, 3, a) == 12345;
}
