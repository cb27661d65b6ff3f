// Small structures by value: the calling convention packs their fields into one register.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL __attribute__((noinline))

struct extent { int rows, columns; };

KERNEL double first(struct extent of, const double *x) {
  double sum = 0;
  for (int i = 0; i < of.rows; i++)
    sum += x[i];
  return sum;
}

KERNEL double both(struct extent of, const double *x) {
  double sum = 0;
  for (int i = 0; i < of.rows; i++)
    for (int j = 0; j < of.columns; j++)
      sum += x[i] * x[j];
  return sum;
}

KERNEL double packs(int rows, int columns, const double *x) {
  struct extent of = {rows, columns + 1}, turned = {columns, rows};
  return first(of, x) + first(turned, x) + both(of, x);
}

int main(int argc, char **argv) {
  static double x[1000];
  return argc < 4 || strcmp(argv[1], "packs") || printf("%g\n", packs(atoi(argv[2]), atoi(argv[3]), x)) < 0;
}
