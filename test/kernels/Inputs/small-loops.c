/* Small loops of the shapes that compilers' vectorizers are tried on. Arguments: which one, n, and
 * m. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#define KERNEL __attribute__((noinline))
#define ARGS                                                                                       \
  int n, int m, double *restrict a, double *restrict b, double *restrict c, int *restrict ip
#define CALL(NAME)                                                                                 \
  if (!strcmp(words[1], #NAME))                                                                    \
  NAME(n, m, a, b, c, ip)

static double aa[64][64];

KERNEL void wrapAround(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  int im1 = n - 1;
  for (int i = 0; i < n; i++) {
    a[i] = (b[i] + b[im1]) * .5;
    im1 = i;
  }
}

KERNEL void wrapTwo(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  int im1 = n - 1, im2 = n - 2;
  for (int i = 0; i < n; i++) {
    a[i] = (b[i] + b[im1] + b[im2]) * .333;
    im2 = im1;
    im1 = i;
  }
}

KERNEL void stepped(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  int k = -1;
  for (int i = 0; i < n; i++) {
    k += 2;
    a[i] += b[k & 63] * c[i];
  }
}

KERNEL void pairs(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  int j = -1;
  for (int i = 0; i < n / 2; i++) {
    j++;
    a[j] = b[i] + c[i] * c[i];
    j++;
    a[j] = b[i] + c[i] * c[i];
  }
}

KERNEL void triangleIndex(ARGS) { // m=1 n<256 a[512] b[n] c[1] ip[1]
  int k = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      a[k & 511] += b[j];
      k += 1;
    }
    k = k + 1;
  }
}

KERNEL void backward(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  for (int i = 0; i < n; i++)
    a[i] = b[n - i - 1] * c[i];
}

KERNEL void crossing(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  for (int i = 0; i < n; i++)
    a[i] = a[n - i - 1] + b[i] * c[i];
}

KERNEL void threshold(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  int mid = n / 2;
  for (int i = 0; i < mid; i++)
    a[i + mid] = a[i] + b[i];
}

KERNEL void expanded(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  double s;
  for (int i = 0; i < n; i++) {
    s = b[i] + c[i] * c[i];
    a[i] = s * s;
  }
}

KERNEL void carried(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  double t = 0, s;
  for (int i = 0; i < n; i++) {
    s = b[i] * c[i];
    a[i] = s + t;
    t = s;
  }
}

KERNEL void ifPositive(ARGS) {
  for (int i = 0; i < n; i++)
    if (b[i] > 0)
      a[i] += b[i] * c[i];
}

KERNEL void middle(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  for (int i = 0; i < n; i++) {
    if (i < n / 2)
      a[i] += b[i];
    else
      a[i] += b[i] * c[i];
  }
}

KERNEL void oddEven(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  for (int i = 0; i < n; i++) {
    if (i % 2)
      a[i] += b[i];
    else
      a[i] += b[i] * c[i];
  }
}

KERNEL void modThree(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  for (int i = 0; i < n; i++)
    if (i % 3 == 0)
      a[i] /= b[i];
}

KERNEL void peelFirst(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  for (int i = 0; i < n; i++) {
    if (i == 0)
      a[i] = b[i] * 2;
    else
      a[i] = a[i - 1] + b[i];
  }
}

KERNEL void earlyExit(ARGS) {
  for (int i = 0; i < n; i++) {
    if (c[i] < 0)
      return;
    a[i] += b[i] * c[i];
  }
}

KERNEL void pack(ARGS) {
  int j = -1;
  for (int i = 0; i < n; i++)
    if (b[i] > 0) {
      j++;
      a[j] = b[i] + c[i];
    }
}

KERNEL void wavefront(ARGS) { // m=3 n<64 a[n] b[n] c[n] ip[1]
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      aa[i][j] = aa[i - 1][j] + aa[i][j - 1] * 2;
}

KERNEL void diagonal(ARGS) { // m=3 n<64 a[n] b[n] c[n] ip[1]
  for (int i = 0; i < n; i++)
    aa[i][i] += b[i] * c[i];
}

KERNEL void triangular(ARGS) { // m=3 n<64 a[n] b[n] c[n] ip[1]
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      aa[i][j] = aa[j][i] * 2 + 1;
}

KERNEL void shrinking(ARGS) { // m=3 n<64 a[n] b[n] c[n] ip[1]
  for (int j = 1; j < n; j++)
    for (int i = 0; i < j; i++)
      a[j] += aa[i][j] * a[i];
}

KERNEL void gather(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  for (int i = 0; i < n; i++)
    a[i] += b[ip[i]] * c[i];
}

KERNEL void handUnrolled(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  for (int i = 0; i + 4 < n; i += 5)
    a[i] += m * b[i], a[i + 1] += m * b[i + 1], a[i + 2] += m * b[i + 2], a[i + 3] += m * b[i + 3],
        a[i + 4] += m * b[i + 4];
}

KERNEL void unrolledDot(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  double s = 0;
  for (int i = m; i < n; i += 5)
    s += a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2];
  c[0] = s;
}

KERNEL void unrolledRest(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  int r = n % 4;
  for (int i = 0; i < r; i++)
    a[i] += 2 * b[i];
  for (int i = r; i < n; i += 4) {
    a[i] += 2 * b[i];
    a[i + 1] += 2 * b[i + 1];
    a[i + 2] += 2 * b[i + 2];
    a[i + 3] += 2 * b[i + 3];
  }
}

KERNEL void maxIndex(ARGS) {
  double x = a[0];
  int k = 0;
  for (int i = 1; i < n; i++)
    if (a[i] > x) {
      x = a[i];
      k = i;
    }
  c[0] = x + k;
}

KERNEL void absMax(ARGS) {
  int k = 0, idx = 0;
  double x = fabs(a[0]);
  k += m;
  for (int i = 1; i < n; i++) {
    if (fabs(a[k & 63]) > x) {
      idx = i;
      x = fabs(a[k & 63]);
    }
    k += m;
  }
  c[0] = x + idx;
}

KERNEL void minimum(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  double x = a[0];
  for (int i = 0; i < n; i++)
    if (a[i] < x)
      x = a[i];
  c[0] = x;
}

KERNEL void recurrence(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  for (int i = 1; i < n; i++)
    a[i] = a[i - 1] * b[i] + c[i];
}

KERNEL void timeSteps(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  for (int nl = 0; nl < m; nl++) {
    for (int i = 1; i < n - 1; i++)
      a[i] = (b[i - 1] + b[i + 1]) * .5;
    for (int i = 0; i < n; i++)
      b[i] = a[i] + 1;
  }
}

KERNEL void timeSearch(ARGS) {
  for (int nl = 0; nl < m; nl++) {
    int k = -1;
    for (int i = 0; i < n; i++)
      if (a[i] > 2) {
        k = i;
        break;
      }
    if (k >= 0)
      c[nl & 63] += a[k];
  }
}

KERNEL void doubleStep(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  for (int i = 0; i < n; i += 2) {
    a[i] = a[i + 1] * 2;
    if (i + 2 >= n)
      break;
    b[i] += a[i];
  }
}

KERNEL void firstOrder(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  for (int k = 1; k < n; k *= 2)
    for (int i = k; i < n; i++)
      a[i] += b[i - k];
}

KERNEL void switchLoop(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  for (int i = 0; i < n; i++)
    switch (i & 3) {
    case 0:
      a[i] += 1;
      break;
    case 1:
      a[i] *= b[i] + 2;
      break;
    case 2:
      a[i] -= c[i];
    default:
      b[i] += 3;
    }
}

KERNEL void whileBoth(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  int i = 0, j = n - 1;
  while (i < j) {
    double t = a[i] + 1;
    a[i] = a[j] * 2;
    a[j] = t;
    i++;
    j--;
  }
}

KERNEL void gcdLike(ARGS) {
  int i = 0;
  do {
    a[i] += 1;
    i += 3;
  } while (i < n && i < m);
}

KERNEL void jumpIn(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  for (int i = 0; i < n; i++) {
    if (i + 1 < m) {
      a[i] *= 2;
      continue;
    }
    if (i + 1 == m) {
      a[i] += 4;
      continue;
    }
    b[i] -= a[i];
  }
}

KERNEL void blocked(ARGS) { // m=3 n<64 a[n] b[n] c[n] ip[1]
  for (int ii = 0; ii < n; ii += 8) {
    int e = ii + 8 < n ? ii + 8 : n;
    for (int i = ii; i < e; i++)
      for (int j = 0; j < e; j++)
        aa[i][j] += b[j];
  }
}

KERNEL void banded(ARGS) { // m=3 n<64 a[n] b[n] c[n] ip[1]
  for (int i = 0; i < n; i++) {
    int lo = i - m > 0 ? i - m : 0, hi = i + m < n - 1 ? i + m : n - 1;
    for (int j = lo; j <= hi; j++)
      a[i] += aa[i][j] * b[j];
  }
}

KERNEL void strided(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  for (int i = 0; i < n; i += m)
    a[i] += b[i] * 2;
}

KERNEL void stridedDown(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  for (int i = n; i > 0; i -= m)
    a[i] += b[i] * 2;
}

KERNEL void stridedFrom(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  for (int i = m - 1; i < n; i += m)
    a[i] /= b[i];
}

KERNEL void stridedUnsigned(ARGS) {
  for (unsigned i = 0, e = n, s = m; i < e; i += s)
    a[i] += b[i] * 2;
}

KERNEL void stridedLong(ARGS) { // m=4 a[n+16] b[n+16] c[n+16] ip[n]<n
  for (size_t i = 0, e = n, s = m; i < e; i += s)
    a[i] += b[i] * 2;
}

KERNEL void columns(ARGS) { // m=3 n<64 a[n] b[n] c[n] ip[1]
  for (int i = 0; i < n; i++) {
    if (i >= m)
      break;
    for (int j = i; j < n; j += m)
      aa[i][j] *= 3;
  }
}

int main(int count, char **words) {
  static double a[1024], b[1024], c[1024];
  static int ip[1024];
  int n = atoi(words[2]), m = count > 3 ? atoi(words[3]) : 1;
  for (int i = 0; i < 1024; i++)
    a[i] = i % 7 - 3, b[i] = i % 5 - 2, c[i] = i % 3, ip[i] = i * 5 % 64;
  CALL(wrapAround);
  CALL(wrapTwo);
  CALL(stepped);
  CALL(pairs);
  CALL(triangleIndex);
  CALL(backward);
  CALL(crossing);
  CALL(threshold);
  CALL(expanded);
  CALL(carried);
  CALL(ifPositive);
  CALL(middle);
  CALL(oddEven);
  CALL(modThree);
  CALL(peelFirst);
  CALL(earlyExit);
  CALL(pack);
  CALL(wavefront);
  CALL(diagonal);
  CALL(triangular);
  CALL(shrinking);
  CALL(gather);
  CALL(handUnrolled);
  CALL(unrolledDot);
  CALL(unrolledRest);
  CALL(maxIndex);
  CALL(absMax);
  CALL(minimum);
  CALL(recurrence);
  CALL(timeSteps);
  CALL(timeSearch);
  CALL(doubleStep);
  CALL(firstOrder);
  CALL(switchLoop);
  CALL(whileBoth);
  CALL(gcdLike);
  CALL(jumpIn);
  CALL(blocked);
  CALL(banded);
  CALL(strided);
  CALL(stridedDown);
  CALL(stridedFrom);
  CALL(stridedUnsigned);
  CALL(stridedLong);
  CALL(columns);
  return 0;
}
