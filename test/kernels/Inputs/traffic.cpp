// Containers for traffic. check_traffic.py says what the remarks mean.
#include <array>
#include <cstddef>
#include <span>
#include <vector>
#define KERNEL extern "C" __attribute__((noinline))

KERNEL void scaleVector(std::vector<double> &v) { // *v.data():double[n] v={&*v.data(),&*v.data()+8*n} +v.size()=n
  for (double &each : v)
    each *= 2;
}

KERNEL void addVectors(const std::vector<float> &x, std::vector<float> &y) { // *x.data():float[n] *y.data():float[n] x={&*x.data(),&*x.data()+4*n} y={&*y.data(),&*y.data()+4*n} +y.size()=n
  for (std::size_t i = 0; i < y.size(); i++)
    y[i] += x[i];
}

KERNEL double dotSpans(std::span<const double> x, std::span<const double> y) { // x.data():double[n] y.data():double[n] call(x.data(),n,y.data(),n) +x.size()=n
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); i++)
    sum += x[i] * y[i];
  return sum;
}
