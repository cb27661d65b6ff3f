#define N 4096
double cosine[N / 2], sine[N / 2];
void twiddle(int n) {
  double c = 1, s = 0;
  for (int i = 0; i < n / 2; i++) {
    cosine[i] = c;
    sine[i] = s;
    double t = 0.99999 * c - 0.0015 * s;
    s = 0.0015 * c + 0.99999 * s;
    c = t;
  }
}
void stage(double *x, double *y, int n, int half) {
  for (int block = 0; block < n / (2 * half); block++)
    for (int k = 0; k < half; k++) {
      int i = block * 2 * half + k, j = i + half, w = k * (n / (2 * half));
      double a = cosine[w] * x[j] - sine[w] * y[j], b = sine[w] * x[j] + cosine[w] * y[j];
      x[j] = x[i] - a;
      y[j] = y[i] - b;
      x[i] += a;
      y[i] += b;
    }
}
