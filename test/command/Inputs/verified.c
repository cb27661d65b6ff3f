#include <ergon.h>
#include <stdio.h>
#include <stdlib.h>

/* Of all elements before the first zero. */
__attribute__((noinline)) double sum(const double *a) {
  double s = 0;
  for (int i = 0; a[i] != 0; i++)
    s += a[i];
  return s;
}

/* So many times, of 3000 elements; the exit status is how many words there are more. */
int main(int count, char **words) {
  int n = 3000, times = atoi(words[1]);
  double *a = calloc(n + 1, sizeof *a), result = 0;
  for (int i = 0; i < n; i++)
    a[i] = i + 1;
  for (int k = 0; k < times; k++) {
    ergon_region_begin("outer");
    ergon_region_begin("sum");
    result += sum(a);
    ergon_region_end("sum");
    ergon_region_end("outer");
  }
  printf("%g\n", result);
  return count - 2;
}
