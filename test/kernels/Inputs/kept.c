/* Sizes in globals and in objects that calls between leave alone: they stay what they were on entry. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL __attribute__((noinline))
#define LENGTH 4096
int cells, other;
static int hidden;
double data[LENGTH], more[LENGTH];
struct grid {
  int nx, ny;
  double *values;
};

KERNEL static void clear(double *a, int n) {
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
KERNEL static void note(const char *text) {
  other++;
  fprintf(stderr, "%s %d\n", text, other);
}
KERNEL static void deeper(const char *text) {
  note(text);
  more[1] = sin(data[0]);
}
KERNEL static double largest(const struct grid *g) {
  double m = 0;
  for (int i = 0; i < g->nx; i++)
    m = fmax(m, g->values[i]);
  return m;
}
KERNEL static void resize(int n) { cells = n; }

/* 2·cells */
KERNEL void afterPrint(void) {
  for (int i = 0; i < cells; i++)
    data[i] += 1;
  printf("half\n");
  for (int i = 0; i < cells; i++)
    data[i] *= 2;
}

/* cells + hidden, clear and deeper apart */
KERNEL void afterOwn(void) {
  clear(data, 7);
  for (int i = 0; i < cells; i++)
    data[i] += 1;
  deeper("then");
  memset(more, 0, sizeof more);
  for (int i = 0; i < hidden; i++)
    data[i] *= 2;
}

/* nx·ny + nx: stores of numbers change no size. */
KERNEL void afterReading(struct grid *g) {
  double m = largest(g);
  for (int i = 0; i < g->nx * g->ny; i++)
    g->values[i] += m;
  for (int i = 0; i < g->nx; i++)
    more[i] -= m;
}

/* The one that does write it. */
KERNEL void afterWriting(int n) {
  resize(n);
  for (int i = 0; i < cells; i++)
    data[i] += 1;
}

/* 2·cells·hidden */
KERNEL void products(void) {
  for (int i = 0; i < cells; i++)
    for (int j = 0; j < hidden; j++)
      data[i] += more[i] * data[j];
}
KERNEL void setUp(const char *text) {
  cells = atoi(text);
  hidden = cells / 2;
  products();
  for (int i = 0; i < cells; i++)
    data[i] += 1;
}

#define IS(Name) (strcmp(words[1], #Name) == 0)
int main(int count, char **words) {
  int n = atoi(words[2]), m = count > 3 ? atoi(words[3]) : 1;
  struct grid g = {n, m, data};
  cells = n;
  hidden = m;
  if (IS(afterPrint)) afterPrint();
  if (IS(afterOwn)) afterOwn();
  if (IS(afterReading)) afterReading(&g);
  if (IS(afterWriting)) afterWriting(n);
  if (IS(setUp)) setUp(words[2]);
  return 0;
}
