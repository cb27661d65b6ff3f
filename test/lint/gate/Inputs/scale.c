void scale(long n, float *restrict y, const float *restrict x) {
  for (long i = 0; i < n; i++)
    y[i] = x[i] * 0.1f + x[i] * 3.0f;
}
