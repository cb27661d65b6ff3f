/* Solvers and filters of several nests for traffic. check_traffic.py says what the remarks mean. */
#include <math.h>
#include <string.h>
#define KERNEL __attribute__((noinline))

/* Rank two, then two products with what came out. */
KERNEL void rankTwo(int n, double *a, const double *u, const double *v, double *x, double *y, double *w) { // a[n*n] u[n] v[n] x[n] y[n] w[n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] += u[i] * v[j] + v[i] * u[j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i] += 0.5 * a[j * n + i] * y[j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      w[i] += 1.5 * a[i * n + j] * x[j];
}

/* Both halves of a symmetric matrix, of which one is kept. */
KERNEL void symmetricProduct(int n, const double *a, const double *b, double *c) { // a[n*n] b[n*n] c[n*n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < i; k++) {
        c[k * n + j] += b[i * n + j] * a[i * n + k];
        sum += b[k * n + j] * a[i * n + k];
      }
      c[i * n + j] = c[i * n + j] + b[i * n + j] * a[i * n + i] + sum;
    }
}

KERNEL void rankTwoK(int n, int m, const double *a, const double *b, double *c) { // m=n//2 a[n*m] b[n*m] c[n*n]
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++)
      c[i * n + j] *= 0.5;
    for (int k = 0; k < m; k++)
      for (int j = 0; j <= i; j++)
        c[i * n + j] += a[j * m + k] * b[i * m + k] + b[j * m + k] * a[i * m + k];
  }
}

/* Toeplitz systems: what has been found is walked through backward. */
KERNEL void recursion(int n, const double *r, double *y, double *z) { // n<3000 r[n] y[n] z[n]
  double alpha = -r[0], beta = 1;
  y[0] = -r[0];
  for (int k = 1; k < n; k++) {
    double sum = 0;
    beta *= 1 - alpha * alpha;
    for (int i = 0; i < k; i++)
      sum += r[k - i - 1] * y[i];
    alpha = -(r[k] + sum) / beta;
    for (int i = 0; i < k; i++)
      z[i] = y[i] + alpha * y[k - i - 1];
    for (int i = 0; i < k; i++)
      y[i] = z[i];
    y[k] = alpha;
  }
}

