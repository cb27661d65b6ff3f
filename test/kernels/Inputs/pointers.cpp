// Virtual methods: a composite of shapes, and visitors. Arguments: which one, and n.
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>
#define KERNEL __attribute__((noinline))

struct Shape {
  virtual ~Shape() = default;
  virtual double area(int precision) const = 0;
};
struct Square : Shape {
  double side;
  explicit Square(double side) : side(side) {}
  double area(int) const override { return side * side; }
};
struct Disc : Shape {
  double radius;
  explicit Disc(double radius) : radius(radius) {}
  double area(int precision) const override {
    double sum = radius;
    for (int i = 0; i < precision; ++i)
      sum += radius * 0.25;
    return sum;
  }
};

KERNEL double total(int n, int precision, const std::unique_ptr<Shape> *shapes) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += shapes[i]->area(precision);
  return sum;
}

KERNEL double apply(int n, const std::function<double(double)> &f, double x) {
  for (int i = 0; i < n; ++i)
    x = f(x);
  return x;
}

int main(int, char **words) {
  int n = std::atoi(words[2]);
  std::vector<std::unique_ptr<Shape>> shapes;
  unsigned state = 1;
  for (int i = 0; i < n; ++i)
    if ((state = state * 1103515245u + 12345u) >> 31)
      shapes.push_back(std::make_unique<Square>(i));
    else
      shapes.push_back(std::make_unique<Disc>(i));
  double scale = n;
  if (!std::strcmp(words[1], "total"))
    return total(n, std::atoi(words[3]), shapes.data()) < 0;
  return apply(n, [scale](double x) { return x * scale + 1; }, 2) < 0;
}
