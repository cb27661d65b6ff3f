/* Branches on parameters that choose. Arguments: which one, n, and up to two choices. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#define KERNEL __attribute__((noinline))
#define IS(NAME) (!strcmp(words[1], #NAME))

KERNEL void flagged(int n, bool whole, double *a) {
  for (int i = 0; i < n; i++)
    if (whole || i % 2 == 0)
      a[i] *= 2;
  if (!whole)
    a[0] += 1;
}

KERNEL void moded(int n, unsigned char mode, double *a) {
  if (mode == 200)
    for (int i = 0; i < n; i++)
      a[i] += 1;
  else if (mode > 3)
    for (int i = 0; i < 2 * n; i++)
      a[i] += 1;
}

KERNEL void shifted(int n, signed char by, double *a) {
  if (by < 0)
    for (int i = -by; i < n; i++)
      a[i + by] += a[i];
  else
    for (int i = 0; i < n - by; i++)
      a[i + by] -= a[i] * 3;
}

enum Side { Left, Right, Both };
KERNEL void sided(int n, enum Side side, bool transposed, double *a) {
  switch (side) {
  case Left:
    for (int i = 0; i < n; i++)
      a[i] += 1;
    break;
  case Right:
    for (int i = 0; i < (transposed ? 2 * n : n); i++)
      a[i] *= a[i + 1] + 2;
    break;
  case Both:
    a[0] /= 2;
  }
}

int main(int count, char **words) {
  int n = atoi(words[2]), m = atoi(words[3]), k = count > 4 ? atoi(words[4]) : 0;
  double *a = malloc(8 * (4 * n + 1000L));
  for (int i = 0; i < 4 * n + 1000; i++)
    a[i] = 1 + i % 5;
  if (IS(flagged)) flagged(n, m, a);
  if (IS(moded)) moded(n, (unsigned char)m, a);
  if (IS(shifted)) shifted(n, (signed char)m, a);
  if (IS(sided)) sided(n, (enum Side)m, k, a);
  return 0;
}
