// Small structures by value, which the calling convention takes apart. Arguments: which one, n, and m.
#include <cstdlib>
#include <cstring>
#include <span>
#define KERNEL __attribute__((noinline))
#define IS(NAME) (!strcmp(words[1], #NAME))

struct Vector { double *data; long n; };
struct Matrix { int nx, ny; double *data; };
struct Scaled { double factor; int n; };
struct Box { short lower, upper; int step; };

KERNEL void vector(Vector v) {
  for (long i = 0; i < v.n; i++)
    v.data[i] += 1;
}

KERNEL void matrix(Matrix a) {
  for (int i = 0; i < a.nx; i++)
    for (int j = 0; j < a.ny; j++)
      a.data[i * a.ny + j] *= 2;
}

KERNEL void scaled(Scaled s, double *x) {
  for (int i = 0; i < s.n; i++)
    x[i] = x[i] * s.factor + 1;
}

KERNEL void boxed(Box b, double *x) {
  for (int i = b.lower; i < b.upper; i += 2)
    x[i] *= 3;
}

KERNEL double total(std::span<const double> x) {
  double sum = 0;
  for (double each : x)
    sum += each;
  return sum;
}

// The caller's sizes are those of the structures that it makes.
KERNEL void caller(int n, int m, double *x) {
  matrix({n, m, x});
  vector({x, 2L * n});
}

int main(int count, char **words) {
  int n = atoi(words[2]), m = count > 3 ? atoi(words[3]) : 1;
  auto *x = static_cast<double *>(calloc(std::size_t(2 * n * m + 2 * n), 8));
  if (IS(vector)) vector({x, n});
  if (IS(matrix)) matrix({n, m, x});
  if (IS(scaled)) scaled({0.5, n}, x);
  if (IS(boxed)) boxed({short(n), short(n + m), 1}, x);
  if (IS(total)) return total({x, std::size_t(n)}) == 12345;
  if (IS(caller)) caller(n, m, x);
  return 0;
}
