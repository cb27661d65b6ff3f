/* Much to compute for each element. */
#include "verification/Kernels.h"

#include <math.h>

/* The normal distribution: Abramowitz and Stegun, 26.2.17. */
static double normal(double x) {
  double t = 1 / (1 + 0.2316419 * fabs(x));
  double tail =
      exp(-0.5 * x * x) * 0.3989422804014327 * t *
      (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return x < 0 ? tail : 1 - tail;
}

void KERNEL(black_scholes)(int n, const double *restrict spot, const double *restrict strike,
                           const double *restrict years, double rate, double volatility,
                           double *restrict call, double *restrict put) {
  for (int i = 0; i < n; i++) {
    double deviation = volatility * sqrt(years[i]);
    double d1 =
        (log(spot[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / deviation;
    double d2 = d1 - deviation;
    double discounted = strike[i] * exp(-rate * years[i]);
    call[i] = spot[i] * normal(d1) - discounted * normal(d2);
    put[i] = discounted * (1 - normal(d2)) - spot[i] * (1 - normal(d1));
  }
}

/* What n bodies do to the first m. */
void KERNEL(nbody)(int m, int n, const double *restrict x, const double *restrict y,
                   const double *restrict z, const double *restrict mass, double *restrict ax,
                   double *restrict ay, double *restrict az) {
  for (int i = 0; i < m; i++) {
    double fx = 0, fy = 0, fz = 0;
    for (int j = 0; j < n; j++) {
      double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      double square = dx * dx + dy * dy + dz * dz + 1e-6;
      double factor = mass[j] / (square * sqrt(square));
      fx += factor * dx;
      fy += factor * dy;
      fz += factor * dz;
    }
    ax[i] = fx;
    ay[i] = fy;
    az[i] = fz;
  }
}

/* As many iterations for each point, in the set or not. */
long KERNEL(mandelbrot)(int height, int width, int iterations) {
  long inside = 0;
  for (int i = 0; i < height; i++)
    for (int j = 0; j < width; j++) {
      double cx = -0.5 + 0.5 * j / width, cy = 0.5 * i / height, x = 0, y = 0;
      for (int k = 0; k < iterations; k++) {
        double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
      }
      inside += x * x + y * y <= 4;
    }
  return inside;
}

/* Each value mixed as MurmurHash3 ends, the next from it. */
unsigned long KERNEL(hash_chain)(long n, unsigned long seed) {
  unsigned long h = seed;
  for (long i = 0; i < n; i++) {
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdUL;
    h ^= h >> 33;
  }
  return h;
}
