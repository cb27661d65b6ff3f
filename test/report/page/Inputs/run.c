// A program: its run consists of calls of three functions, one of them with a branch on data.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double Grid[1 << 20], Next[1 << 20];

__attribute__((noinline)) void smooth(int n, const double *restrict From, double *restrict To) {
  for (int I = 1; I + 1 < n; ++I)
    for (int J = 1; J + 1 < n; ++J)
      To[I * n + J] = 0.25 * (From[(I - 1) * n + J] + From[(I + 1) * n + J] + From[I * n + J - 1] + From[I * n + J + 1]);
}

__attribute__((noinline)) double norm(int n, const double *Values) {
  double Sum = 0;
  for (int I = 0; I < n * n; ++I)
    Sum += Values[I] * Values[I];
  return Sum;
}

__attribute__((noinline)) void clip(int n, double *Values) {
  for (int I = 0; I < n * n; ++I)
    if (Values[I] > 1)
      Values[I] = sqrt(Values[I]);
}

void unused(int n, double *Values) {
  for (int I = 0; I < n; ++I)
    Values[I] *= 2;
}

int main(void) {
  const int n = 1000;
  double Sum = 0;
  for (int I = 0; I < n * n; ++I)
    Grid[I] = I % 7;
  for (int Round = 0; Round < 50; ++Round) {
    smooth(n, Grid, Next);
    smooth(n, Next, Grid);
    clip(n, Grid);
    Sum += norm(n, Grid);
  }
  printf("%g\n", Sum);
  return 0;
}