/* Filters that run forward and backward, along rows and along columns. */
KERNEL void recursiveFilter(int n, int m, const float *in, float *out, float *forth, float *back) { // m=n+5 in[n*m] out[n*m] forth[n*m] back[n*m]
  const float a = 0.3f, b = 0.6f;
  for (int i = 0; i < n; i++) {
    float last = 0, before = 0;
    for (int j = 0; j < m; j++) {
      forth[i * m + j] = a * in[i * m + j] + b * last;
      before = in[i * m + j];
      last = forth[i * m + j] + before;
    }
  }
  for (int i = 0; i < n; i++) {
    float last = 0;
    for (int j = m - 1; j >= 0; j--) {
      back[i * m + j] = b * last;
      last = back[i * m + j] + in[i * m + j];
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      out[i * m + j] = forth[i * m + j] + back[i * m + j];
  for (int j = 0; j < m; j++) {
    float last = 0;
    for (int i = 0; i < n; i++) {
      forth[i * m + j] = a * out[i * m + j] + b * last;
      last = forth[i * m + j];
    }
  }
  for (int j = 0; j < m; j++) {
    float last = 0;
    for (int i = n - 1; i >= 0; i--) {
      back[i * m + j] = b * last;
      last = back[i * m + j] + out[i * m + j];
    }
  }
}

/* Systems with three diagonals, along columns and then along rows. */
KERNEL void alternating(int n, int steps, double *u, double *v, double *p, double *q) { // steps=2 u[n*n] v[n*n] p[n*n] q[n*n]
  for (int t = 1; t <= steps; t++) {
    for (int i = 1; i < n - 1; i++) {
      v[i] = 1;
      p[i * n] = 0;
      q[i * n] = v[i];
      for (int j = 1; j < n - 1; j++) {
        p[i * n + j] = -0.4 / (0.4 * p[i * n + j - 1] + 1.8);
        q[i * n + j] = (0.3 * u[j * n + i - 1] + 0.4 * u[j * n + i] + 0.3 * u[j * n + i + 1] - q[i * n + j - 1]) /
                       (0.4 * p[i * n + j - 1] + 1.8);
      }
      v[(n - 1) * n + i] = 1;
      for (int j = n - 2; j >= 1; j--)
        v[j * n + i] = p[i * n + j] * v[(j + 1) * n + i] + q[i * n + j];
    }
    for (int i = 1; i < n - 1; i++) {
      u[i * n] = 1;
      p[i * n] = 0;
      q[i * n] = u[i * n];
      for (int j = 1; j < n - 1; j++) {
        p[i * n + j] = -0.4 / (0.4 * p[i * n + j - 1] + 1.8);
        q[i * n + j] = (0.3 * v[(i - 1) * n + j] + 0.4 * v[i * n + j] + 0.3 * v[(i + 1) * n + j] - q[i * n + j - 1]) /
                       (0.4 * p[i * n + j - 1] + 1.8);
      }
      u[i * n + n - 1] = 1;
      for (int j = n - 2; j >= 1; j--)
        u[i * n + j] = p[i * n + j] * u[i * n + j + 1] + q[i * n + j];
    }
  }
}

KERNEL void factorAndSolve(int n, double *a, double *b, double *x, double *y) { // a[n*n] b[n] x[n] y[n]
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      double w = a[i * n + j];
      for (int k = 0; k < j; k++)
        w -= a[i * n + k] * a[k * n + j];
      a[i * n + j] = w / a[j * n + j];
    }
    for (int j = i; j < n; j++) {
      double w = a[i * n + j];
      for (int k = 0; k < i; k++)
        w -= a[i * n + k] * a[k * n + j];
      a[i * n + j] = w;
    }
  }
  for (int i = 0; i < n; i++) {
    double w = b[i];
    for (int j = 0; j < i; j++)
      w -= a[i * n + j] * y[j];
    y[i] = w;
  }
  for (int i = n - 1; i >= 0; i--) {
    double w = y[i];
    for (int j = i + 1; j < n; j++)
      w -= a[i * n + j] * x[j];
    x[i] = w / a[i * n + i];
  }
}

/* Deviations, normed, and how columns hang together. */
KERNEL void correlated(int n, int m, double *data, double *mean, double *deviation, double *c) { // m=n*2//3 data[n*m] mean[m] deviation[m] c[m*m]
  for (int j = 0; j < m; j++) {
    mean[j] = 0;
    for (int i = 0; i < n; i++)
      mean[j] += data[i * m + j];
    mean[j] /= n;
  }
  for (int j = 0; j < m; j++) {
    deviation[j] = 0;
    for (int i = 0; i < n; i++)
      deviation[j] += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]);
    deviation[j] = sqrt(deviation[j] / n);
    deviation[j] = deviation[j] <= 0.1 ? 1.0 : deviation[j];
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      data[i * m + j] = (data[i * m + j] - mean[j]) / deviation[j];
  for (int i = 0; i < m - 1; i++) {
    c[i * m + i] = 1;
    for (int j = i + 1; j < m; j++) {
      c[i * m + j] = 0;
      for (int k = 0; k < n; k++)
        c[i * m + j] += data[k * m + i] * data[k * m + j];
      c[j * m + i] = c[i * m + j];
    }
  }
}

