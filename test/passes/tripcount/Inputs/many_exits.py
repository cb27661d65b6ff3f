"""A loop with as many exits as the argument says, each of which may never happen."""
import sys

exits = "\n".join(f"    if (i == {k} * m + {k}) break;\n    a[{k}] += 1;" for k in range(int(sys.argv[1])))
print(f"void f(int n, int m, double *a) {{\n  for (int i = 0; i < n; i++) {{\n{exits}\n  }}\n}}")
