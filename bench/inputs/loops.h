/* Loops for bench/cpu_time.py, which are not among the kernels of `ergon verify`.
 *
 * Compiled twice: with sizes and arrays that the compiler does not know (parameters), and with -DSIZE=… (constants and global arrays). */
#ifndef LOOPS_H
#define LOOPS_H

#ifdef SIZE
enum { n = SIZE, m = SIDE };
extern double a[SIZE + 64], b[SIZE + 64], c[SIZE + 64], d[SIZE + 64];
extern float x[SIZE + 64], y[SIZE + 64], z[SIZE + 64];
extern int p[SIZE + 64], q[SIZE + 64];
extern unsigned char s[SIZE + 64], t[SIZE + 64];
#define LOOP(NAME) double NAME(long unusedN, long unusedM, void *unusedA)
#define RESTRICTED(NAME) LOOP(NAME)
#else
#define PARAMETERS(QUALIFIER)                                                                                                                                  \
  long n, long m, double *QUALIFIER a, double *QUALIFIER b, double *QUALIFIER c, double *QUALIFIER d, float *QUALIFIER x, float *QUALIFIER y,                   \
      float *QUALIFIER z, int *QUALIFIER p, int *QUALIFIER q, unsigned char *QUALIFIER s, unsigned char *QUALIFIER t
#define LOOP(NAME) double NAME(PARAMETERS())
#define RESTRICTED(NAME) double NAME(PARAMETERS(restrict))
#endif

#endif
