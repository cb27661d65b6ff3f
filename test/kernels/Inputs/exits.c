/* Loops that end early, alone or with the loops around them. Arguments: which one, n, m, and t. */
#include <stdlib.h>
#include <string.h>
#define KERNEL __attribute__((noinline))
#define IS(NAME) (!strcmp(words[1], #NAME))

/* Only the loop in the middle hangs on data. */
KERNEL int search(int n, int t, const int *restrict a, double *restrict x) {
  int found = -1;
  for (int i = 0; i < n; i++)
    x[i] *= 2;
  for (int i = 0; i < n; i++)
    if (a[i] > t) {
      found = i;
      break;
    }
  for (int i = 0; i < n; i++)
    x[i] = x[i] * 3 + 1;
  return found;
}

KERNEL int searchAndMend(int n, int t, const int *restrict a, double *restrict x) {
  for (int i = 0; i < n; i++) {
    x[i] += 1;
    if (a[i] > t) {
      x[i] = x[i] * x[i] + 2;
      return i;
    }
    x[i] *= 3;
  }
  return -1;
}

KERNEL void searchRows(int n, int m, int t, const int *restrict a, double *restrict x) {
  for (int i = 0; i < n; i++) {
    x[i] *= 2;
    for (int j = 0; j < m; j++) {
      if (a[i * m + j] > t)
        goto found;
      x[j] += 1;
    }
    x[i] *= 3;
  }
  x[0] += 1;
found:
  x[1] *= 2;
}

/* The first three on conditions that are formulas. */
KERNEL void corner(int n, int m, int t, double *x) { // m=30 t=n+10 x[n]
  for (int i = 0; i < n; i++) {
    x[i] *= 2;
    for (int j = 0; j < m; j++) {
      if (i + j >= t)
        goto found;
      x[j] += 1;
    }
    x[i] *= 3;
  }
  x[0] += 1;
found:
  x[1] *= 2;
}

KERNEL void limited(int n, int m, int t, double *x) { // m=40 t=n*20 x[n]
  for (int i = 0; i < n; i++) {
    x[i] *= 2;
    for (int j = 0; j < m; j++) {
      if (i * m + j >= t)
        return;
      x[j] += 1;
    }
    x[i] *= 3;
  }
}

KERNEL void threeLevels(int n, int m, int t, double *x) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      for (int k = 0; k < 4; k++) {
        x[k] += 1;
        if (j == t && k == 2)
          goto found;
      }
      x[j] *= 3;
    }
  x[0] -= 1;
found:
  x[1] *= 2;
}

/* An exit that is not tested in each iteration. */
KERNEL void underGuard(int n, int m, int t, double *x) { // m=n//4 t=n+7 x[n]
  for (int i = 0; i < n; i++) {
    x[i] += 1;
    if (i > m) {
      if (2 * i >= t)
        break;
      x[i] *= 3;
    }
    x[i] /= 2;
  }
}

/* A step over the number that ends it, or not; a start that is cut off to 16 bits. */
KERNEL void shorts(int n, int m, int t, double *x) {
  for (short j = 0; j <= n; j += 1) {
    if (2 * j + m == t)
      break;
    x[j] += 1;
  }
  for (int i = n; i >= 1; i--)
    for (short k = i - 7; k > 1; k -= 5)
      x[k] *= 2;
}

int main(int count, char **words) {
  int n = atoi(words[2]), m = atoi(words[3]), t = count > 4 ? atoi(words[4]) : m;
  int *a = malloc(4 * 4096);
  double *x = malloc(8 * 4096);
  for (int i = 0; i < 4096; i++)
    a[i] = i, x[i] = 1;
  if (IS(search)) search(n, t, a, x);
  if (IS(searchAndMend)) searchAndMend(n, t, a, x);
  if (IS(searchRows)) searchRows(n, m, t, a, x);
  if (IS(corner)) corner(n, m, t, x);
  if (IS(limited)) limited(n, m, t, x);
  if (IS(threeLevels)) threeLevels(n, m, t, x);
  if (IS(underGuard)) underGuard(n, m, t, x);
  if (IS(shorts)) shorts(n, m, t, x);
  return 0;
}
