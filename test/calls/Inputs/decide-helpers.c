/* What other files find out by calls. */
int same(const char *a, const char *b) {
  if (*a == *b)
    return 1;
  int x = (unsigned char)*a, y = (unsigned char)*b;
  if (x >= 97 && x <= 122)
    x -= 32;
  if (y >= 97 && y <= 122)
    y -= 32;
  return x == y;
}

int roundedUp(int n, int d) { return (n + d - 1) / d; }
