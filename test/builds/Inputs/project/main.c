void scale(double *x, int n);
double sum(const double *x, int n);
int main(void) {
  double x[4] = {1, 2, 3, 4};
  scale(x, 4);
  return sum(x, 4) > 0 ? 0 : 1;
}
