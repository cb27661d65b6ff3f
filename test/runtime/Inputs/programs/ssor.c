/* Symmetric successive over-relaxation, written as NPB's LU is: sweeps through function pointers, five components in each point, globals for sizes,
   command line, timers, verification. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int nx, ny, nz, itmax, ist, iend;
static double dt = 0.5, omega = 1.2;
static double *u, *rsd, *flux;
static double matrix[5][5];

#define AT(f, k, j, i, m) f[((((size_t)(k)*ny + (j)) * nx + (i)) * 5) + (m)]

struct solver {
  const char *name;
  void (*rhs)(void);
  void (*lower)(int k);
  void (*upper)(int k);
  double (*norm)(const double *v, int component);
};

static void rhs7(void) {
  for (int k = 1; k < nz - 1; k++)
    for (int j = 1; j < ny - 1; j++)
      for (int i = ist; i < iend; i++)
        for (int m = 0; m < 5; m++)
          AT(rsd, k, j, i, m) = AT(flux, k, j, i, m) - 0.1 * (6.0 * AT(u, k, j, i, m) - AT(u, k, j, i - 1, m) - AT(u, k, j, i + 1, m) - AT(u, k, j - 1, i, m) - AT(u, k, j + 1, i, m) - AT(u, k - 1, j, i, m) - AT(u, k + 1, j, i, m));
}

static void solve5(double *v) {
  double t[5][5], x[5];
  memcpy(t, matrix, sizeof t);
  memcpy(x, v, sizeof x);
  for (int p = 0; p < 4; p++)
    for (int r = p + 1; r < 5; r++) {
      double f = t[r][p] / t[p][p];
      for (int q = p + 1; q < 5; q++)
        t[r][q] -= f * t[p][q];
      x[r] -= f * x[p];
    }
  for (int r = 4; r >= 0; r--) {
    for (int q = r + 1; q < 5; q++)
      x[r] -= t[r][q] * x[q];
    x[r] /= t[r][r];
  }
  memcpy(v, x, sizeof x);
}

static void blts(int k) {
  for (int j = 1; j < ny - 1; j++)
    for (int i = ist; i < iend; i++) {
      for (int m = 0; m < 5; m++)
        AT(rsd, k, j, i, m) -= omega * 0.05 * (AT(rsd, k - 1, j, i, m) + AT(rsd, k, j - 1, i, m) + AT(rsd, k, j, i - 1, m));
      solve5(&AT(rsd, k, j, i, 0));
    }
}

static void buts(int k) {
  for (int j = ny - 2; j >= 1; j--)
    for (int i = iend - 1; i >= ist; i--)
      for (int m = 0; m < 5; m++)
        AT(rsd, k, j, i, m) -= omega * 0.05 * (AT(rsd, k + 1, j, i, m) + AT(rsd, k, j + 1, i, m) + AT(rsd, k, j, i + 1, m));
}

static double l2(const double *v, int component) {
  double s = 0;
  for (int k = 1; k < nz - 1; k++)
    for (int j = 1; j < ny - 1; j++)
      for (int i = ist; i < iend; i++)
        s += AT(v, k, j, i, component) * AT(v, k, j, i, component);
  return sqrt(s / ((double)(nx - 2) * (ny - 2) * (nz - 2)));
}

static double largest(const double *v, int component) {
  double s = 0;
  for (int k = 1; k < nz - 1; k++)
    for (int j = 1; j < ny - 1; j++)
      for (int i = ist; i < iend; i++)
        if (fabs(AT(v, k, j, i, component)) > s)
          s = fabs(AT(v, k, j, i, component));
  return s;
}

static const struct solver solvers[] = {{"l2", rhs7, blts, buts, l2}, {"max", rhs7, blts, buts, largest}};

static int read_input(const char *file) {
  FILE *in = fopen(file, "r");
  if (!in)
    return 0;
  int read = fscanf(in, "%d %d %d %d", &nx, &ny, &nz, &itmax);
  fclose(in);
  return read == 4;
}

static int iterate(const struct solver *s, double norms[5]) {
  int it;
  for (it = 1; it <= itmax; it++) {
    s->rhs();
    for (int k = 1; k < nz - 1; k++)
      s->lower(k);
    for (int k = nz - 2; k >= 1; k--)
      s->upper(k);
    for (size_t i = 0; i < (size_t)nx * ny * nz * 5; i++)
      u[i] += dt * rsd[i];
    if (it % 4 == 0 || it == itmax) {
      double worst = 0;
      for (int m = 0; m < 5; m++) {
        norms[m] = s->norm(rsd, m);
        if (norms[m] > worst)
          worst = norms[m];
      }
      if (worst < 1e-4)
        break;
    }
  }
  return it;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "-f") == 0) {
    if (argc < 3 || !read_input(argv[2])) {
      fprintf(stderr, "no input\n");
      return 1;
    }
  } else {
    nx = ny = nz = argc > 1 ? atoi(argv[1]) : 8;
    itmax = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 10;
  }
  const struct solver *s = &solvers[argc > 3 && !strcmp(argv[3], "max")];
  if (nx < 4 || ny < 4 || nz < 4)
    return 1;
  ist = 1;
  iend = nx - 1;
  size_t all = (size_t)nx * ny * nz * 5;
  u = calloc(all, sizeof *u);
  rsd = calloc(all, sizeof *rsd);
  flux = calloc(all, sizeof *flux);
  for (int r = 0; r < 5; r++)
    for (int q = 0; q < 5; q++)
      matrix[r][q] = r == q ? 1.0 : 0.01 * (r + q);
  for (size_t i = 0; i < all; i++)
    flux[i] = 1e-2 * (double)(i % 7);
  clock_t start = clock();
  double norms[5];
  int it = iterate(s, norms);
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  int ok = 1;
  for (int m = 0; m < 5; m++) {
    printf("  %d  %.12e\n", m + 1, norms[m]);
    if (!(norms[m] < 1e3))
      ok = 0;
  }
  printf("%s norm, %d iterations, %s, %.3f s\n", s->name, it, ok ? "verified" : "NOT verified", seconds);
  free(u);
  free(rsd);
  free(flux);
  return !ok;
}
