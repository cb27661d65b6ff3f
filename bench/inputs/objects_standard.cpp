// Functions over containers and algorithms of the C++ standard library, with n given: what they cost rests on sizes that constructors and
// `resize` keep in objects. Each makes its objects itself; those in the second half decide on data.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <unordered_map>
#include <valarray>
#include <vector>

#define FUNCTION extern "C" __attribute__((noinline)) double

using Vector = std::vector<double>;
using Rows = std::vector<Vector>;

FUNCTION accumulateVector(int n) {
  Vector v(n, 0.5);
  return std::accumulate(v.begin(), v.end(), 0.0);
}
FUNCTION innerProduct(int n) {
  Vector a(n), b(n);
  std::iota(a.begin(), a.end(), 1.0);
  std::fill(b.begin(), b.end(), 0.25);
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
FUNCTION transformed(int n) {
  Vector a(n, 1.5), b(n, 2.5), c(a.size());
  std::transform(a.begin(), a.end(), b.begin(), c.begin(), [](double x, double y) { return x * y + 1.0; });
  return c.back();
}
FUNCTION vectorOfVectors(int n) {
  Rows a(n, Vector(n + 1, 0.5));
  double sum = 0;
  for (const Vector &row : a)
    for (double x : row)
      sum += x * x;
  return sum;
}
FUNCTION multiplyRows(int n) {
  Rows a(n, Vector(n, 0.5)), b(n, Vector(n, 2.0)), c(n, Vector(n));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b[0].size(); ++j)
      for (std::size_t k = 0; k < b.size(); ++k)
        c[i][j] += a[i][k] * b[k][j];
  return c[0][0];
}
__attribute__((noinline)) static double sumOf(std::span<const double> v) {
  double sum = 0;
  for (double x : v)
    sum += x;
  return sum;
}
FUNCTION spans(int n) {
  Vector v(3 * n, 0.5);
  std::span<const double> all(v);
  return sumOf(all) + sumOf(all.subspan(n)) + sumOf(all.first(n));
}
FUNCTION pushed(int n) {
  Vector v;
  v.reserve(n);
  for (int i = 0; i < n; ++i)
    v.push_back(0.5 * i);
  double sum = 0;
  for (double x : v)
    sum += x;
  return sum;
}
FUNCTION resizedVector(int n) {
  Vector v;
  v.resize(n);
  v.resize(2 * n, 1.0);
  double sum = 0;
  for (double x : v)
    sum += 2.0 * x;
  return sum;
}
FUNCTION assigned(int n) {
  Vector a(n, 1.0), b;
  b = a;
  b.insert(b.end(), a.begin(), a.end());
  return std::accumulate(b.begin(), b.end(), 1.0, std::multiplies<>());
}
class Grid {
public:
  Grid(int rows, int columns) : rows(rows), columns(columns), cells(std::size_t(rows) * columns, 1.0) {}
  double &at(int i, int j) { return cells[std::size_t(i) * columns + j]; }
  __attribute__((noinline)) void smooth();
  __attribute__((noinline)) double total() const;

private:
  int rows, columns;
  Vector cells;
};
void Grid::smooth() {
  for (int i = 1; i < rows - 1; ++i)
    for (int j = 1; j < columns - 1; ++j)
      at(i, j) = 0.25 * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1));
}
double Grid::total() const { return std::accumulate(cells.begin(), cells.end(), 0.0); }
FUNCTION grid(int n) {
  Grid g(n, 2 * n);
  for (int step = 0; step < 4; ++step)
    g.smooth();
  return g.total();
}
__attribute__((noinline)) static Vector squares(int n) {
  Vector result(n);
  for (int i = 0; i < n; ++i)
    result[i] = double(i) * i;
  return result;
}
FUNCTION returned(int n) {
  Vector v = squares(n);
  double sum = 0;
  for (double x : v)
    sum += x;
  return sum;
}
struct Slice {
  const double *first;
  std::size_t count;
};
__attribute__((noinline)) static Slice middle(const Vector &v) { return {v.data() + v.size() / 4, v.size() / 2}; }
FUNCTION returnedStructure(int n) {
  Vector v(n, 0.5);
  Slice s = middle(v);
  double sum = 0;
  for (std::size_t i = 0; i < s.count; ++i)
    sum += s.first[i];
  return sum;
}
FUNCTION valarrays(int n) {
  std::valarray<double> a(1.5, n), b(2.5, n);
  std::valarray<double> c = a * b + 1.0;
  return c.sum();
}
FUNCTION owned(int n) {
  auto v = std::make_unique<Vector>(n, 2.0);
  auto shared = std::make_shared<Vector>(*v);
  double sum = 0;
  for (double x : *shared)
    sum += x;
  return sum;
}
FUNCTION partialSums(int n) {
  Vector a(n, 1.0), b(n);
  std::partial_sum(a.begin(), a.end(), b.begin());
  std::adjacent_difference(b.begin(), b.end(), a.begin());
  return a.back();
}

// What decides on data.
static Vector scattered(int n) {
  Vector v(n);
  unsigned long state = 1;
  for (double &x : v) {
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    x = double(state >> 40);
  }
  return v;
}
FUNCTION sorted(int n) {
  Vector v = scattered(n);
  std::sort(v.begin(), v.end());
  return v.front();
}
FUNCTION countedIf(int n) {
  Vector v = scattered(n);
  double sum = 0;
  for (double x : v)
    if (x > 8e6)
      sum += x * x;
  return sum;
}
FUNCTION mapped(int n) {
  std::map<int, double> m;
  for (int i = 0; i < n; ++i)
    m[i * 7 % n] += 0.5 * i;
  double sum = 0;
  for (auto &[key, value] : m)
    sum += value * key;
  return sum;
}
FUNCTION hashed(int n) {
  std::unordered_map<int, double> m;
  for (int i = 0; i < n; ++i)
    m[i % 97] += 1.0;
  double sum = 0;
  for (auto &[key, value] : m)
    sum += value;
  return sum;
}
FUNCTION listed(int n) {
  std::list<double> l(n, 0.5);
  double sum = 0;
  for (double x : l)
    sum += x;
  return sum;
}
FUNCTION queued(int n) {
  std::deque<double> q(n, 0.5);
  double sum = 0;
  for (double x : q)
    sum += x;
  return sum;
}

extern "C" __attribute__((noinline)) double nothing(int n) { return n; }

int main(int argc, char **argv) {
  struct {
    const char *name;
    double (*call)(int);
  } all[] = {{"nothing", nothing}, {"accumulateVector", accumulateVector}, {"innerProduct", innerProduct}, {"transformed", transformed},
             {"vectorOfVectors", vectorOfVectors}, {"multiplyRows", multiplyRows}, {"spans", spans}, {"pushed", pushed},
             {"resizedVector", resizedVector}, {"assigned", assigned}, {"grid", grid}, {"returned", returned},
             {"returnedStructure", returnedStructure}, {"valarrays", valarrays}, {"owned", owned}, {"partialSums", partialSums},
             {"sorted", sorted}, {"countedIf", countedIf}, {"mapped", mapped}, {"hashed", hashed}, {"listed", listed},
             {"queued", queued}};
  volatile double result = 0;
  for (auto &each : all)
    if (argc > 2 && std::strcmp(each.name, argv[1]) == 0)
      result = each.call(std::atoi(argv[2]));
  return 0;
}
