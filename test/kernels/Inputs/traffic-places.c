/* Where data lie and how they are reached, for traffic: indices, structures, offsets, calls. check_traffic.py says what the
   remarks mean. */
#include <stddef.h>
#include <string.h>
#define KERNEL __attribute__((noinline))

KERNEL void gather(int n, const int *restrict at, const double *restrict x, double *restrict y) { // at[n]<n x[n] y[n]
  for (int i = 0; i < n; i++)
    y[i] = x[at[i]];
}

KERNEL void scatter(int n, const int *restrict at, const double *restrict x, double *restrict y) { // at[n]<n x[n] y[n]
  for (int i = 0; i < n; i++)
    y[at[i]] = x[i];
}

KERNEL void histogram(int n, int m, const int *restrict keys, int *restrict counts) { // m=48 keys[n]<m counts[m]
  for (int i = 0; i < n; i++)
    counts[keys[i]]++;
}

/* A table that is larger than a cache, and few look-ups. */
KERNEL double lookup(int n, const int *restrict keys, const double *restrict table) { // keys[n]<8*n table[8*n]
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += table[keys[i]];
  return sum;
}

/* Each row has as many entries as the next. */
KERNEL void ellpack(int n, int m, const int *restrict column, const double *restrict value, const double *restrict x, double *restrict y) { // m=5 column[n*m]<n value[n*m] x[n] y[n]
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++)
      y[i] += value[k * n + i] * x[column[k * n + i]];
}

struct Particle {
  double x, y, z, mass;
  float charge;
  int kind;
};

KERNEL double masses(int n, const struct Particle *p) { // p[n:40]
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += p[i].mass;
  return sum;
}

KERNEL void drift(int n, struct Particle *p, double t) { // p[n:40]
  for (int i = 0; i < n; i++) {
    p[i].x += t * p[i].charge;
    p[i].z += t;
  }
}

struct Cloud {
  double *x, *y, *mass;
  int size;
};

/* Pointers from memory: of each only the cloud knows where it leads. */
KERNEL void cloud(const struct Cloud *c) { // *c->x:double[n] *c->y:double[n] *c->mass:double[n] c={&*c->x,&*c->y,&*c->mass,n} +c->size=n
  for (int i = 0; i < c->size; i++)
    c->x[i] += c->mass[i] * c->y[i];
}

KERNEL void rowPointers(int n, double **a, const double *restrict x) { // *a:double[n*n] a={&*a+8*n*k}*n x[n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] += x[j];
}

KERNEL void pairs(int n, const float *restrict p, float *restrict f) { // n<3000 p[3*n] f[3*n]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int d = 0; d < 3; d++)
        f[3 * i + d] += p[3 * j + d] - p[3 * i + d];
}

KERNEL void walk(int n, double *p) { // p[n]
  for (double *end = p + n; p < end; p++)
    *p = *p * 2 + 1;
}

KERNEL void walkTwo(int n, const float *from, float *to) { // from[n] to[n]
  while (n-- > 0)
    *to++ = *from++;
}

KERNEL void halves(int n, double *x) { // x[n]
  double *y = x + n / 2;
  for (int i = 0; i < n / 2; i++)
    y[i] += x[i];
}

KERNEL void column(int n, int k, double *a) { // k=n//3 a[n*n]
  double *c = a + k;
  for (int i = 0; i < n; i++)
    c[i * n] *= 2;
}

KERNEL void zeroed(int n, double *x, double *y) { // x[n] y[n]
  memset(x, 0, sizeof *x * n);
  for (int i = 0; i < n; i++)
    y[i] += x[i];
}

KERNEL void copied(int n, const double *restrict x, double *restrict y) { // x[n] y[n]
  memcpy(y, x, sizeof *x * n);
  for (int i = 0; i < n; i++)
    y[i] += 1;
}

KERNEL void rowsCopied(int n, int m, const char *restrict x, char *restrict y) { // m=192 x[n*m] y[n*256]
  for (int i = 0; i < n; i++)
    memcpy(y + 256 * i, x + m * i, m);
}

