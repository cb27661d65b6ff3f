#include "members.h"
template <int n> void Field<n>::open() {
  data = new double[n];
  buffer = new double[n];
}
template <int n> void Field<n>::close() {
  ::operator delete[](data); // which asks nothing of the pointer
  ::operator delete[](buffer);
}
template <int n> void Field<n>::set(double value) {
  for (int i = 0; i < n; i++)
    data[i] = value + i % 5;
}
template <int n> void Field<n>::axpy(double a, const Field &x) {
  for (int i = 0; i < n; i++)
    data[i] += a * x.data[i];
}
template <int n> double Field<n>::dot(const Field &with) const {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += data[i] * with.data[i];
  return sum;
}
template <int n> void Field<n>::sweep() {
  for (int i = 1; i < n - 1; i++)
    buffer[i] = data[i - 1] + data[i + 1];
  for (int i = 1; i < n - 1; i++)
    data[i] = 0.5 * buffer[i];
}
template class Field<3000>;
