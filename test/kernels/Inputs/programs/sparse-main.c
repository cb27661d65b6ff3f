// A sparse matrix in rows, in an iteration with vectors.
#include "sparse.h"
int rowStart[N + 1], column[N * ROW];
double value[N * ROW], p[N], q[N], r[N], z[N];
int main(void) {
  build();
  for (int i = 0; i < N; i++) {
    p[i] = r[i] = 1;
    z[i] = 0;
  }
  double rho = dot(r, r);
  for (int step = 0; step < 4; step++) {
    multiply(q, p);
    double alpha = rho / dot(p, q);
    axpy(z, p, alpha);
    axpy(r, q, -alpha);
    double next = dot(r, r);
    double beta = next / rho;
    rho = next;
    for (int i = 0; i < N; i++)
      p[i] = r[i] + beta * p[i];
  }
  return rho > 1e30;
}
