#include "lines.h"
void setUp(void) {
  for (int k = 0; k < N; k++)
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N; i++)
        for (int m = 0; m < 5; m++)
          u[k][j][i][m] = 1 + 0.01 * (k + j + i + m);
}
void computeRhs(void) {
  for (int k = 0; k < N; k++)
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N; i++)
        for (int m = 0; m < 5; m++)
          rhs[k][j][i][m] = u[k][j][i][m];
  for (int k = 1; k < N - 1; k++)
    for (int j = 1; j < N - 1; j++)
      for (int i = 1; i < N - 1; i++)
        for (int m = 0; m < 5; m++)
          rhs[k][j][i][m] += 0.1 * (u[k - 1][j][i][m] + u[k + 1][j][i][m] + u[k][j - 1][i][m] + u[k][j + 1][i][m] + u[k][j][i - 1][m] +
                                    u[k][j][i + 1][m] - 6 * u[k][j][i][m]);
}
void add(void) {
  for (int k = 1; k < N - 1; k++)
    for (int j = 1; j < N - 1; j++)
      for (int i = 1; i < N - 1; i++)
        for (int m = 0; m < 5; m++)
          u[k][j][i][m] += 0.01 * rhs[k][j][i][m];
}
void multiplySubtract(double a[5][5], double x[5], double y[5]) {
  for (int m = 0; m < 5; m++)
    for (int l = 0; l < 5; l++)
      y[m] -= a[m][l] * x[l];
}
void solve5(double a[5][5], double x[5]) {
  for (int m = 0; m < 5; m++) {
    double pivot = 1 / (3 + a[m][m] * a[m][m]);
    x[m] *= pivot;
    for (int l = m + 1; l < 5; l++)
      x[l] -= a[l][m] * x[m];
  }
}
