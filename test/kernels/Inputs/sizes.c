/* Kernels whose sizes are in memory: sizes.c ENTRY A B runs one of them. */
#include <stdlib.h>
#include <string.h>

#define KERNEL __attribute__((noinline))
#define IS(NAME) (!strcmp(words[1], #NAME))

struct dims {
  int nx, ny;
};
struct domain {
  double *x;
  struct dims dims;
  long steps[3];
  struct domain *next;
};
struct block {
  int offset, rows, columns, padding[3];
};

void inner_(const int *n, double *a);
void rows(const struct dims *d, double *a);

int cells;
struct domain whole;

/* An argument by reference, as Fortran passes all of them: n multiplications, and n(n+1)/2 additions. */
KERNEL void byReference_(const int *n, double *a) {
  for (int i = 0; i < *n; i++) {
    a[i] *= 2;
    for (int j = 0; j <= i; j++)
      a[i] += 1;
  }
}

/* nx·ny + steps[1] */
KERNEL void fields(const struct domain *p, double *a) {
  for (int i = 0; i < p->dims.nx; i++)
    for (int j = 0; j < p->dims.ny; j++)
      a[j] += 1;
  for (long k = 0; k < p->steps[1]; k++)
    a[k] *= 3;
}

/* rows·columns of what is linked */
KERNEL void linked(const struct domain *p, double *a) {
  for (int i = 0; i < p->next->dims.nx; i++)
    a[i] += 1;
}

/* The structure is larger than two registers: in memory. */
KERNEL void byValue(struct block b, double *a) {
  for (int i = b.offset; i < b.rows; i++)
    for (int j = 0; j < b.columns; j++)
      a[j] += 1;
}

/* whole.dims.ny, and cells where there are more than 3 */
KERNEL void globals(double *a) {
  if (cells > 3)
    for (int i = 0; i < cells; i++)
      a[i] += 1;
  for (int i = 0; i < whole.dims.ny; i++)
    a[i] *= 2;
}

/* Calls by reference: 2·n, n + 1, 5, and Σ k for k = 0 … n - 1. */
KERNEL void callsByReference(int n, double *a) {
  static const int five = 5;
  int twice = 2 * n, more = n + 1;
  inner_(&twice, a);
  inner_(&more, a);
  inner_(&five, a);
  for (int k = 0; k < n; k++) {
    int now = k;
    inner_(&now, a);
  }
}

KERNEL void passesOn_(const int *n, double *a) { inner_(n, a); }

/* A local structure: n rows of 3·n. */
KERNEL void callsWithLocal(int n, double *a) {
  struct domain d;
  d.dims.nx = n;
  d.dims.ny = 3 * n;
  d.next = 0;
  rows(&d.dims, a);
}

KERNEL void callsWithField(const struct domain *p, double *a) { rows(&p->dims, a); }

KERNEL void callsTwoLevels(int n, int m, double *a) {
  struct domain d;
  d.dims.nx = n;
  d.dims.ny = m;
  callsWithField(&d, a);
}

int main(int count, char **words) {
  int n = atoi(words[2]), m = count > 3 ? atoi(words[3]) : 1;
  double *a = calloc((size_t)(n + m) * 4 + 64, 8);
  struct domain other = {a, {n, m}, {1, n, 2}, 0}, one = {a, {n, m}, {7, m, 9}, &other};
  struct block b = {2, n, m, {0}};
  cells = n;
  whole.dims.ny = m;
  if (IS(byReference_)) byReference_(&n, a);
  if (IS(fields)) fields(&one, a);
  if (IS(linked)) linked(&one, a);
  if (IS(byValue)) byValue(b, a);
  if (IS(globals)) globals(a);
  if (IS(callsByReference)) callsByReference(n, a);
  if (IS(passesOn_)) passesOn_(&n, a);
  if (IS(callsWithLocal)) callsWithLocal(n, a);
  if (IS(callsWithField)) callsWithField(&one, a);
  if (IS(callsTwoLevels)) callsTwoLevels(n, m, a);
  return 0;
}
