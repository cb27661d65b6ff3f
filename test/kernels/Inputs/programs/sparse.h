#define N 1200
#define ROW 7
extern int rowStart[N + 1], column[N * ROW];
extern double value[N * ROW];
void build(void);
void multiply(double *to, const double *from);
double dot(const double *a, const double *b);
void axpy(double *to, const double *from, double a);
