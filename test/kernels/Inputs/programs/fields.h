struct Fields {
  double *ex, *ey, *hz;
};
void openFields(struct Fields *f, int n);
void electric(struct Fields *f, int n, int t);
void magnetic(struct Fields *f, int n);
void closeFields(struct Fields *f);
