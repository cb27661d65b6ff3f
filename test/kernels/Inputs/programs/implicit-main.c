// Alternating directions: along columns and along rows, with a sweep back.
#define N 60
void start(int n, double u[N][N]);
void sweeps(int n, int steps, double u[N][N], double v[N][N], double p[N][N], double q[N][N]);
double u[N][N], v[N][N], p[N][N], q[N][N];
int main(void) {
  start(N, u);
  sweeps(N, 3, u, v, p, q);
  return u[3][3] > 1e30;
}
