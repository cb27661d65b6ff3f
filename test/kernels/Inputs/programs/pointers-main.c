// Global pointers to memory that another file allocates; two of them change places.
void allocate(int n);
void fill(int n);
void relax(int n);
double total(int n);
extern double *now, *next;
int main(void) {
  allocate(64);
  fill(64);
  for (int step = 0; step < 6; step++) {
    relax(64);
    double *t = now;
    now = next;
    next = t;
  }
  return total(64) > 1e30;
}
