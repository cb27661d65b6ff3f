// Batches of pseudo-random numbers in one array, made by one function and used by another.
#define NK 2048
void generate(int n, double *seed, double a, double *y);
int accept(const double *x, int n, double *sums);
double x[2 * NK + 1], q[10], sums[2];
int main(void) {
  double seed = 271828183;
  int found = 0;
  for (int k = 0; k < 12; k++) {
    generate(2 * NK, &seed, 1220703125.0, x);
    found += accept(x, NK, sums);
  }
  return found < 0;
}
