/* Each element with its neighbours. */
#include "verification/Kernels.h"

void KERNEL(jacobi_1d)(long n, const double *a, double *b) {
  for (long i = 1; i < n - 1; i++)
    b[i] = (a[i - 1] + a[i] + a[i + 1]) * (1.0 / 3.0);
}

void KERNEL(jacobi_2d)(int n, const double *restrict a, double *restrict b) {
  for (long i = 1; i < n - 1; i++)
    for (long j = 1; j < n - 1; j++)
      b[i * n + j] = 0.2 * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] +
                            a[(i - 1) * n + j] + a[(i + 1) * n + j]);
}

void KERNEL(jacobi_3d)(int n, const double *restrict a, double *restrict b) {
  const long row = n, plane = row * n;
  for (long i = 1; i < n - 1; i++)
    for (long j = 1; j < n - 1; j++)
      for (long k = 1; k < n - 1; k++) {
        const double *at = a + i * plane + j * row + k;
        b[i * plane + j * row + k] =
            0.4 * at[0] + 0.1 * (at[-1] + at[1] + at[-row] + at[row] + at[-plane] + at[plane]);
      }
}

void KERNEL(gauss_seidel)(int n, double *a) {
  for (long i = 1; i < n - 1; i++)
    for (long j = 1; j < n - 1; j++)
      a[i * n + j] =
          0.25 * (a[(i - 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i + 1) * n + j]);
}

void KERNEL(convolution_3x3)(int height, int width, const float *restrict image,
                             const float *restrict f, float *restrict out) {
  for (int y = 1; y < height - 1; y++)
    for (int x = 1; x < width - 1; x++) {
      float sum = 0;
      for (int v = 0; v < 3; v++)
        for (int u = 0; u < 3; u++)
          sum += f[3 * v + u] * image[(long)(y + v - 1) * width + x + u - 1];
      out[(long)y * width + x] = sum;
    }
}

/* x has n + taps - 1 elements. */
void KERNEL(fir)(int n, int taps, const float *restrict h, const float *restrict x,
                 float *restrict y) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int k = 0; k < taps; k++)
      sum += h[k] * x[i + k];
    y[i] = sum;
  }
}
