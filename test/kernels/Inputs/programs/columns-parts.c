#include <math.h>
#define M 60
#define N 50
void start(int m, int n, double a[M][N]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = (double)((i * j) % m) / m * 100 + 10 + (i == j);
}
void orthogonal(int m, int n, double a[M][N], double r[N][N], double q[M][N]) {
  for (int k = 0; k < n; k++) {
    double norm = 0;
    for (int i = 0; i < m; i++)
      norm += a[i][k] * a[i][k];
    r[k][k] = sqrt(norm);
    for (int i = 0; i < m; i++)
      q[i][k] = a[i][k] / r[k][k];
    for (int j = k + 1; j < n; j++) {
      r[k][j] = 0;
      for (int i = 0; i < m; i++)
        r[k][j] += q[i][k] * a[i][j];
      for (int i = 0; i < m; i++)
        a[i][j] -= q[i][k] * r[k][j];
    }
  }
}
