/* 2·n flops for n ≥ 0: one loop, no unknowns. */
void saxpy(int n, float a, const float *x, float *y) {
  for (int i = 0; i < n; i++)
    y[i] = a * x[i] + y[i];
}
