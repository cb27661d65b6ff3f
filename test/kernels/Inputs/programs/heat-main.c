// Steps in time over two arrays that change places, as arguments.
#include <stdlib.h>
void heat(double *to, const double *from, int n);
void start(double *p, int n);
int main(void) {
  const int n = 70;
  double *a = malloc(n * n * sizeof(double)), *b = malloc(n * n * sizeof(double));
  start(a, n);
  start(b, n);
  for (int step = 0; step < 7; step++) {
    heat(b, a, n);
    double *t = a;
    a = b;
    b = t;
  }
  double last = a[n];
  free(a);
  free(b);
  return last > 1e30;
}
