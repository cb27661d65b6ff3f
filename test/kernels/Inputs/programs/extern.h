#define N 60
extern double u[N][N], rhs[N][N], forcing[N][N];
void setUp(void);
void residual(void);
void smooth(void);
void add(void);