/* No remark: callgrind knows no such stores. */
KERNEL void streamed(int n, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++)
    __builtin_nontemporal_store(x[i] * 2, &y[i]);
}

KERNEL void addRow(int n, const double *from, double *to) { // from[n] to[n]
  for (int i = 0; i < n; i++)
    to[i] += from[i];
}

/* Parts of one array handed to another function. */
KERNEL void calls(int n, double *a) { // a[n*n] callees=addRow
  for (int i = 1; i < n; i++)
    addRow(n, a + (i - 1) * n, a + i * n);
}

KERNEL void callsTwice(int n, double *a, double *b) { // a[n] b[n] callees=addRow
  addRow(n, a, b);
  addRow(n, b, a);
}

KERNEL int find(int n, int key, const int *x) { // key=n*3//4 x[n]=i +trips@*=n*3//4+1 +taken@*=1
  for (int i = 0; i < n; i++)
    if (x[i] == key)
      return i;
  return -1;
}

KERNEL void limited(int n, int m, double *x) { // m=n//3 x[n]
  for (int i = 0; i < n; i++) {
    if (2 * i >= m)
      break;
    x[i] += 1;
  }
}

KERNEL void everyThird(int n, double *x) { // x[n]
  for (int i = 0; i < n; i++)
    if (i % 3 == 0)
      x[i] += 1;
}

KERNEL void inserted(int n, int m, double *x) { // m=4 x[n+m]
  for (int k = 0; k < m; k++)
    for (int i = n - 1 + k; i >= 0; i--)
      x[i + 1] = x[i];
}

KERNEL void bytes(int n, const unsigned char *restrict a, unsigned char *restrict b) { // a[n] b[n]
  for (int i = 0; i < n; i++)
    b[i] = 255 - a[i];
}

KERNEL void pixels(int n, const unsigned char *restrict rgb, unsigned char *restrict gray) { // rgb[3*n] gray[n]
  for (int i = 0; i < n; i++)
    gray[i] = (rgb[3 * i] + rgb[3 * i + 1] + rgb[3 * i + 2]) / 3;
}

static double board[64][64], other[64][64];

/* Arrays of the program's own. */
KERNEL void globals(int n) { // n<64
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      board[i][j] += other[j][i];
}

/* An array of the function's own: its lines are the stack's. */
KERNEL double local(int n, const double *restrict x) { // x[n] stack
  double sums[512] = {0};
  for (int i = 0; i < n; i++)
    sums[i % 512] += x[i];
  double sum = 0;
  for (int i = 0; i < 512; i++)
    sum += sums[i];
  return sum;
}

/* A band that is kept by its diagonals. */
KERNEL void band(int n, int m, const double *restrict d, const double *restrict x, double *restrict y) { // m=3 d[(2*m+1)*n] x[n] y[n]
  for (int k = -m; k <= m; k++)
    for (int i = k < 0 ? -k : 0; i < (k > 0 ? n - k : n); i++)
      y[i] += d[(k + m) * n + i] * x[i + k];
}

/* What one nest leaves is what the next one starts with, or not. */
KERNEL void sequence(int n, const double *restrict a, double *restrict b, double *restrict c) { // a[n] b[n] c[n]
  for (int i = 0; i < n; i++)
    b[i] = a[i] * 2;
  for (int i = n - 1; i >= 0; i--)
    c[i] = b[i] + 1;
  for (int i = 0; i < n; i++)
    b[i] += c[i];
}

KERNEL void merge(int n, const int *restrict a, const int *restrict b, int *restrict c) { // a[n]=i b[n]=i c[2*n]
  int i = 0, j = 0, k = 0;
  while (i < n && j < n)
    c[k++] = a[i] < b[j] ? a[i++] : b[j++];
  while (i < n)
    c[k++] = a[i++];
  while (j < n)
    c[k++] = b[j++];
}
