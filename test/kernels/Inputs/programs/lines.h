#define N 12
extern double u[N][N][N][5], rhs[N][N][N][5], lhs[N + 1][3][5][5];
void setUp(void);
void computeRhs(void);
void xSolve(void);
void ySolve(void);
void zSolve(void);
void add(void);
void multiplySubtract(double a[5][5], double x[5], double y[5]);
void solve5(double a[5][5], double x[5]);
