#include "extern.h"
static double row[N];
void setUp(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      u[i][j] = i + j;
      forcing[i][j] = i - j;
    }
}
void residual(void) {
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      rhs[i][j] = forcing[i][j] - 4 * u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1];
}
void smooth(void) {
  for (int i = 1; i < N - 1; i++) {
    for (int j = 1; j < N - 1; j++)
      row[j] = 0.5 * rhs[i][j];
    for (int j = 2; j < N - 2; j++)
      rhs[i][j] = row[j - 1] + row[j + 1];
  }
}
void add(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      u[i][j] += 0.1 * rhs[i][j];
}
