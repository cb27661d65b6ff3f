// A transform in place: in each stage pairs of elements farther apart.
#define N 4096
#define STAGES 12
double re[N], im[N];
extern double cosine[N / 2], sine[N / 2];
void twiddle(int n);
void stage(double *x, double *y, int n, int half);
void reverse(double *x, double *y, int n);
int main(void) {
  twiddle(N);
  for (int i = 0; i < N; i++) {
    re[i] = i % 17;
    im[i] = 0;
  }
  for (int round = 0; round < 2; round++)
    for (int s = 0; s < STAGES; s++)
      stage(re, im, N, 1 << s);
  return re[5] > 1e30;
}
