// Sizes that C++'s containers and classes keep: predicted under the names that the source has for them.
#include <array>
#include <cstdlib>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#define KERNEL __attribute__((noinline))
using Vector = std::vector<double>;

KERNEL double total(const Vector &v) {
  double s = 0;
  for (std::size_t i = 0; i < v.size(); ++i)
    s += v[i];
  return s;
}

KERNEL void scale(Vector &v, double by) {
  for (double &each : v)
    each *= by;
}

KERNEL double accumulated(const Vector &v) { return std::accumulate(v.begin(), v.end(), 0.0); }

struct Body {
  double x, y, mass;
};
KERNEL double masses(const std::vector<Body> &bodies) {
  double s = 0;
  for (auto it = bodies.begin(); it != bodies.end(); ++it)
    s += it->mass;
  return s;
}

// Every row is as long as the first.
KERNEL double table(const std::vector<Vector> &rows) {
  double s = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[0].size(); ++j)
      s += rows[i][j];
  return s;
}

KERNEL double outer(const Vector &a, const Vector &b) {
  double s = 0;
  for (double x : a)
    for (double y : b)
      s += x * y;
  return s;
}

KERNEL double viewed(const std::span<const double> &view) {
  double s = 0;
  for (double each : view)
    s += each;
  return s;
}

KERNEL void stepped(const std::array<int, 3> &extents, double *a) {
  for (int i = 0; i < extents[1]; ++i)
    a[i] += 1;
}

// A half-open range as C programs have it.
struct Range {
  double *first, *last;
};
KERNEL void raise(const Range &r) {
  for (double *p = r.first; p != r.last; ++p)
    *p += 1;
}

class Domain {
  Vector m_x, m_v, m_mass;
  std::vector<int> m_list;
  int m_elements = 0;

public:
  explicit Domain(int n, int m) : m_x(n, 1), m_v(n, 2), m_mass(n, 3), m_list(m), m_elements(n) {
    std::iota(m_list.begin(), m_list.end(), 0);
  }
  double &x(int i) { return m_x[i]; }
  double &v(int i) { return m_v[i]; }
  double &mass(int i) { return m_mass[i]; }
  int list(int i) const { return m_list[i]; }
  int elements() const { return m_elements; }
  int listed() const { return int(m_list.size()); }
  KERNEL double momentum() const {
    double s = 0;
    for (std::size_t i = 0; i < m_v.size(); ++i)
      s += m_v[i] * m_mass[i];
    return s;
  }
};

KERNEL void move(Domain &domain, double dt) {
  for (int i = 0; i < domain.elements(); ++i)
    domain.x(i) += dt * domain.v(i);
}

KERNEL void moveListed(Domain *domain, double dt) {
  for (int i = 0; i < domain->listed(); ++i)
    domain->x(domain->list(i)) += dt;
}

// What a caller forwards is its own: the domain's momentum has v's size.
KERNEL double both(Domain &domain, const Vector &v) { return domain.momentum() + total(v); }

Vector shared;
KERNEL double ofShared() { return std::accumulate(shared.begin(), shared.end(), 0.0); }

// A local one has the size that it was made with; nobody else changes it.
KERNEL double ownWork(int n) {
  Vector x(n), y(2 * n, 1.0);
  for (int i = 0; i < n; ++i)
    x[i] = 0.5 * i;
  double s = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    s += y[i];
  for (double each : x)
    s += each;
  return s;
}

// A range of its own that it hands on.
KERNEL void raiseHalf(int n, double *a) {
  Range half{a, a + n / 2};
  raise(half);
}

// The callee may change the size: one unknown, whatever the loops do with it.
__attribute__((noinline)) void grow(Vector &v) { v.resize(v.size() + 3); }
KERNEL double grown(int n) {
  Vector x(n);
  grow(x);
  double s = 0;
  for (double each : x)
    s += each;
  for (std::size_t i = 0; i < x.size(); ++i)
    s += 2 * x[i];
  return s;
}

int main(int count, char **words) {
  std::string_view which = words[1];
  int n = std::atoi(words[2]), m = count > 3 ? std::atoi(words[3]) : 1;
  Vector v(n, 1), w(m, 2);
  double *a = v.data();
  Domain domain(n, m);
  std::vector<Body> bodies(n);
  std::vector<Vector> rows(n, w);
  shared = w;
  volatile double kept = 0;
  if (which == "total") kept = total(v);
  if (which == "scale") scale(v, 2);
  if (which == "accumulated") kept = accumulated(v);
  if (which == "masses") kept = masses(bodies);
  if (which == "table") kept = table(rows);
  if (which == "outer") kept = outer(v, w);
  if (which == "viewed") kept = viewed(v);
  if (which == "stepped") stepped({0, n, 0}, a);
  if (which == "raise") raise({a, a + n});
  if (which == "move") move(domain, 0.5);
  if (which == "moveListed") moveListed(&domain, 0.5);
  if (which == "both") kept = both(domain, w);
  if (which == "ofShared") kept = ofShared();
  if (which == "ownWork") kept = ownWork(n);
  if (which == "raiseHalf") raiseHalf(n, a);
  if (which == "grown") kept = grown(n);
  return kept == 12345;
}
