// Calls, logarithms, powers and lists.
struct node {
  struct node *next;
  double value;
};
__attribute__((noinline)) double list(const struct node *at, double *restrict total) {
  double sum = 0;
  for (; at; at = at->next)
    sum += at->value;
  *total = sum;
  return sum;
}
__attribute__((noinline)) void fill(unsigned long n, double *restrict x) {
  for (unsigned long step = 1; step < n; step *= 2)
    for (unsigned long i = 0; i < n; i += 8)
      x[i] = x[i] * 0.5 + (double)step;
}
void all(unsigned long n, double *restrict x, const struct node *first) {
  double total;
  for (unsigned long i = 0; i < n; i++)
    fill(i, x);
  list(first, &total);
  x[0] += total;
}
