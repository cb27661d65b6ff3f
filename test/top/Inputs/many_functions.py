#!/usr/bin/python3
"""Prints a C program of that many functions: many_functions.py NUMBER. Three kinds of loops in turn, over three arrays that `main` allocates for its first argument."""

import sys

KINDS = [
    "for (int i = {less}; i < n; i++) for (int j = 0; j < n; j++) C[i * n + j] += A[i * n + j] * B[j];",
    "for (int i = 1; i < n - 1; i++) for (int j = {less}; j < n; j++) B[i * n + j] = A[(i - 1) * n + j] + A[(i + 1) * n + j];",
    "for (int i = 0; i < n; i++) {{ double s = 0; for (int j = {less}; j < n; j++) s += C[j * n + i]; A[i] = s; }}",
]

number = int(sys.argv[1])
print("#include <stdlib.h>")
for i in range(number):
    print(f"__attribute__((noinline)) static void f{i}(int n, double *A, double *B, double *C) {{ {KINDS[i % 3].format(less=i % 7)} }}")
print("int main(int argc, char **argv) {\n  int n = atoi(argv[1]);")
print("  double *A = malloc(8ul * n * n), *B = malloc(8ul * n * n), *C = malloc(8ul * n * n);")
for i in range(number):
    print(f"  f{i}(n, A, B, C);")
print("  return C[n] > 0;\n}")
