#!/usr/bin/python3
"""Writes a C program of 1,000 functions in 10,000 lines: large.py FILE

Loop nests of one to three levels, branches on data, calls of other functions and of libm, no two alike: what
a record of a program of that size is like.
"""

import sys

FUNCTIONS, LINES = 1000, 10  # each function has so many lines


def body(number):
    """Eight lines between a function's head and its end."""
    a, b = 1 + number % 7, 2 + number % 5
    kind = number % 5
    if kind == 0:
        return ["  double Sum = 0;",
                "  for (long I = 0; I < n; ++I)",
                f"    Sum += A[I] * {a}.5;",
                "  for (long I = 0; I < n; ++I) {",
                f"    B[I] = Sum / (A[I] + {b}.0);",
                f"    B[I] -= {a}.25 * A[I];",
                "  }",
                "  (void)m;"]
    if kind == 1:
        return ["  for (long I = 0; I < n; ++I)",
                "    for (long J = 0; J < m; ++J) {",
                "      double Old = B[I * m + J];",
                f"      B[I * m + J] = Old * {a}.5 + A[J];",
                "    }",
                "  // the last row again",
                "  for (long J = 0; J < m; ++J)",
                f"    B[J] *= {b}.0;"]
    if kind == 2:
        return ["  for (long I = 0; I < n; ++I)",
                "    for (long J = 0; J < n; ++J) {",
                "      double Sum = 0;",
                "      for (long K = 0; K < m; ++K)",
                "        Sum += A[I * m + K] * A[J * m + K];",
                f"      B[I * n + J] = Sum * {a}.5;",
                "    }",
                f"  B[0] += {b}.0;"]
    if kind == 3:
        return ["  for (long I = 1; I + 1 < n; ++I) {",
                f"    double Sum = A[I - 1] + {a}.0 * A[I] + A[I + 1];",
                f"    if (Sum > {b}.0)",
                "      B[I] = sqrt(Sum);",
                "    else",
                "      B[I] = Sum;",
                "  }",
                "  (void)m;"]
    return [f"  f{number - 4:03d}(n, m, A, B);",
            "  for (long I = 0; I < m; ++I)",
            f"    f{number - 3:03d}(n, m, A, B);",
            "  for (long I = 0; I < n; ++I) {",
            f"    B[I] += {a}.5 * A[I];",
            f"    B[I] *= {b}.5;",
            "  }",
            "  /* done */"]


def main():
    lines = []
    for number in range(FUNCTIONS):
        lines.append(f"void f{number:03d}(long n, long m, const double *restrict A, double *restrict B) {{")
        lines += body(number) + ["}"]
    assert len(lines) == FUNCTIONS * LINES
    lines[0] = "double sqrt(double); " + lines[0]
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
