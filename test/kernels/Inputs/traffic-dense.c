/* Dense kernels for traffic: vectors, products, factorizations, transposes. check_traffic.py says what the remarks mean. */
#define KERNEL __attribute__((noinline))

KERNEL void copy(int n, const double *x, double *y) { // x[n] y[n]
  for (int i = 0; i < n; i++)
    y[i] = x[i];
}

KERNEL void triad(int n, double f, const double *x, const double *y, double *z) { // x[n] y[n] z[n]
  for (int i = 0; i < n; i++)
    z[i] = x[i] + f * y[i];
}

KERNEL float norm(int n, const float *x) { // x[n]
  float sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * x[i];
  return sum;
}

/* Twice over the same vector: the second pass finds what the first one left. */
KERNEL double variance(int n, const double *x) { // x[n]
  double sum = 0, squares = 0;
  for (int i = 0; i < n; i++)
    sum += x[i];
  for (int i = 0; i < n; i++)
    squares += (x[i] - sum) * (x[i] - sum);
  return squares;
}

KERNEL void rotate(int n, double c, double s, double *x, double *y) { // x[n] y[n]
  for (int i = 0; i < n; i++) {
    double t = c * x[i] + s * y[i];
    y[i] = c * y[i] - s * x[i];
    x[i] = t;
  }
}

KERNEL void rowVector(int n, const double *restrict a, const double *restrict x, double *restrict y) { // a[n*n] x[n] y[n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      y[i] += a[i * n + j] * x[j];
}

/* The same by columns: y stays, or does not. */
KERNEL void columnVector(int n, const double *restrict a, const double *restrict x, double *restrict y) { // a[n*n] x[n] y[n]
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      y[i] += a[i * n + j] * x[j];
}

KERNEL void transposedVector(int n, const double *restrict a, const double *restrict x, double *restrict y) { // a[n*n] x[n] y[n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      y[j] += a[i * n + j] * x[i];
}

KERNEL void outerProduct(int n, const double *restrict x, const double *restrict y, double *restrict a) { // x[n] y[n] a[n*n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] += x[i] * y[j];
}

KERNEL void productIKJ(int n, const double *restrict a, const double *restrict b, double *restrict c) { // a[n*n] b[n*n] c[n*n]
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

KERNEL void productJKI(int n, const double *restrict a, const double *restrict b, double *restrict c) { // a[n*n] b[n*n] c[n*n]
  for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++)
      for (int i = 0; i < n; i++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

KERNEL void productABt(int n, const float *restrict a, const float *restrict b, float *restrict c) { // a[n*n] b[n*n] c[n*n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[j * n + k];
}

KERNEL void productTiled(int n, const double *restrict a, const double *restrict b, double *restrict c) { // n%8 a[n*n] b[n*n] c[n*n]
  for (int ii = 0; ii < n; ii += 8)
    for (int kk = 0; kk < n; kk += 8)
      for (int jj = 0; jj < n; jj += 8)
        for (int i = ii; i < ii + 8; i++)
          for (int k = kk; k < kk + 8; k++)
            for (int j = jj; j < jj + 8; j++)
              c[i * n + j] += a[i * n + k] * b[k * n + j];
}

/* Rows of a wide matrix by a tall one: sizes that differ. */
KERNEL void productFlat(int n, int m, const double *restrict a, const double *restrict b, double *restrict c) { // m=6 a[m*n] b[n*m] c[m*m]
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < n; k++)
        c[i * m + j] += a[i * n + k] * b[k * m + j];
}

/* C's own arrays of arrays with a parameter as length. */
KERNEL void productRows(int n, double a[n][n], double b[n][n], double c[n][n]) { // a[n*n] b[n*n] c[n*n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      c[i][j] = 0;
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
    }
}

KERNEL void symmetric(int n, const double *restrict a, const double *restrict x, double *restrict y) { // a[n*n] x[n] y[n]
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < i; j++) {
      sum += a[i * n + j] * x[j];
      y[j] += a[i * n + j] * x[i];
    }
    y[i] += sum + a[i * n + i] * x[i];
  }
}

KERNEL void packedVector(int n, const double *restrict a, const double *restrict x, double *restrict y) { // a[n*(n+1)/2] x[n] y[n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      y[i] += a[i * (i + 1) / 2 + j] * x[j];
}

KERNEL void backSubstitution(int n, const double *restrict u, double *restrict x) { // u[n*n] x[n]
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      x[i] -= u[i * n + j] * x[j];
    x[i] /= u[i * n + i];
  }
}

