#include "lines.h"
static double jacobian[N + 1][5][5];
void xSolve(void) {
  for (int k = 1; k < N - 1; k++)
    for (int j = 1; j < N - 1; j++) {
      for (int i = 0; i < N; i++)
        for (int m = 0; m < 5; m++)
          for (int l = 0; l < 5; l++)
            jacobian[i][m][l] = u[k][j][i][m] * 0.1 + l;
      for (int i = 1; i < N - 1; i++)
        for (int m = 0; m < 5; m++)
          for (int l = 0; l < 5; l++) {
            lhs[i][0][m][l] = -jacobian[i - 1][m][l];
            lhs[i][1][m][l] = 1 + jacobian[i][m][l];
            lhs[i][2][m][l] = jacobian[i + 1][m][l];
          }
      for (int i = 1; i < N - 1; i++) {
        multiplySubtract(lhs[i][0], rhs[k][j][i - 1], rhs[k][j][i]);
        solve5(lhs[i][1], rhs[k][j][i]);
      }
      for (int i = N - 3; i >= 1; i--)
        for (int m = 0; m < 5; m++)
          for (int l = 0; l < 5; l++)
            rhs[k][j][i][m] -= lhs[i][2][m][l] * rhs[k][j][i + 1][l];
    }
}
void ySolve(void) {
  for (int k = 1; k < N - 1; k++)
    for (int i = 1; i < N - 1; i++) {
      for (int j = 0; j < N; j++)
        for (int m = 0; m < 5; m++)
          for (int l = 0; l < 5; l++)
            jacobian[j][m][l] = u[k][j][i][m] * 0.1 + l;
      for (int j = 1; j < N - 1; j++)
        for (int m = 0; m < 5; m++)
          for (int l = 0; l < 5; l++) {
            lhs[j][0][m][l] = -jacobian[j - 1][m][l];
            lhs[j][1][m][l] = 1 + jacobian[j][m][l];
            lhs[j][2][m][l] = jacobian[j + 1][m][l];
          }
      for (int j = 1; j < N - 1; j++) {
        multiplySubtract(lhs[j][0], rhs[k][j - 1][i], rhs[k][j][i]);
        solve5(lhs[j][1], rhs[k][j][i]);
      }
    }
}
void zSolve(void) {
  for (int j = 1; j < N - 1; j++)
    for (int i = 1; i < N - 1; i++) {
      for (int k = 0; k < N; k++)
        for (int m = 0; m < 5; m++)
          for (int l = 0; l < 5; l++)
            jacobian[k][m][l] = u[k][j][i][m] * 0.1 + l;
      for (int k = 1; k < N - 1; k++)
        for (int m = 0; m < 5; m++)
          for (int l = 0; l < 5; l++) {
            lhs[k][0][m][l] = -jacobian[k - 1][m][l];
            lhs[k][1][m][l] = 1 + jacobian[k][m][l];
            lhs[k][2][m][l] = jacobian[k + 1][m][l];
          }
      for (int k = 1; k < N - 1; k++) {
        multiplySubtract(lhs[k][0], rhs[k - 1][j][i], rhs[k][j][i]);
        solve5(lhs[k][1], rhs[k][j][i]);
      }
    }
}
