/*===- Kernels.h - code as users have it ----------------------------*- C -*-===*/
/*
 * Functions whose time, energy and counts are predicted and measured. A file of them is compiled
 * for each variant of the instruction set, with the plugin, so that what is measured and what is
 * recorded are of one compilation. ERGON_VARIANT is `base` or, of x86-64 with AVX2, `v3`.
 */
#pragma once

struct node {
  struct node *next;
  long value;
  long payload[6];
};

/* RETURNS, NAME, PARAMETERS of each; arrays of n elements where nothing else is said. */
#define ERGON_KERNELS(X)                                                                           \
  /* Streams.c */                                                                                  \
  X(void, copy, (long n, double *a, const double *b))                                              \
  X(void, fill, (long n, double *a, double s))                                                     \
  X(void, triad, (long n, double *a, const double *b, const double *c, double s))                  \
  X(void, axpy, (long n, double s, const double *x, double *y))                                    \
  X(void, axpy_f32, (int n, float s, const float *x, float *y))                                    \
  X(void, divide, (long n, double *a, const double *b, const double *c))                           \
  X(void, complex_multiply, (long n, double *a, const double *b, const double *c)) /* 2·n */       \
  X(void, horner, (long n, int degree, const double *c, const double *x, double *y))               \
  X(void, prefix_sum, (long n, const double *a, double *sums))                                     \
  /* Reductions.c */                                                                               \
  X(double, sum, (long n, const double *a))                                                        \
  X(long, sum_integers, (long n, const int *a))                                                    \
  X(double, strided_sum, (long n, long stride, const double *a))                                   \
  X(double, dot, (long n, const double *x, const double *y))                                       \
  X(double, maximum, (long n, const double *a))                                                    \
  X(long, count_bytes, (long n, const char *text, char wanted))                                    \
  /* Dense.c: matrices by rows */                                                                  \
  X(void, gemv, (int m, int n, const double *a, const double *x, double *y))                       \
  X(void, gemv_columns, (int m, int n, const double *a, const double *x, double *y))               \
  X(void, matmul_ijk, (int m, int n, int k, const double *a, const double *b, double *c))          \
  X(void, matmul_ikj, (int m, int n, int k, const double *a, const double *b, double *c))          \
  X(void, matmul_blocked, (int m, int n, int k, const double *a, const double *b, double *c))      \
  X(void, syrk, (int n, int k, const double *a, double *c))                                        \
  X(void, triangular_solve, (int n, const double *l, const double *b, double *x))                  \
  X(void, cholesky, (int batch, int n, const double *a, double *l))                                \
  X(void, lu, (int m, int n, const double *a, double *f))                                          \
  X(void, transpose, (int n, const double *a, double *b))                                          \
  /* Stencils.c */                                                                                 \
  X(void, jacobi_1d, (long n, const double *a, double *b))                                         \
  X(void, jacobi_2d, (int n, const double *a, double *b))                                          \
  X(void, jacobi_3d, (int n, const double *a, double *b))                                          \
  X(void, gauss_seidel, (int n, double *a))                                                        \
  X(void, convolution_3x3,                                                                         \
    (int height, int width, const float *image, const float *f, float *out))                       \
  X(void, fir, (int n, int taps, const float *h, const float *x, float *y))                        \
  /* Irregular.c */                                                                                \
  X(void, histogram, (long n, const unsigned *key, unsigned *bins))                                \
  X(void, gather, (long n, const int *at, const double *x, double *y))                             \
  X(void, csr,                                                                                     \
    (int n, const int *row, const int *col, const double *a, const double *x, double *y))          \
  X(long, list_sum, (const struct node *first))                                                    \
  X(long, collatz, (long n))                                                                       \
  /* Compute.c */                                                                                  \
  X(void, black_scholes,                                                                           \
    (int n, const double *spot, const double *strike, const double *years, double rate,            \
     double volatility, double *call, double *put))                                                \
  X(void, nbody,                                                                                   \
    (int m, int n, const double *x, const double *y, const double *z, const double *mass,          \
     double *ax, double *ay, double *az))                                                          \
  X(long, mandelbrot, (int height, int width, int iterations))                                     \
  X(unsigned long, hash_chain, (long n, unsigned long seed))

#define ERGON_JOINED(NAME, VARIANT) NAME##_##VARIANT
#define ERGON_JOIN(NAME, VARIANT) ERGON_JOINED(NAME, VARIANT)
/* The symbol of a kernel in this variant. */
#define KERNEL(NAME) ERGON_JOIN(NAME, ERGON_VARIANT)

#ifdef __cplusplus
extern "C" {
#endif

#define ERGON_FIELD(RETURNS, NAME, PARAMETERS) RETURNS(*NAME) PARAMETERS;
/* All kernels of one variant. */
struct KernelFunctions {
  ERGON_KERNELS(ERGON_FIELD)
};
#undef ERGON_FIELD

extern const struct KernelFunctions ergon_functions_base, ergon_functions_v3;

#ifdef ERGON_VARIANT
#define ERGON_PROTOTYPE(RETURNS, NAME, PARAMETERS) RETURNS KERNEL(NAME) PARAMETERS;
ERGON_KERNELS(ERGON_PROTOTYPE)
#undef ERGON_PROTOTYPE
#endif

#ifdef __cplusplus
}
#endif
