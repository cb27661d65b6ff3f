// Fields on staggered places, in steps of time; arrays in a structure that functions are given.
#include "fields.h"
int main(void) {
  struct Fields f;
  openFields(&f, 56);
  for (int t = 0; t < 5; t++) {
    electric(&f, 56, t);
    magnetic(&f, 56);
  }
  double last = f.hz[5];
  closeFields(&f);
  return last > 1e30;
}
