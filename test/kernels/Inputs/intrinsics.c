/* What immintrin.h leaves as intrinsics of the target. Arguments: which one, and n, a multiple of 8. */
#include <immintrin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#define KERNEL __attribute__((noinline))
#define IS(NAME) (!strcmp(words[1], #NAME))

/* Horizontal additions and alternating ones: 4 + 4 flops for 4 values. */
KERNEL void horizontal(int n, const double *a, double *b) {
  for (int i = 0; i < n; i += 4) {
    __m256d x = _mm256_load_pd(a + i);
    _mm256_store_pd(b + i, _mm256_addsub_pd(_mm256_hadd_pd(x, x), x));
  }
}

/* Minimum, maximum, comparison, choice, rounding: no flops; 4·4 other operations for 4 values. */
KERNEL void ordered(int n, const double *a, double *b) {
  for (int i = 0; i < n; i += 4) {
    __m256d x = _mm256_load_pd(a + i), y = _mm256_load_pd(b + i);
    __m256d low = _mm256_min_pd(x, y), high = _mm256_max_pd(x, y);
    __m256d less = _mm256_cmp_pd(low, x, _CMP_LT_OQ);
    _mm256_store_pd(b + i, _mm256_round_pd(_mm256_blendv_pd(low, high, less), 8));
  }
}

/* One value of four: 1 minimum for each. */
KERNEL void lowest(int n, const double *a, double *b) {
  for (int i = 0; i < n; i += 4)
    b[i] = _mm_cvtsd_f64(_mm_min_sd(_mm_load_sd(a + i), _mm_load_sd(b + i)));
}

/* fmaddsub: 2 flops in each of 4 lanes, and a nontemporal store. */
KERNEL void alternating(int n, const double *a, double *b) {
  for (int i = 0; i < n; i += 4) {
    __m256d x = _mm256_load_pd(a + i);
    _mm256_stream_pd(b + i, _mm256_fmaddsub_pd(x, x, x));
  }
}

/* Conversions to 4 ints of 4 doubles: 4 other operations, no flops. */
KERNEL void whole(int n, const double *a, int *x) {
  for (int i = 0; i < n; i += 4)
    _mm_store_si128((__m128i *)(x + i), _mm256_cvttpd_epi32(_mm256_load_pd(a + i)));
}

/* Reciprocals of square roots, approximated: 8 flops for 8 values. */
KERNEL void reciprocal(int n, float *a) {
  for (int i = 0; i < n; i += 8)
    _mm256_store_ps(a + i, _mm256_rsqrt_ps(_mm256_load_ps(a + i)));
}

/* A gather: 4 loads of a double each, 1 of the four indices, 1 store; 4 flops. */
KERNEL void gathered(int n, const double *a, const int *x, double *b) {
  for (int i = 0; i < n; i += 4) {
    __m256d x4 = _mm256_i32gather_pd(a, _mm_load_si128((const __m128i *)(x + i)), 8);
    _mm256_store_pd(b + i, _mm256_add_pd(x4, x4));
  }
}

/* fma as the language has it. */
KERNEL void fused(int n, const double *a, double *b, float *c) {
  for (int i = 0; i < n; i++) {
    b[i] = fma(a[i], b[i], 1.0);
    c[i] = __builtin_fmaf(c[i], c[i], 2.0F);
  }
}

int main(int count, char **words) {
  int n = atoi(words[2]);
  double *a = aligned_alloc(32, 8 * n), *b = aligned_alloc(32, 8 * n);
  float *c = aligned_alloc(32, 4 * n);
  int *x = aligned_alloc(32, 4 * n);
  for (int i = 0; i < n; i++) {
    a[i] = b[i] = c[i] = 1 + i % 5;
    x[i] = i * 7 % n;
  }
  if (IS(horizontal)) horizontal(n, a, b);
  if (IS(ordered)) ordered(n, a, b);
  if (IS(lowest)) lowest(n, a, b);
  if (IS(alternating)) alternating(n, a, b);
  if (IS(whole)) whole(n, a, x);
  if (IS(reciprocal)) reciprocal(n, c);
  if (IS(gathered)) gathered(n, a, x, b);
  if (IS(fused)) fused(n, a, b, c);
  return 0;
}
