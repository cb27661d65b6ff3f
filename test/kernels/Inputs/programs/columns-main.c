// Columns of a matrix made orthogonal to each other.
#include <stdlib.h>
#define M 60
#define N 50
void start(int m, int n, double a[M][N]);
void orthogonal(int m, int n, double a[M][N], double r[N][N], double q[M][N]);
int main(void) {
  double(*a)[N] = malloc(sizeof(double) * M * N), (*r)[N] = malloc(sizeof(double) * N * N), (*q)[N] = malloc(sizeof(double) * M * N);
  start(M, N, a);
  orthogonal(M, N, a, r, q);
  double last = q[1][1];
  free(a);
  free(r);
  free(q);
  return last > 1e30;
}
