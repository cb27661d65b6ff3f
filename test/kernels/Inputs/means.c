/* Loops whose length is data: row i has i % 4 entries, none in every fourth row. Arguments: which one, and n. */
#include <stdlib.h>
#include <string.h>
#define KERNEL __attribute__((noinline))
#define IS(NAME) (!strcmp(words[1], #NAME))

KERNEL void csr(int n, const int *row, const int *column, const double *value, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = row[i]; j < row[i + 1]; j++)
      sum += value[j] * x[column[j]];
    y[i] = sum;
  }
}

KERNEL void jagged(int n, const unsigned char *length, double **rows) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < length[i]; j++)
      rows[i][j] = rows[i][j] * 2 + 1;
}

int main(int count, char **words) {
  int n = atoi(words[2]), *row = malloc(4 * (n + 1)), *column = malloc(16 * n);
  unsigned char *length = malloc(n);
  double *value = malloc(32 * n), *x = malloc(8 * n), *y = malloc(8 * n), **rows = malloc(8 * n);
  row[0] = 0;
  for (int i = 0; i < n; i++) {
    length[i] = i % 4;
    row[i + 1] = row[i] + length[i];
    rows[i] = value + row[i];
    x[i] = i;
  }
  for (int j = 0; j < row[n]; j++) {
    value[j] = j % 3;
    column[j] = j % n;
  }
  if (IS(csr)) csr(n, row, column, value, x, y);
  if (IS(jagged)) jagged(n, length, rows);
  return 0;
}
