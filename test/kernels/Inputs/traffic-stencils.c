/* Stencils, sweeps, recurrences and tables for traffic. check_traffic.py says what the remarks mean. */
#define KERNEL __attribute__((noinline))

KERNEL void heat1(int n, int steps, double *a, double *b) { // steps=4 a[n] b[n]
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
    for (int i = 1; i < n - 1; i++)
      a[i] = (b[i - 1] + b[i] + b[i + 1]) / 3;
  }
}

KERNEL void wide1(int n, const float *restrict a, float *restrict b) { // a[n] b[n]
  for (int i = 8; i < n - 8; i++)
    b[i] = a[i - 8] + a[i - 4] + a[i] + a[i + 4] + a[i + 8];
}

KERNEL void five(int n, const double *restrict a, double *restrict b) { // a[n*n] b[n*n]
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      b[i * n + j] = a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j];
}

/* The loops the wrong way round. */
KERNEL void fiveByColumns(int n, const double *restrict a, double *restrict b) { // a[n*n] b[n*n]
  for (int j = 1; j < n - 1; j++)
    for (int i = 1; i < n - 1; i++)
      b[i * n + j] = a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j];
}

/* A few long rows: three of them fit a cache, or do not. */
KERNEL void fiveFlat(int n, int m, const double *restrict a, double *restrict b) { // m=8 a[m*n] b[m*n]
  for (int i = 1; i < m - 1; i++)
    for (int j = 1; j < n - 1; j++)
      b[i * n + j] = a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j];
}

KERNEL void nineRows(int n, int m, const float *restrict a, float *restrict b) { // m=n+3 a[n*m] b[n*m]
  for (int i = 4; i < n - 4; i++)
    for (int j = 0; j < m; j++)
      b[i * m + j] = a[(i - 4) * m + j] + a[(i - 2) * m + j] + a[i * m + j] + a[(i + 2) * m + j] + a[(i + 4) * m + j];
}

KERNEL void gaussSeidel(int n, int steps, double *a) { // steps=3 a[n*n]
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i * n + j] = (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j]) / 5;
}

KERNEL void redBlack(int n, double *a) { // a[n*n]
  for (int color = 0; color < 2; color++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1 + (i + color) % 2; j < n - 1; j += 2)
        a[i * n + j] = (a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j]) / 4;
}

KERNEL void seven(int n, const double *restrict a, double *restrict b) { // a[n*n*n] b[n*n*n]
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      for (int k = 1; k < n - 1; k++)
        b[(i * n + j) * n + k] = a[(i * n + j) * n + k] * -6 + a[((i - 1) * n + j) * n + k] + a[((i + 1) * n + j) * n + k] +
                                 a[(i * n + j - 1) * n + k] + a[(i * n + j + 1) * n + k] + a[(i * n + j) * n + k - 1] +
                                 a[(i * n + j) * n + k + 1];
}

/* Long thin blocks: planes fit, or do not. */
KERNEL void sevenPingPong(int n, int m, int steps, double *a, double *b) { // m=10 steps=2 a[m*m*n] b[m*m*n]
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < m - 1; j++)
        for (int k = 1; k < n - 1; k++)
          b[(i * m + j) * n + k] = a[((i - 1) * m + j) * n + k] + a[((i + 1) * m + j) * n + k] + a[(i * m + j - 1) * n + k] +
                                   a[(i * m + j + 1) * n + k] + a[(i * m + j) * n + k - 1] + a[(i * m + j) * n + k + 1];
    double *swap = a;
    a = b;
    b = swap;
  }
}

KERNEL void fdtd(int n, int steps, double *ex, double *ey, double *hz) { // steps=2 ex[n*n] ey[n*n] hz[n*n]
  for (int t = 0; t < steps; t++) {
    for (int j = 0; j < n; j++)
      ey[j] = t;
    for (int i = 1; i < n; i++)
      for (int j = 0; j < n; j++)
        ey[i * n + j] -= 0.5 * (hz[i * n + j] - hz[(i - 1) * n + j]);
    for (int i = 0; i < n; i++)
      for (int j = 1; j < n; j++)
        ex[i * n + j] -= 0.5 * (hz[i * n + j] - hz[i * n + j - 1]);
    for (int i = 0; i < n - 1; i++)
      for (int j = 0; j < n - 1; j++)
        hz[i * n + j] -= 0.7 * (ex[i * n + j + 1] - ex[i * n + j] + ey[(i + 1) * n + j] - ey[i * n + j]);
  }
}

/* Alternating directions: by rows, then by columns, there and back. */
KERNEL void sweeps(int n, double *restrict u, double *restrict v) { // u[n*n] v[n*n]
  for (int i = 0; i < n; i++) {
    for (int j = 1; j < n; j++)
      v[i * n + j] = v[i * n + j - 1] + u[i * n + j];
    for (int j = n - 2; j >= 0; j--)
      v[i * n + j] += v[i * n + j + 1];
  }
  for (int j = 0; j < n; j++) {
    for (int i = 1; i < n; i++)
      u[i * n + j] += u[(i - 1) * n + j] * v[i * n + j];
    for (int i = n - 2; i >= 0; i--)
      u[i * n + j] += u[(i + 1) * n + j];
  }
}

