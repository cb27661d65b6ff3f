/* C = A * B for square matrices in row-major order, as the definition says it.
 *
 * With every loop running n times, the innermost statement runs n*n*n times: one multiplication, one
 * addition and two loads each. That is what Ergon should say: W = 2n^3 flops. */
void gemm(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0.0;
      for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}
