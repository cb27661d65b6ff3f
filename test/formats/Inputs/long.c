#define FOUR(i) CHECK(i) CHECK(i + 1) CHECK(i + 2) CHECK(i + 3)
#define SIXTEEN(i) FOUR(i) FOUR(i + 4) FOUR(i + 8) FOUR(i + 12)
#define CHECK(i) if (a[i] > v) sink(&v);
void sink(double *v);
__attribute__((noinline)) double üable(const double *a, double v) {
  SIXTEEN(0) SIXTEEN(16) SIXTEEN(32)
  return v;
}
double short_(const double *a) __asm__("short");
double short_(const double *a) { return üable(a, 3); }