KERNEL void columnSubstitution(int n, const double *restrict l, double *restrict x) { // l[n*n] x[n]
  for (int j = 0; j < n; j++) {
    x[j] /= l[j * n + j];
    for (int i = j + 1; i < n; i++)
      x[i] -= l[i * n + j] * x[j];
  }
}

KERNEL void cholesky(int n, double *a) { // a[n*n]
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++)
      for (int i = j; i < n; i++)
        a[i * n + j] -= a[i * n + k] * a[j * n + k];
    for (int i = j + 1; i < n; i++)
      a[i * n + j] /= a[j * n + j];
  }
}

KERNEL void gramSchmidt(int n, int m, double *a, double *r) { // m=n//2 a[n*m] r[m*m]
  for (int k = 0; k < m; k++) {
    double norm = 0;
    for (int i = 0; i < n; i++)
      norm += a[i * m + k] * a[i * m + k];
    r[k * m + k] = norm;
    for (int i = 0; i < n; i++)
      a[i * m + k] /= norm;
    for (int j = k + 1; j < m; j++) {
      double sum = 0;
      for (int i = 0; i < n; i++)
        sum += a[i * m + k] * a[i * m + j];
      r[k * m + j] = sum;
      for (int i = 0; i < n; i++)
        a[i * m + j] -= sum * a[i * m + k];
    }
  }
}

KERNEL void transpose(int n, const double *restrict a, double *restrict b) { // a[n*n] b[n*n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[j * n + i] = a[i * n + j];
}

KERNEL void transposeInPlace(int n, double *a) { // a[n*n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      double t = a[i * n + j];
      a[i * n + j] = a[j * n + i];
      a[j * n + i] = t;
    }
}

KERNEL void transposeTiled(int n, const float *restrict a, float *restrict b) { // n%16 a[n*n] b[n*n]
  for (int ii = 0; ii < n; ii += 16)
    for (int jj = 0; jj < n; jj += 16)
      for (int i = ii; i < ii + 16; i++)
        for (int j = jj; j < jj + 16; j++)
          b[j * n + i] = a[i * n + j];
}

/* Sizes that are powers of two: a column's lines compete for few sets. */
KERNEL void transposePower(int n, const double *restrict a, double *restrict b) { // n^2 a[n*n] b[n*n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[j * n + i] = a[i * n + j];
}

KERNEL void triadPower(int n, int times, const double *restrict x, const double *restrict y, double *restrict z) { // n^2 times=3 x[n] y[n] z[n]
  for (int t = 0; t < times; t++)
    for (int i = 0; i < n; i++)
      z[i] = x[i] + y[i] * t;
}

KERNEL void columnSums(int n, int m, const double *restrict a, double *restrict s) { // m=12 a[n*m] s[m]
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      s[j] += a[i * m + j];
}

KERNEL void rowMaxima(int n, int m, const float *restrict a, float *restrict s) { // m=20 a[n*m] s[n]
  for (int i = 0; i < n; i++) {
    float most = a[i * m];
    for (int j = 1; j < m; j++)
      most = a[i * m + j] > most ? a[i * m + j] : most;
    s[i] = most;
  }
}

/* One plane of a cube summed over each of the three directions. */
KERNEL void planes(int n, const double *restrict a, double *restrict s) { // a[n*n*n] s[3*n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        s[i] += a[(i * n + j) * n + k];
        s[n + j] += a[(k * n + i) * n + j];
        s[2 * n + k] += a[(j * n + k) * n + i];
      }
}

KERNEL void complexProduct(int n, const double *restrict x, const double *restrict y, double *restrict z) { // x[2*n] y[2*n] z[2*n]
  for (int i = 0; i < n; i++) {
    z[2 * i] = x[2 * i] * y[2 * i] - x[2 * i + 1] * y[2 * i + 1];
    z[2 * i + 1] = x[2 * i] * y[2 * i + 1] + x[2 * i + 1] * y[2 * i];
  }
}

/* Steps of the vector that leave lines out, and that come back to them. */
KERNEL void strides(int n, double *x) { // x[n]
  for (int s = 1; s <= 16; s *= 2)
    for (int i = 0; i < n; i += s)
      x[i] += s;
}

KERNEL void gather16(int n, int times, const float *restrict x, float *restrict y) { // times=4 x[16*n] y[n]
  for (int t = 0; t < times; t++)
    for (int i = 0; i < n; i++)
      y[i] += x[16 * i + t];
}
