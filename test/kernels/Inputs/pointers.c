/* Calls through pointers: what is called, and with what, only a run can tell. Arguments: which one, and n. */
#include <stdlib.h>
#include <string.h>
#define KERNEL __attribute__((noinline))

KERNEL static double plus(double a, double b, int n) { return a + b + n; }
KERNEL static double times(double a, double b, int n) { return a * b * n * 0.5; }
KERNEL static double sum(double a, double b, int n) {
  double all = a;
  for (int i = 0; i < n; i++)
    all += b;
  return all;
}
typedef double operation(double, double, int);
operation *const table[] = {plus, times, sum};

/* A table of functions; what is called, and its n, go with the loop around. */
KERNEL double dispatch(int n, const unsigned char *code, double *x) {
  double all = 1;
  for (int i = 0; i < n; i++)
    all = table[code[i]](all, x[i], code[i] * i);
  return all;
}

typedef int order(const double *, const double *);
KERNEL static int rising(const double *a, const double *b) { return *a + 1 > *b + 1; }
KERNEL static int falling(const double *a, const double *b) { return *a < *b; }

/* A sort that is given its order. */
KERNEL void sortBy(int n, double *a, order *isAfter) {
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && isAfter(&a[j - 1], &a[j]); j--) {
      double kept = a[j];
      a[j] = a[j - 1];
      a[j - 1] = kept;
    }
}

/* Two orders, each for a part of the calls; the compiler shall not know which. */
order *volatile first = rising, *volatile second = falling;
KERNEL void sortBoth(int n, double *a) {
  sortBy(n, a, first);
  sortBy(n, a, second);
}

struct tree {
  double value;
  struct tree *left, *right;
};
typedef double visit(struct tree *);

/* A function that calls itself through a pointer. */
visit *volatile visitor;
KERNEL static double heavier(struct tree *at) {
  visit *next = visitor;
  double all = at->value;
  if (at->left)
    all += next(at->left);
  if (at->right)
    all += 2 * next(at->right);
  return all;
}
KERNEL double walk(struct tree *at) { return visitor(at); }

/* More functions than a call has slots. */
#define EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9)
#define DEFINE(I) KERNEL static double many##I(double a) { return a + I; }
EACH(DEFINE)
#define NAME(I) many##I,
double (*every[])(double) = {EACH(NAME)};
KERNEL double crowd(int n, double x) {
  for (int i = 0; i < n; i++)
    x = every[i % 10](x);
  return x;
}

static unsigned state = 1;
static double draw(void) { return (state = state * 1103515245u + 12345u) / 4294967296.0; }

static struct tree *grow(struct tree *at, double value) {
  if (!at) {
    at = calloc(1, sizeof *at);
    at->value = value;
  } else if (value < at->value) {
    at->left = grow(at->left, value);
  } else {
    at->right = grow(at->right, value);
  }
  return at;
}

int main(int count, char **words) {
  int n = atoi(words[2]);
  unsigned char *code = malloc(n);
  double *x = malloc(8 * n);
  struct tree *root = NULL;
  for (int i = 0; i < n; i++) {
    code[i] = 3 * draw();
    x[i] = draw();
    root = grow(root, x[i]);
  }
  visitor = heavier;
  if (!strcmp(words[1], "dispatch"))
    dispatch(n, code, x);
  if (!strcmp(words[1], "sortBoth"))
    sortBoth(n, x);
  if (!strcmp(words[1], "walk"))
    walk(root);
  if (!strcmp(words[1], "crowd"))
    crowd(n, 1);
  return 0;
}
