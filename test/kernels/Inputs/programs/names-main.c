// One array under several names, and parts of it as others.
void set(double *p, int n);
void scale(double *to, const double *from, int n);
void halves(double *low, double *high, int n);
double both(const double *a, const double *b, int n);
static double work[6000];
int main(void) {
  double sum = 0;
  set(work, 6000);
  for (int i = 0; i < 4; i++) {
    scale(work, work, 6000);
    halves(work, work + 3000, 3000);
    sum += both(work, work, 6000) + both(work + 1000, work, 2000);
  }
  return sum > 1e30;
}
