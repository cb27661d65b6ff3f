/* Loops of many shapes. Arguments: which one, n, and m. */
#include <stdlib.h>
#include <string.h>
#define KERNEL __attribute__((noinline))
#define IS(NAME) (!strcmp(words[1], #NAME))

/* C = C + A·Aᵀ, the lower triangle alone. */
KERNEL void syrk(int n, int m, const double *restrict a, double *restrict c) { // m=n//2 a[n*m] c[n*n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < m; k++)
        c[i * n + j] += a[i * m + k] * a[j * m + k];
}

/* A square walked through, the work done above the diagonal alone. */
KERNEL void guarded(int n, const double *restrict a, double *restrict c) { // a[n*n] c[n*n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i < j)
        c[i * n + j] = 2 * a[j * n + i];
}

/* Tiles of 16 with a ragged edge. */
KERNEL void tiled(int n, const double *restrict a, double *restrict b) { // a[n*n] b[n*n]
  for (int ii = 0; ii < n; ii += 16)
    for (int jj = 0; jj < n; jj += 16)
      for (int i = ii; i < (ii + 16 < n ? ii + 16 : n); i++)
        for (int j = jj; j < (jj + 16 < n ? jj + 16 : n); j++)
          b[j * n + i] = 3 * a[i * n + j];
}

/* Shortest paths; no flops, loads and stores of ints. */
KERNEL void paths(int n, int *d) { // d[n*n]
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        d[i * n + j] = d[i * n + j] < d[i * n + k] + d[k * n + j] ? d[i * n + j] : d[i * n + k] + d[k * n + j];
}

KERNEL void stencil3(int n, const double *restrict a, double *restrict b) { // a[n*n*n] b[n*n*n]
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      for (int k = 1; k < n - 1; k++)
        b[(i * n + j) * n + k] = a[(i * n + j) * n + k] * -6 + a[((i - 1) * n + j) * n + k] + a[((i + 1) * n + j) * n + k] +
                                 a[(i * n + j - 1) * n + k] + a[(i * n + j + 1) * n + k];
}

KERNEL void down(int n, double *a) { // a[n]
  for (int i = n - 1; i >= 0; i--)
    a[i] = a[i] * 2 + 1;
}

KERNEL void doWhile(int n, double *a) { // a[n]
  int i = 0;
  do {
    a[i] += 1;
    i++;
  } while (i < n);
}

KERNEL void evens(int n, double *a) { // a[n]
  for (int i = 0; i < n; i++) {
    if (i % 2)
      continue;
    a[i] = a[i] * 3 + 1;
  }
}

KERNEL void odds(int n, double *a) { // a[n]
  for (int i = 0; i < n; i++)
    if (i & 1)
      a[i] = a[i] * 3 + 1;
}

KERNEL void thirds(int n, double *a) { // a[n]
  for (int i = 0; i < n; i++)
    if (i % 3 == 1)
      a[i] = a[i] * 3 + 1;
}

/* The black fields of a chess board. */
KERNEL void checker(int n, double *a) { // a[n*n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if ((i + j) % 2 == 0)
        a[i * n + j] += 1;
}

KERNEL void quarters(int n, double *a) { // a[n]
  for (int i = 0; i < n; i++)
    if ((i & 3) == 2)
      a[i] += 1;
}

/* A trip count that is a remainder. */
KERNEL void remainders(int n, double *a) { // a[n+4]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i % 4; j++)
      a[i + j] += 1;
}

KERNEL void strided(int n, int m, double *a) { // m=13 a[n]
  for (int i = 0; i < n; i += m)
    a[i] += 1;
}

KERNEL void halving(int n, double *a) { // a[n]
  for (int s = n / 2; s > 0; s /= 2)
    for (int i = 0; i < s; i++)
      a[i] += a[i + s];
}

KERNEL void band(int n, int m, double *restrict a) { // m=4 a[n*n]
  for (int i = 0; i < n; i++)
    for (int j = i - m > 0 ? i - m : 0; j < (i + m + 1 < n ? i + m + 1 : n); j++)
      a[i * n + j] *= 2;
}