KERNEL void heat3(int n, int steps, double (*restrict a)[n][n], double (*restrict b)[n][n]) { // steps=3 a[n*n*n] b[n*n*n]
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          b[i][j][k] = 0.125 * (a[i + 1][j][k] - 2 * a[i][j][k] + a[i - 1][j][k]) + 0.125 * (a[i][j + 1][k] + a[i][j - 1][k]) +
                       0.125 * (a[i][j][k + 1] + a[i][j][k - 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          a[i][j][k] = 0.125 * (b[i + 1][j][k] - 2 * b[i][j][k] + b[i - 1][j][k]) + 0.125 * (b[i][j + 1][k] + b[i][j - 1][k]) +
                       0.125 * (b[i][j][k + 1] + b[i][j][k - 1]);
  }
}

/* Pairs of bases that match, by the interval's end. */
KERNEL void folding(int n, const char *sequence, int *table) { // sequence[n] table[n*n]
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      int best = table[i * n + j];
      best = best > table[i * n + j - 1] ? best : table[i * n + j - 1];
      if (i + 1 < n)
        best = best > table[(i + 1) * n + j] ? best : table[(i + 1) * n + j];
      if (i + 1 < n) {
        int both = table[(i + 1) * n + j - 1] + (i < j - 1 ? sequence[i] + sequence[j] == 3 : 0);
        best = best > both ? best : both;
      }
      for (int k = i + 1; k < j; k++) {
        int parts = table[i * n + k] + table[(k + 1) * n + j];
        best = best > parts ? best : parts;
      }
      table[i * n + j] = best;
    }
}

/* Three products, each of what the one before has made. */
KERNEL void products(int n, const double *a, const double *b, double *e, double *f) { // a[n*n] b[n*n] e[n*n] f[n*n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      e[i * n + j] = 0;
      for (int k = 0; k < n; k++)
        e[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      f[i * n + j] = 0;
      for (int k = 0; k < n; k++)
        f[i * n + j] += e[i * n + k] * b[k * n + j];
    }
}

KERNEL void bothWays(int n, int m, const double *a, const double *p, const double *r, double *q, double *s) { // m=n+7 a[n*m] p[m] r[n] q[n] s[m]
  for (int j = 0; j < m; j++)
    s[j] = 0;
  for (int i = 0; i < n; i++) {
    q[i] = 0;
    for (int j = 0; j < m; j++) {
      s[j] += r[i] * a[i * m + j];
      q[i] += a[i * m + j] * p[j];
    }
  }
}

/* Conjugate gradients on a grid: a stencil, and vectors that each step goes over four times. */
KERNEL void gradients(int n, int steps, double *x, double *r, double *p, double *q) { // steps=3 x[n*n] r[n*n] p[n*n] q[n*n]
  for (int t = 0; t < steps; t++) {
    double rr = 0, pq = 0, next = 0;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        q[i * n + j] = 4 * p[i * n + j] - p[i * n + j - 1] - p[i * n + j + 1] - p[(i - 1) * n + j] - p[(i + 1) * n + j];
    for (int i = 0; i < n * n; i++)
      rr += r[i] * r[i], pq += p[i] * q[i];
    for (int i = 0; i < n * n; i++) {
      x[i] += rr / pq * p[i];
      r[i] -= rr / pq * q[i];
    }
    for (int i = 0; i < n * n; i++)
      next += r[i] * r[i];
    for (int i = 0; i < n * n; i++)
      p[i] = r[i] + next / rr * p[i];
  }
}

/* Bodies that each other one pulls, fields apart. */
KERNEL void forces(int n, const float *x, const float *y, const float *m, float *fx, float *fy) { // n<3500 x[n] y[n] m[n] fx[n] fy[n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float dx = x[j] - x[i], dy = y[j] - y[i], s = m[j] / (dx * dx + dy * dy + 0.01f);
      fx[i] += dx * s;
      fy[i] += dy * s;
    }
}

/* Insertion of what is already sorted, and a bitonic network. */
KERNEL void bitonic(int n, float *x) { // n^2 x[n]
  for (int k = 2; k <= n; k *= 2)
    for (int j = k / 2; j > 0; j /= 2)
      for (int i = 0; i < n; i += 2 * j)
        for (int l = i; l < i + j; l++) {
          float low = fminf(x[l], x[l + j]), high = fmaxf(x[l], x[l + j]);
          x[l] = low;
          x[l + j] = high;
        }
}
