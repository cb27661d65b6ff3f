#include <cmath>
#include <vector>
struct Grid {
  int nx, ny;
  std::vector<double> cell;
  Grid(int nx, int ny) : nx(nx), ny(ny), cell(nx * ny) {}
  double &at(int i, int j) { return cell[i * ny + j]; }
  double at(int i, int j) const { return cell[i * ny + j]; }
};

// A class whose constructor stands elsewhere: limited debug information leaves its members out.
struct Field {
  Field(int count);
  int count;
  double *value;
};

double sum(const Field &of) {
  double total = 0;
  for (int i = 0; i < of.count; ++i)
    total += of.value[i];
  return total;
}

double step(const Grid &from, Grid &to, double alpha) {
  double change = 0;
  for (int i = 1; i < from.nx - 1; ++i)
    for (int j = 1; j < from.ny - 1; ++j) {
      double next = from.at(i, j) + alpha * (from.at(i - 1, j) + from.at(i + 1, j) - 2 * from.at(i, j));
      change += std::fabs(next - from.at(i, j));
      to.at(i, j) = next;
    }
  return change;
}
