// Memory that members of objects point to: their functions are of another file.
#include "members.h"
extern template class Field<3000>;
int main() {
  Field<3000> x, y;
  x.open();
  y.open();
  x.set(1);
  y.set(2);
  double sum = 0;
  for (int step = 0; step < 5; step++) {
    y.axpy(0.25, x);
    x.sweep();
    sum += x.dot(y) + x.dot(x);
  }
  x.close();
  y.close();
  return sum > 1e30;
}
