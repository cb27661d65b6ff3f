// Functions over Eigen's objects, with n given: what they cost rests on sizes that constructors, `resize` and the evaluation of
// expressions keep in objects. Each makes its objects itself.
#include <Eigen/Dense>
#include <cstdlib>
#include <cstring>

using Eigen::ArrayXd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

#define FUNCTION extern "C" __attribute__((noinline)) double

static void fill(VectorXd &v) {
  for (Eigen::Index i = 0; i < v.size(); ++i)
    v[i] = 1.0 + 0.5 * double(i);
}
static void fill(MatrixXd &m) {
  for (Eigen::Index j = 0; j < m.cols(); ++j)
    for (Eigen::Index i = 0; i < m.rows(); ++i)
      m(i, j) = 0.25 + 0.125 * double(i - j);
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    m(i, i) += double(m.rows());
}

FUNCTION lazySum(int n) { // an expression that is evaluated where it is used
  VectorXd x(n), y(n);
  fill(x);
  fill(y);
  return (x.array() * y.array() + 1).sum();
}
FUNCTION addVectors(int n) {
  VectorXd x(n), y(n);
  fill(x);
  fill(y);
  VectorXd z = 2.0 * x + y;
  return z[n / 2];
}
FUNCTION dotAndNorm(int n) {
  VectorXd x = VectorXd::Constant(n, 0.5), y = VectorXd::LinSpaced(n, 0.0, 1.0);
  return x.dot(y) + y.squaredNorm();
}
FUNCTION assignTwice(int n) { // the second assignment finds the size that it needs
  VectorXd x = VectorXd::Ones(n), y(n);
  y = x * 3.0;
  y += x.cwiseProduct(y);
  return y.sum();
}
FUNCTION matrixSum(int n) {
  MatrixXd a(n, n + 1);
  a.setConstant(0.25);
  return a.sum();
}
FUNCTION matrixVector(int n) {
  MatrixXd a(n, n);
  VectorXd x(n);
  fill(a);
  fill(x);
  VectorXd y = a * x;
  return y[0];
}
FUNCTION transposeVector(int n) {
  MatrixXd a(n, n);
  VectorXd x(n);
  fill(a);
  fill(x);
  VectorXd y = a.transpose() * x;
  return y[0];
}
FUNCTION matrixMatrix(int n) {
  MatrixXd a(n, n), b(n, n);
  fill(a);
  fill(b);
  MatrixXd c = a * b;
  return c(0, 0);
}
FUNCTION lazyProduct(int n) {
  MatrixXd a(n, n), b(n, n);
  fill(a);
  fill(b);
  MatrixXd c = a.lazyProduct(b);
  return c(0, 0);
}
FUNCTION triangularSolve(int n) {
  MatrixXd a(n, n);
  VectorXd b(n);
  fill(a);
  fill(b);
  VectorXd x = a.triangularView<Eigen::Lower>().solve(b);
  return x[n - 1];
}
FUNCTION lu(int n) { // pivots are data
  MatrixXd a(n, n);
  VectorXd b(n);
  fill(a);
  fill(b);
  VectorXd x = a.partialPivLu().solve(b);
  return x[0];
}
FUNCTION outerProduct(int n) {
  VectorXd x(n), y(n);
  fill(x);
  fill(y);
  MatrixXd a = x * y.transpose();
  a.array() *= 0.5;
  return a(0, 0);
}
FUNCTION columns(int n) {
  MatrixXd a(n, n);
  fill(a);
  VectorXd sums = a.colwise().sum();
  double total = 0;
  for (Eigen::Index j = 0; j < a.cols(); ++j)
    total += sums[j] * a.col(j).norm();
  return total;
}
FUNCTION resized(int n) {
  ArrayXd a;
  a.resize(n);
  a.setOnes();
  a.conservativeResize(2 * n);
  a.tail(n).setConstant(3.0);
  return (a * a - a).sum();
}
FUNCTION powerIteration(int n) {
  MatrixXd a(n, n);
  VectorXd x = VectorXd::Ones(n);
  fill(a);
  for (int step = 0; step < 5; ++step) {
    VectorXd y = a * x;
    x = y / y.norm();
  }
  return x[0];
}

extern "C" __attribute__((noinline)) double nothing(int n) { return n; }

int main(int argc, char **argv) {
  struct {
    const char *name;
    double (*call)(int);
  } all[] = {{"nothing", nothing}, {"lazySum", lazySum}, {"addVectors", addVectors}, {"dotAndNorm", dotAndNorm}, {"assignTwice", assignTwice},
             {"matrixSum", matrixSum}, {"matrixVector", matrixVector}, {"transposeVector", transposeVector},
             {"matrixMatrix", matrixMatrix}, {"lazyProduct", lazyProduct}, {"triangularSolve", triangularSolve}, {"lu", lu},
             {"outerProduct", outerProduct}, {"columns", columns}, {"resized", resized}, {"powerIteration", powerIteration}};
  volatile double result = 0;
  for (auto &each : all)
    if (argc > 2 && std::strcmp(each.name, argv[1]) == 0)
      result = each.call(std::atoi(argv[2]));
  return 0;
}
