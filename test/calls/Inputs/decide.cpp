// Functions whose arguments decide what they do.
enum class Side { Left, Right };
extern "C" int same(const char *a, const char *b);
extern "C" int roundedUp(int n, int d);

void scale(int n, double alpha, double *x) {
  if (alpha == 0) {
    for (int i = 0; i < n; ++i)
      x[i] = 0;
    return;
  }
  if (alpha == 1)
    return;
  for (int i = 0; i < n; ++i)
    x[i] *= alpha;
}

void scaleByReference(const int &n, const float &alpha, float *__restrict x) {
  if (alpha < 0)
    for (int i = 0; i < n; ++i)
      x[i] = x[i] * alpha + 1;
  else
    for (int i = 0; i < n; ++i)
      x[i] *= alpha;
}

void once(int n, bool twice, double *x) {
  for (int i = 0; i < n; ++i)
    x[i] += 1;
  if (twice)
    for (int i = 0; i < n; ++i)
      x[i] *= 3;
}

void apply(Side side, int m, int n, double *x) {
  const int last = side == Side::Left ? m : n;
  for (int i = 0; i < last; ++i)
    x[i] *= 3;
}

void product(const char *trans, int n, double *x) {
  if (same(trans, "N"))
    for (int i = 0; i < n; ++i)
      x[i] *= 3;
  else if (same(trans, "T") || same(trans, "C"))
    for (int i = 0; i < 2 * n; ++i)
      x[i] *= 3;
}

void blocks(int n, double *x) {
  const int last = roundedUp(n, 4);
  for (int i = 0; i < last; ++i)
    x[i] *= 3;
}

void both(int n, double *x) {
  scale(n, 1, x);
  product("t", n, x);
  product("n", n, x);
}
