// The same kernels in C++: templates, std::span and std::vector.
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>
#define KERNEL __attribute__((noinline))

template <typename T> KERNEL void saxpy(int n, T a, const T *x, T *y) {
  for (int i = 0; i < n; i++)
    y[i] = a * x[i] + y[i];
}

KERNEL double dot(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); i++)
    sum += x[i] * y[i];
  return sum;
}

KERNEL double sumOf(const std::vector<double> &x) {
  double sum = 0;
  for (double each : x)
    sum += each;
  return sum;
}

template <typename T> KERNEL void gemm(std::size_t n, const T *__restrict a, const T *__restrict b, T *__restrict c) {
  for (std::size_t i = 0; i < n; i++)
    for (std::size_t j = 0; j < n; j++) {
      T sum = 0;
      for (std::size_t k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

KERNEL void trisolve(long n, const double *__restrict l, const double *__restrict b, double *__restrict x) {
  for (long i = 0; i < n; i++) {
    double sum = b[i];
    for (long j = 0; j < i; j++)
      sum -= l[i * n + j] * x[j];
    x[i] = sum / l[i * n + i];
  }
}

KERNEL void jacobi(unsigned n, unsigned steps, double *__restrict a, double *__restrict b) {
  for (unsigned t = 0; t < steps; t++)
    for (unsigned i = 1; i < n - 1; i++)
      for (unsigned j = 1; j < n - 1; j++)
        b[i * n + j] = 0.2 * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j]);
}

KERNEL void axpyVector(double alpha, const std::vector<double> &x, std::vector<double> &y) {
  for (std::size_t i = 0; i < x.size(); i++)
    y[i] += alpha * x[i];
}

int main(int count, char **words) {
  std::string_view which = words[1];
  int n = std::atoi(words[2]), steps = count > 3 ? std::atoi(words[3]) : 1;
  std::vector<double> a(n * n + 1, 1), b(n * n + 1, 2), c(n * n + 1, 3), x(n, 1), y(n, 2);
  std::vector<float> f(n * n + 1, 1), g(n * n + 1, 1), h(n * n + 1, 1);
  if (which == "saxpy<float>")
    saxpy<float>(n, 2, f.data(), g.data());
  else if (which == "saxpy<double>")
    saxpy<double>(n, 2, x.data(), y.data());
  else if (which == "dot")
    return dot(x, y) == 12345;
  else if (which == "sumOf")
    return sumOf(x) == 12345;
  else if (which == "gemm<float>")
    gemm<float>(n, f.data(), g.data(), h.data());
  else if (which == "gemm<double>")
    gemm<double>(n, a.data(), b.data(), c.data());
  else if (which == "trisolve")
    trisolve(n, a.data(), b.data(), c.data());
  else if (which == "jacobi")
    jacobi(n, steps, a.data(), b.data());
  else if (which == "axpyVector")
    axpyVector(2, x, y);
}
