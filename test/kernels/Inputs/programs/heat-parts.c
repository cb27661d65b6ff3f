void start(double *p, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      p[i * n + j] = (i * j) % 9;
}
void heat(double *to, const double *from, int n) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      to[i * n + j] = 0.2 * (from[i * n + j] + from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] + from[i * n + j + 1]);
}
