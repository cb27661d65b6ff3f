/* Kernels whose course hangs on data, each entered once. Arguments: which one, n, and perhaps how often: then the
   least time of one is printed, in seconds. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define KERNEL __attribute__((noinline))

KERNEL double collatz(int n, const double *weight) {
  double sum = 0;
  for (int i = 1; i <= n; i++)
    for (long at = i; at != 1; at = at & 1 ? 3 * at + 1 : at / 2)
      sum += weight[at & 15];
  return sum;
}

KERNEL double bfs(int n, const int *row, const int *column, int *queue, double *depth) {
  for (int i = 0; i < n; i++)
    depth[i] = -1;
  int head = 0, tail = 0;
  queue[tail++] = 0;
  depth[0] = 0;
  double sum = 0;
  while (head < tail) {
    int at = queue[head++];
    for (int j = row[at]; j < row[at + 1]; j++)
      if (depth[column[j]] < 0) {
        depth[column[j]] = depth[at] + 1;
        queue[tail++] = column[j];
      }
    sum += depth[at];
  }
  return sum;
}

KERNEL void quicksort(double *a, long low, long high) {
  if (low >= high)
    return;
  double pivot = (a[low] + a[high]) * 0.5;
  long i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot) i++;
    while (a[j] > pivot) j--;
    if (i <= j) {
      double kept = a[i];
      a[i++] = a[j];
      a[j--] = kept;
    }
  }
  quicksort(a, low, j);
  quicksort(a, i, high);
}

KERNEL double bisection(int n, const double *from, double target, double tolerance) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double low = 0, high = 1 + from[i];
    while (high - low > tolerance) {
      double middle = 0.5 * (low + high);
      if (middle * middle * middle < target)
        low = middle;
      else
        high = middle;
    }
    sum += low;
  }
  return sum;
}

KERNEL double newton(int n, const double *of) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double x = 1 + of[i];
    for (int tries = 0; tries < 50; tries++) {
      double next = 0.5 * (x + (2 + of[i]) / x);
      if (fabs(next - x) < 1e-12)
        break;
      x = next;
    }
    sum += x;
  }
  return sum;
}

KERNEL long pack(int n, const double *from, double *to) {
  long k = 0;
  for (int i = 0; i < n; i++)
    if (from[i] > 0.5)
      to[k++] = from[i] * 2;
  return k;
}

KERNEL void insertion(int n, double *a) {
  for (int i = 1; i < n; i++) {
    double key = a[i];
    int j = i - 1;
    for (; j >= 0 && a[j] > key; j--)
      a[j + 1] = a[j];
    a[j + 1] = key;
  }
}

KERNEL int mandelbrot(int n, int most, const double *real, const double *imaginary) {
  int inside = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double x = 0, y = 0;
      int k = 0;
      for (; k < most && x * x + y * y < 4; k++) {
        double next = x * x - y * y + real[i];
        y = 2 * x * y + imaginary[j];
        x = next;
      }
      inside += k == most;
    }
  return inside;
}

struct node {
  double value;
  struct node *next;
};

KERNEL double lists(int n, struct node **heads) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (const struct node *at = heads[i]; at; at = at->next)
      sum += at->value;
  return sum;
}

KERNEL int search(int n, const double *sorted, int asked, const double *keys) {
  int found = 0;
  for (int i = 0; i < asked; i++) {
    int low = 0, high = n;
    while (low < high) {
      int middle = (low + high) / 2;
      if (sorted[middle] < keys[i])
        low = middle + 1;
      else
        high = middle;
    }
    found += low;
  }
  return found;
}

struct tree {
  double value;
  struct tree *left, *right;
};

KERNEL double treeSum(const struct tree *at) {
  double sum = at->value;
  if (at->left)
    sum += treeSum(at->left);
  if (at->right)
    sum += 2 * treeSum(at->right);
  return sum;
}

KERNEL double even(double x, int n);
KERNEL double odd(double x, int n) { return n <= 0 ? x : 0.5 * even(x + 1, n - 1) + even(x, n - 3); }
KERNEL double even(double x, int n) { return n <= 0 ? x : odd(x * 3, n - 1); }

/* A loop's number that goes around tells nothing of how often. */
KERNEL double turns(int n, const double *weight) {
  double sum = 0;
  for (unsigned char at = 0; sum < n; at++)
    sum += weight[at];
  return sum;
}

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec + 1e-9 * at.tv_nsec;
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
  int n = atoi(words[2]), *row = malloc(4 * (n + 1)), *column = malloc(28 * n), *queue = malloc(4 * n + 4);
  double *value = malloc(56 * n), *x = malloc(8 * n + 8), *y = malloc(8 * n + 8), *z = malloc(8 * n + 8), *sorted = malloc(8 * n + 8);
  struct node **heads = calloc(n + 1, sizeof *heads);
  struct tree *root = NULL;
  row[0] = 0;
  for (int i = 0; i < n; i++) {
    row[i + 1] = row[i] + (int)(7 * draw());
    x[i] = draw();
    y[i] = draw();
    sorted[i] = (double)i / n; // as the keys are
    root = grow(root, draw());
    for (int k = (int)(5 * draw()); k > 0; k--) {
      struct node *next = malloc(sizeof *next);
      *next = (struct node){draw(), heads[i]};
      heads[i] = next;
    }
  }
  for (int j = 0; j < row[n]; j++) {
    value[j] = draw();
    column[j] = (int)(n * draw());
  }
  double weights[256], least = 1e9;
  for (int i = 0; i < 256; i++)
    weights[i] = 1;
  for (int times = count > 3 ? atoi(words[3]) : 1; times > 0; times--) {
    memcpy(z, x, 8 * n);
    double from = now();
#define RUN(NAME, ...) if (!strcmp(words[1], #NAME)) NAME(__VA_ARGS__)
    RUN(collatz, n, (double[16]){1, 2, 3});
    RUN(bfs, n, row, column, queue, y);
    RUN(quicksort, z, 0, n - 1);
    RUN(bisection, n, x, 0.75, 1e-9);
    RUN(newton, n, x);
    RUN(pack, n, x, y);
    RUN(insertion, n, z);
    RUN(mandelbrot, n, 100, x, y);
    RUN(lists, n, heads);
    RUN(search, n, sorted, n, value);
    RUN(treeSum, root);
    RUN(even, 1, n % 64);
    RUN(turns, n, weights);
    double spent = now() - from;
    least = spent < least ? spent : least;
  }
  if (count > 3)
    printf("%g\n", least);
  return 0;
}
