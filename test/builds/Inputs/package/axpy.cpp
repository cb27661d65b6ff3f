#include <ergon.h>

extern "C" double dot(const double *x, const double *y, int n);

int main() {
  double x[2] = {1, 2};
  ergon_region_begin("dot");
  const double s = dot(x, x, 2);
  ergon_region_end("dot");
  return s == 5 ? 0 : 1;
}
