/* V-cycles for the Poisson equation on a periodic cube, written as NPB's MG is: sizes of levels in arrays, all levels in
   one array, a command line, timers, a verification. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_LEVEL 10
static int m[MAX_LEVEL + 1], ir[MAX_LEVEL + 1], lt, lb = 1;
static double a[4] = {-8.0 / 3.0, 0.0, 1.0 / 6.0, 1.0 / 12.0}, c[4] = {-3.0 / 8.0, 1.0 / 32.0, -1.0 / 64.0, 0.0};
static double started[2], elapsed[2];

static double wtime(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void timer_start(int n) { started[n] = wtime(); }
static void timer_stop(int n) { elapsed[n] += wtime() - started[n]; }

static void setup(int top) {
  lt = top;
  for (int k = lt, n = 1 << lt; k >= lb; k--, n /= 2)
    m[k] = n + 2;
  ir[lt] = 0;
  for (int j = lt - 1; j >= lb; j--)
    ir[j] = ir[j + 1] + m[j + 1] * m[j + 1] * m[j + 1];
}

static void comm3(double *ou, int n) {
  double(*u)[n][n] = (double(*)[n][n])ou;
  for (int i3 = 1; i3 < n - 1; i3++)
    for (int i2 = 1; i2 < n - 1; i2++) {
      u[i3][i2][0] = u[i3][i2][n - 2];
      u[i3][i2][n - 1] = u[i3][i2][1];
    }
  for (int i3 = 1; i3 < n - 1; i3++)
    for (int i1 = 0; i1 < n; i1++) {
      u[i3][0][i1] = u[i3][n - 2][i1];
      u[i3][n - 1][i1] = u[i3][1][i1];
    }
  for (int i2 = 0; i2 < n; i2++)
    for (int i1 = 0; i1 < n; i1++) {
      u[0][i2][i1] = u[n - 2][i2][i1];
      u[n - 1][i2][i1] = u[1][i2][i1];
    }
}

__attribute__((noinline)) static void resid(double *ou, double *ov, double *res, int n1, int n2, int n3, const double *a) {
  double(*u)[n2][n1] = (double(*)[n2][n1])ou, (*v)[n2][n1] = (double(*)[n2][n1])ov, (*r)[n2][n1] = (double(*)[n2][n1])res;
  double u1[n1], u2[n1];
  for (int i3 = 1; i3 < n3 - 1; i3++)
    for (int i2 = 1; i2 < n2 - 1; i2++) {
      for (int i1 = 0; i1 < n1; i1++) {
        u1[i1] = u[i3][i2 - 1][i1] + u[i3][i2 + 1][i1] + u[i3 - 1][i2][i1] + u[i3 + 1][i2][i1];
        u2[i1] = u[i3 - 1][i2 - 1][i1] + u[i3 - 1][i2 + 1][i1] + u[i3 + 1][i2 - 1][i1] + u[i3 + 1][i2 + 1][i1];
      }
      for (int i1 = 1; i1 < n1 - 1; i1++)
        r[i3][i2][i1] = v[i3][i2][i1] - a[0] * u[i3][i2][i1] - a[2] * (u2[i1] + u1[i1 - 1] + u1[i1 + 1]) - a[3] * (u2[i1 - 1] + u2[i1 + 1]);
    }
  comm3(r[0][0], n1);
}

__attribute__((noinline)) static void psinv(double *res, double *ou, int n, const double *c) {
  double(*u)[n][n] = (double(*)[n][n])ou, (*r)[n][n] = (double(*)[n][n])res;
  for (int i3 = 1; i3 < n - 1; i3++)
    for (int i2 = 1; i2 < n - 1; i2++)
      for (int i1 = 1; i1 < n - 1; i1++)
        u[i3][i2][i1] += c[0] * r[i3][i2][i1] + c[1] * (r[i3][i2][i1 - 1] + r[i3][i2][i1 + 1] + r[i3][i2 - 1][i1] + r[i3][i2 + 1][i1]);
  comm3(u[0][0], n);
}

__attribute__((noinline)) static void rprj3(double *res, int mk, double *os, int mj) {
  double(*r)[mk][mk] = (double(*)[mk][mk])res, (*s)[mj][mj] = (double(*)[mj][mj])os;
  int d = mk == 3 ? 2 : 1;
  for (int j3 = 1; j3 < mj - 1; j3++)
    for (int j2 = 1; j2 < mj - 1; j2++)
      for (int j1 = 1; j1 < mj - 1; j1++) {
        int i1 = 2 * j1 - d, i2 = 2 * j2 - d, i3 = 2 * j3 - d;
        s[j3][j2][j1] = 0.5 * r[i3][i2][i1] + 0.25 * (r[i3][i2][i1 + 1] + r[i3][i2 + 1][i1] + r[i3 + 1][i2][i1]);
      }
  comm3(s[0][0], mj);
}

__attribute__((noinline)) static void interp(double *oz, int mm, double *ou, int n) {
  double(*z)[mm][mm] = (double(*)[mm][mm])oz, (*u)[n][n] = (double(*)[n][n])ou;
  for (int i3 = 0; i3 < mm - 1; i3++)
    for (int i2 = 0; i2 < mm - 1; i2++)
      for (int i1 = 0; i1 < mm - 1; i1++) {
        u[2 * i3][2 * i2][2 * i1] += z[i3][i2][i1];
        u[2 * i3][2 * i2][2 * i1 + 1] += 0.5 * (z[i3][i2][i1 + 1] + z[i3][i2][i1]);
      }
}

static void zero3(double *z, int n) { memset(z, 0, sizeof(double) * (size_t)n * (size_t)n * (size_t)n); }

static double norm2u3(const double *r, int n, double *rnmu) {
  double s = 0, most = 0;
  for (int i3 = 1; i3 < n - 1; i3++)
    for (int i2 = 1; i2 < n - 1; i2++)
      for (int i1 = 1; i1 < n - 1; i1++) {
        double x = r[(i3 * n + i2) * n + i1];
        s += x * x;
        if (fabs(x) > most)
          most = fabs(x);
      }
  *rnmu = most;
  return sqrt(s / ((double)(n - 2) * (n - 2) * (n - 2)));
}

static void mg3P(double *u, double *v, double *r) {
  for (int k = lt; k > lb; k--)
    rprj3(r + ir[k], m[k], r + ir[k - 1], m[k - 1]);
  zero3(u + ir[lb], m[lb]);
  psinv(r + ir[lb], u + ir[lb], m[lb], c);
  for (int k = lb + 1; k < lt; k++) {
    zero3(u + ir[k], m[k]);
    interp(u + ir[k - 1], m[k - 1], u + ir[k], m[k]);
    resid(u + ir[k], r + ir[k], r + ir[k], m[k], m[k], m[k], a);
    psinv(r + ir[k], u + ir[k], m[k], c);
  }
  interp(u + ir[lt - 1], m[lt - 1], u, m[lt]);
  resid(u, v, r, m[lt], m[lt], m[lt], a);
  psinv(r, u, m[lt], c);
}

int main(int argc, char **argv) {
  int top = argc > 1 ? atoi(argv[1]) : 4, nit = argc > 2 ? atoi(argv[2]) : 4;
  if (top < 2 || top > MAX_LEVEL) {
    fprintf(stderr, "usage: %s LEVELS ITERATIONS\n", argv[0]);
    return 1;
  }
  timer_start(0);
  setup(top);
  size_t all = (size_t)ir[lb] + (size_t)m[lb] * (size_t)m[lb] * (size_t)m[lb];
  double *u = malloc(all * sizeof *u), *v = malloc(all * sizeof *v), *r = malloc(all * sizeof *r);
  if (!u || !v || !r)
    return 2;
  int n = m[lt];
  memset(u, 0, all * sizeof *u);
  memset(v, 0, all * sizeof *v);
  memset(r, 0, all * sizeof *r);
  unsigned seed = 314159;
  for (int i = 0; i < 20; i++) {
    seed = seed * 1103515245u + 12345u;
    size_t at = seed % (unsigned)(n * n * n);
    v[at] = i < 10 ? 1.0 : -1.0;
  }
  comm3(v, n);
  timer_stop(0);
  timer_start(1);
  double rnmu, first = 0;
  resid(u, v, r, n, n, n, a);
  first = norm2u3(r, n, &rnmu);
  for (int it = 1; it <= nit; it++) {
    if (it == 1 || it == nit || it % 5 == 0)
      printf("  iter %4d\n", it);
    mg3P(u, v, r);
    resid(u, v, r, n, n, n, a);
  }
  double norm = norm2u3(r, n, &rnmu);
  timer_stop(1);
  printf(" L2 norm %.13e from %.13e, greatest %.3e\n", norm, first, rnmu);
  printf(" %s\n", norm < first ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED");
  double t = elapsed[1], mflops = t > 0 ? 58.0 * nit * (double)n * n * n * 1e-6 / t : 0;
  printf(" set up %.3f s, cycles %.3f s, %.1f Mop/s\n", elapsed[0], t, mflops);
  free(u);
  free(v);
  free(r);
  return 0;
}
