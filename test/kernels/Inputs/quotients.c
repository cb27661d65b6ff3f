// Loops whose bounds are quotients and remainders of parameters, of either sign.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL __attribute__((noinline))

KERNEL double wholeParts(int n, int m, const double *x) {
  double sum = 0;
  for (int i = 0; i < n / m; i++)
    sum += x[i];
  return sum;
}

KERNEL double leftOver(int n, int m, const double *x) {
  double sum = 0;
  for (int i = 0; i < n % m; i++)
    sum += x[i];
  return sum;
}

// Each of m workers takes a share of n, the first n % m workers one more.
KERNEL double shares(long n, long m, const double *x) {
  double sum = 0;
  for (long worker = 0; worker < m; worker++) {
    long size = n / m + (worker < n % m);
    for (long i = 0; i < size; i++)
      sum += x[i];
  }
  return sum;
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  static double x[1000];
  int n = atoi(argv[2]), m = atoi(argv[3]);
  double sum = -1;
  if (!strcmp(argv[1], "wholeParts"))
    sum = wholeParts(n, m, x);
  else if (!strcmp(argv[1], "leftOver"))
    sum = leftOver(n, m, x);
  else if (!strcmp(argv[1], "shares"))
    sum = shares(n, m, x);
  else
    return 2;
  return printf("%g\n", sum) < 0;
}
