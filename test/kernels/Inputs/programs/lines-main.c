// Solves along lines of arrays of four dimensions, with small blocks, in each direction.
#include "lines.h"
double u[N][N][N][5], rhs[N][N][N][5], lhs[N + 1][3][5][5];
int main(void) {
  setUp();
  for (int step = 0; step < 3; step++) {
    computeRhs();
    xSolve();
    ySolve();
    zSolve();
    add();
  }
  return u[1][1][1][1] > 1e30;
}