KERNEL void convolution(int n, int m, const float *restrict x, const float *restrict w, float *restrict y) { // m=25 x[n+m] w[m] y[n]
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int k = 0; k < m; k++)
      sum += x[i + k] * w[k];
    y[i] = sum;
  }
}

KERNEL void convolution2(int n, int m, const double *restrict x, const double *restrict w, double *restrict y) { // m=3 x[(n+m)*(n+m)] w[m*m] y[n*n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < m; k++)
        for (int l = 0; l < m; l++)
          sum += x[(i + k) * (n + m) + j + l] * w[k * m + l];
      y[i * n + j] = sum;
    }
}

/* Channels, as layers of a network have them. */
KERNEL void channels(int n, const float *restrict x, const float *restrict w, float *restrict y) { // x[8*(n+2)] w[4*8*3] y[4*n]
  for (int o = 0; o < 4; o++)
    for (int c = 0; c < 8; c++)
      for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
          y[o * n + i] += x[c * (n + 2) + i + k] * w[(o * 8 + c) * 3 + k];
}

KERNEL void pooling(int n, const float *restrict a, float *restrict b) { // a[4*n*n] b[n*n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[i * n + j] = a[4 * i * n + 2 * j] + a[4 * i * n + 2 * j + 1] + a[(4 * i + 2) * n + 2 * j] + a[(4 * i + 2) * n + 2 * j + 1];
}

/* A grid twice as coarse and back. */
KERNEL void multigrid(int n, double *restrict fine, double *restrict coarse) { // fine[2*n+2] coarse[n+1]
  for (int i = 1; i < n; i++)
    coarse[i] = 0.25 * fine[2 * i - 1] + 0.5 * fine[2 * i] + 0.25 * fine[2 * i + 1];
  for (int i = 1; i < n; i++)
    coarse[i] += coarse[i - 1];
  for (int i = 0; i < n; i++) {
    fine[2 * i] += coarse[i];
    fine[2 * i + 1] += 0.5 * (coarse[i] + coarse[i + 1]);
  }
}

KERNEL void prefix(int n, long *x) { // x[n]
  for (int i = 1; i < n; i++)
    x[i] += x[i - 1];
}

KERNEL void integral(int n, const int *restrict a, long *restrict s) { // a[n*n] s[n*n]
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      s[i * n + j] = a[i * n + j] + s[(i - 1) * n + j] + s[i * n + j - 1] - s[(i - 1) * n + j - 1];
}

KERNEL void backward(int n, const double *restrict x, double *restrict y) { // x[n] y[n]
  for (int i = n - 1; i >= 0; i--)
    y[i] = x[i] + 1;
}

/* There and back again: what was last is first. */
KERNEL void pendulum(int n, int times, double *x) { // times=3 x[n]
  for (int t = 0; t < times; t++) {
    for (int i = 0; i < n; i++)
      x[i] += t;
    for (int i = n - 1; i >= 0; i--)
      x[i] *= 2;
  }
}

KERNEL void mirrored(int n, double *x) { // x[n]
  for (int i = 0; i < n / 2; i++) {
    double t = x[i];
    x[i] = x[n - 1 - i];
    x[n - 1 - i] = t;
  }
}

/* Length of the longest common subsequence: a table with short integers. */
KERNEL void common(int n, const char *restrict a, const char *restrict b, short *restrict d) { // a[n] b[n] d[(n+1)*(n+1)]
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++) {
      short up = d[(i - 1) * (n + 1) + j], left = d[i * (n + 1) + j - 1], best = up > left ? up : left;
      short both = d[(i - 1) * (n + 1) + j - 1] + (a[i - 1] == b[j - 1]);
      d[i * (n + 1) + j] = best > both ? best : both;
    }
}

/* Intervals by their length: the diagonals of a table. */
KERNEL void intervals(int n, int *restrict d) { // d[n*n]
  for (int length = 1; length < n; length++)
    for (int i = 0; i < n - length; i++) {
      int best = 1 << 30;
      for (int k = i; k < i + length; k++) {
        int cost = d[i * n + k] + d[(k + 1) * n + i + length];
        best = cost < best ? cost : best;
      }
      d[i * n + i + length] = best;
    }
}

KERNEL void shortest(int n, float *d) { // d[n*n]
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        float way = d[i * n + k] + d[k * n + j];
        d[i * n + j] = d[i * n + j] < way ? d[i * n + j] : way;
      }
}

KERNEL void knapsack(int n, int items, int *best) { // items=5 best[n]
  for (int i = 1; i <= items; i++)
    for (int w = n - 1; w >= 7 * i; w--) {
      int with = best[w - 7 * i] + i;
      best[w] = best[w] > with ? best[w] : with;
    }
}

/* Butterflies with a distance that doubles. */
KERNEL void butterflies(int n, double *x) { // n^2 x[n]
  for (int half = 1; half < n; half *= 2)
    for (int i = 0; i < n; i += 2 * half)
      for (int j = i; j < i + half; j++) {
        double a = x[j], b = x[j + half];
        x[j] = a + b;
        x[j + half] = a - b;
      }
}

/* Each diagonal of a square in turn. */
KERNEL void wavefront(int n, double *a) { // a[n*n]
  for (int d = 2; d < n; d++)
    for (int i = 1; i < d; i++)
      a[i * n + d - i] += a[(i - 1) * n + d - i] + a[i * n + d - i - 1];
}
