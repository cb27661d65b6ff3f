/* Times one of loops.c: time_loops NAME cold|warm SECONDS [N]. Prints nanoseconds of one run, a sample a line: of data that clflush took out of all caches, or of
 * data that the runs before left there. */
#include <emmintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef SIZE
#include "loops.h"
double a[SIZE + 64], b[SIZE + 64], c[SIZE + 64], d[SIZE + 64];
float x[SIZE + 64], y[SIZE + 64], z[SIZE + 64];
int p[SIZE + 64], q[SIZE + 64];
unsigned char s[SIZE + 64], t[SIZE + 64];
typedef double Loop(long, long, void *);
#define CALL(LOOP) LOOP(0, 0, 0)
#define ALLOCATE(ARRAY, COUNT) (void)0
#else
static long n, m;
static double *a, *b, *c, *d;
static float *x, *y, *z;
static int *p, *q;
static unsigned char *s, *t;
typedef double Loop(long, long, double *, double *, double *, double *, float *, float *, float *, int *, int *, unsigned char *, unsigned char *);
#define CALL(LOOP) LOOP(n, m, a, b, c, d, x, y, z, p, q, s, t)
#define ALLOCATE(ARRAY, COUNT) ARRAY = aligned_alloc(4096, ((COUNT) * sizeof(*ARRAY) + 4095) / 4096 * 4096)
#endif

#define NAME_OF(LOOP) extern Loop LOOP;
#include "names.h"
#undef NAME_OF
#define NAME_OF(LOOP) {#LOOP, LOOP},
static const struct {
  const char *Name;
  Loop *Run;
} Loops[] = {
#include "names.h"
};

static uint64_t state = 88172645463325252u;
static uint64_t draw(void) {
  state ^= state << 13, state ^= state >> 7;
  return state ^= state << 17;
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void flush(void *data, size_t bytes) {
  for (size_t at = 0; at < bytes; at += 64)
    _mm_clflush((char *)data + at);
}

static void flush_all(void) {
  size_t count = n + 8;
  flush(a, count * 8), flush(b, count * 8), flush(c, count * 8), flush(d, count * 8);
  flush(x, count * 4), flush(y, count * 4), flush(z, count * 4), flush(p, count * 4), flush(q, count * 4), flush(s, count), flush(t, count);
  _mm_mfence();
}

int main(int argc, char **argv) {
#ifndef SIZE
  n = atol(argv[4]);
  m = (long)sqrt((double)n);
#endif
  size_t count = n + 64;
  ALLOCATE(a, count), ALLOCATE(b, count), ALLOCATE(c, count), ALLOCATE(d, count), ALLOCATE(x, count), ALLOCATE(y, count), ALLOCATE(z, count);
  ALLOCATE(p, count), ALLOCATE(q, count), ALLOCATE(s, count), ALLOCATE(t, count);
  for (size_t i = 0; i < count; i++) {
    a[i] = draw() % 1000003 / 1000003.0, b[i] = draw() % 1000003 / 1000003.0, c[i] = draw() % 1000003 / 1000003.0, d[i] = draw() % 1000003 / 1000003.0;
    x[i] = draw() % 10007 / 10007.0f, y[i] = draw() % 10007 / 10007.0f, z[i] = draw() % 10007 / 10007.0f;
    s[i] = draw(), t[i] = draw(), p[i] = i < n ? i : 0, q[i] = draw() % n;
  }
  for (long i = n - 1; i > 0; i--) {
    long other = draw() % (i + 1);
    int kept = p[i];
    p[i] = p[other], p[other] = kept;
  }
  Loop *loop = 0;
  for (size_t i = 0; i < sizeof(Loops) / sizeof(*Loops); i++)
    if (!strcmp(Loops[i].Name, argv[1]))
      loop = Loops[i].Run;
  if (!loop)
    return 2;
  int cold = !strcmp(argv[2], "cold");
  volatile double kept = CALL(loop);
  long runs = 1;
  for (;;) {
    int64_t begin = now();
    for (long run = 0; run < runs; run++)
      kept = CALL(loop);
    if (cold || now() - begin > 50000)
      break;
    runs *= 2;
  }
  int64_t end = now() + (int64_t)(atof(argv[3]) * 1e9);
  for (int sample = 0; sample < 5 || now() < end; sample++) {
    if (cold)
      flush_all();
    int64_t begin = now();
    for (long run = 0; run < runs; run++)
      kept = CALL(loop);
    printf("%.2f\n", (double)(now() - begin) / runs);
  }
  return 0;
}
