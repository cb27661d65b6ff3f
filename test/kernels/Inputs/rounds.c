/* Loops that double, halve, end early, or walk pointers. Arguments: which one, n, and m. */
#include <stdlib.h>
#include <string.h>
#define KERNEL __attribute__((noinline))
#define IS(NAME) (!strcmp(words[1], #NAME))

KERNEL void doubled(int n, double *a) { // a[n]
  for (int i = 1; i < n; i *= 2)
    a[i] += 1;
}

KERNEL void geometric(int n, double *a) { // a[n+1]
  for (int i = 1; i <= n; i *= 3)
    for (int j = 0; j < i; j++)
      a[j] += 1;
}

/* The stages of a fast Fourier transform, a butterfly of three flops. */
KERNEL void butterflies(int n, double *a) { // n^2 a[n]
  for (int length = 2; length <= n; length <<= 1) {
    int half = length / 2;
    for (int i = 0; i < n; i += length)
      for (int j = 0; j < half; j++) {
        double u = a[i + j], v = a[i + j + half] * 2;
        a[i + j] = u + v;
        a[i + j + half] = u - v;
      }
  }
}

/* Runs of length 1, 2, 4, … merged in pairs: n·log n. */
KERNEL void merges(unsigned n, const double *restrict a, double *restrict b) { // a[n] b[n]
  for (unsigned width = 1; width < n; width *= 2)
    for (unsigned i = 0; i < n; i++)
      b[i] = a[i] + width;
}

KERNEL void siftUp(int n, double *a) { // a[n+1]
  for (int i = n; i > 0; i = (i - 1) / 2)
    a[i] *= 2;
}

/* All elements up to the next power of two. */
KERNEL void padded(int n, double *a) { // n^2 a[n]
  int size = 1;
  while (size < n)
    size *= 2;
  for (int i = 0; i < size; i++)
    a[i] += 1;
}

/* One flop where the loop ends by itself, three where it is left. */
KERNEL void leaving(int n, int m, double *a) { // m=n a[n]
  int i;
  for (i = 0; i < n; i++) {
    a[i] += 1;
    if (2 * i >= m)
      goto left;
  }
  a[0] *= 2;
  return;
left:
  a[0] = (a[0] + 1) * a[1] - 3;
}

/* i == m may never be: then the loop runs to its end. */
KERNEL void meeting(int n, int m, double *a) { // m=n//2 a[n]
  for (int i = 1; i < n; i += 3) {
    if (i == m)
      return;
    a[i] /= 3;
  }
}

KERNEL void tetrahedron(int n, double *restrict a) { // n<256 a[n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k <= j; k++)
        a[i] += a[k] * a[j];
}

KERNEL void tiled3(int n, double *restrict a) { // a[n*n*n]
  for (int ii = 0; ii < n; ii += 4)
    for (int jj = 0; jj < n; jj += 4)
      for (int kk = 0; kk < n; kk += 4)
        for (int i = ii; i < (ii + 4 < n ? ii + 4 : n); i++)
          for (int j = jj; j < (jj + 4 < n ? jj + 4 : n); j++)
            for (int k = kk; k < (kk + 4 < n ? kk + 4 : n); k++)
              a[(i * n + j) * n + k] *= 2;
}

KERNEL void bumping(long n, double *a) { // a[n]
  for (double *p = a, *end = a + n; p != end; p++)
    *p = *p * 2 + 1;
}

/* Two buffers that change places in each step. */
KERNEL void swapping(size_t n, size_t m, double *a, double *b) { // m=4 a[n] b[n]
  for (size_t t = 0; t < m; t++) {
    for (size_t i = 1; i + 1 < n; i++)
      b[i] = a[i - 1] + a[i + 1];
    double *other = a;
    a = b;
    b = other;
  }
}

KERNEL void imperfect(short n, double *restrict a) { // n<1100 a[n]
  for (short i = 0; i < n; i++) {
    a[i] += 1;
    for (short j = i; j < n; j += 2) {
      a[j] *= 3;
      if (i == j)
        a[j] -= 2;
      if (i != j && j < n - 2)
        a[j] /= 2;
    }
    a[i] *= 5;
  }
}

int main(int count, char **words) {
  int n = atoi(words[2]), m = count > 3 ? atoi(words[3]) : 1;
  long size = 4L * n * n * n + 64;
  double *a = malloc(8 * size), *b = malloc(8 * size);
  for (long i = 0; i < size; i++)
    a[i] = b[i] = 1 + i % 5;
  if (IS(doubled)) doubled(n, a);
  if (IS(geometric)) geometric(n, a);
  if (IS(butterflies)) butterflies(n, a);
  if (IS(merges)) merges(n, a, b);
  if (IS(siftUp)) siftUp(n, a);
  if (IS(padded)) padded(n, a);
  if (IS(leaving)) leaving(n, m, a);
  if (IS(meeting)) meeting(n, m, a);
  if (IS(tetrahedron)) tetrahedron(n, a);
  if (IS(tiled3)) tiled3(n, a);
  if (IS(bumping)) bumping(n, a);
  if (IS(swapping)) swapping(n, m, a, b);
  if (IS(imperfect)) imperfect(n, a);
  return 0;
}