KERNEL void bytes(signed char n, double *a) {
  for (signed char i = 0; i < n; i++)
    a[i] += 1;
}

KERNEL void unsignedDown(unsigned n, double *a) { // a[n]
  for (unsigned i = n; i-- > 0;)
    a[i] *= 2;
}

KERNEL void twoExits(int n, int m, double *a) { // m=2*n a[n]
  for (int i = 0; i < n; i++) {
    if (i * 3 >= m)
      break;
    a[i] *= 2;
  }
}

KERNEL double reversed(int n, const double *a) { // a[n+1]
  double sum = 0;
  for (int i = n; i > 0; i -= 3)
    sum += a[i] * a[i - 1];
  return sum;
}

KERNEL void lu(int n, double *a) { // a[n*n]
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      a[i * n + k] /= a[k * n + k];
      for (int j = k + 1; j < n; j++)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
}

/* Two regions of one loop by an affine condition on another parameter. */
KERNEL void split(int n, int m, double *a) { // m=n//3 a[n]
  for (int i = 0; i < n; i++)
    if (i < m)
      a[i] = a[i] + 1;
    else
      a[i] = a[i] * 2 + 1;
}

KERNEL void switched(int n, double *a) { // a[n]
  for (int i = 0; i < n; i++)
    switch (i % 4) {
    case 0: a[i] += 1; break;
    case 1: a[i] = a[i] * 2 + 1; break;
    default: a[i] = a[i] / 3; break;
    }
}

/* The fields of one color, then those of the other: where a row begins changes from row to row. */
KERNEL void colors(int n, double *a) { // a[n*n]
  for (int color = 0; color < 2; color++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1 + (i + color) % 2; j < n - 1; j += 2)
        a[i * n + j] += a[i * n + j - 1] + a[i * n + j + 1];
}

double scaled(int i, double x);
KERNEL void calling(int n, double *a) { // a[n] callees=scaled
  for (int i = 0; i < n; i++)
    a[i] = scaled(i, a[i]);
}
double row(int n, const double *a);
KERNEL double callingRows(int n, const double *a) { // a[n+8] callees=row
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += row(i, a);
  return sum;
}

int main(int count, char **words) {
  int n = atoi(words[2]), m = count > 3 ? atoi(words[3]) : 1;
  long size = (long)n * n * n + n * m + 64;
  double *a = malloc(8 * size), *b = malloc(8 * size);
  int *d = calloc(size, 4);
  for (long i = 0; i < size; i++)
    a[i] = b[i] = 1 + i % 5;
  if (IS(syrk)) syrk(n, m, a, b);
  if (IS(guarded)) guarded(n, a, b);
  if (IS(tiled)) tiled(n, a, b);
  if (IS(paths)) paths(n, d);
  if (IS(stencil3)) stencil3(n, a, b);
  if (IS(down)) down(n, a);
  if (IS(doWhile)) doWhile(n, a);
  if (IS(evens)) evens(n, a);
  if (IS(odds)) odds(n, a);
  if (IS(thirds)) thirds(n, a);
  if (IS(checker)) checker(n, a);
  if (IS(quarters)) quarters(n, a);
  if (IS(remainders)) remainders(n, a);
  if (IS(strided)) strided(n, m, a);
  if (IS(halving)) halving(n, a);
  if (IS(band)) band(n, m, a);
  if (IS(bytes)) bytes(n, a);
  if (IS(unsignedDown)) unsignedDown(n, a);
  if (IS(twoExits)) twoExits(n, m, a);
  if (IS(reversed)) return reversed(n, a) == 12345;
  if (IS(lu)) lu(n, a);
  if (IS(split)) split(n, m, a);
  if (IS(switched)) switched(n, a);
  if (IS(colors)) colors(n, a);
  if (IS(calling)) calling(n, a);
  if (IS(callingRows)) return callingRows(n, a) == 12345;
  return 0;
}
