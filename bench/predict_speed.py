#!/usr/bin/python3
"""`ergon predict` on one record of many functions, beside python3 loading the same file with json.

usage: predict_speed.py [--build DIR] [--functions N] [--rounds N]

Writes a C file of N functions (matrix product, triangular solve, stencil, branch on data, in turn),
records it, and times the two programs in turn. The figure is the ratio of the medians.
"""
import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

KERNELS = [
    "void f{i}(int n, double *A, double *B, double *C) {{ for (int i = 0; i < n; i++) for (int j = 0; "
    "j < n; j++) {{ double s = {i}; for (int k = 0; k < n; k++) s += A[i*n+k] * B[k*n+j]; "
    "C[i*n+j] = s; }} }}",
    "void f{i}(int n, double *L, double *b, double *x) {{ for (int i = 0; i < n; i++) {{ double s = "
    "b[i]; for (int j = 0; j < i; j++) s -= L[i*n+j] * x[j]; x[i] = s / L[i*n+i] * {i}; }} }}",
    "void f{i}(int n, double *A, double *B) {{ for (int i = 1; i < n-1; i++) for (int j = 1; j < n-1; "
    "j++) B[i*n+j] = 0.{i}1 * (A[i*n+j] + A[i*n+j-1] + A[i*n+j+1] + A[(i-1)*n+j] + A[(i+1)*n+j]); }}",
    "float f{i}(int n, float a, float *x, float *y) {{ float s = {i}; for (int i = 0; i < n; i++) {{ "
    "if (x[i] > 0) s += x[i] * a; y[i] = s; }} return s; }}",
]


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--functions", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "many.c")
        source.write_text("".join(KERNELS[i % len(KERNELS)].format(i=i) + "\n"
                                  for i in range(options.functions)))
        records = f"{folder}/records"
        subprocess.run(["clang-22", "-O2", "-g", f"-fpass-plugin={options.build}/lib/ErgonPasses.so",
                        "-mllvm", f"-ergon-dir={records}", "-c", source, "-o", f"{folder}/many.o"],
                       check=True)
        (record,) = pathlib.Path(records).iterdir()
        entry = f"f{options.functions // 8 * 4}"
        predict = [f"{options.build}/bin/ergon", "predict", records, "--entry", entry, "--set", "n=1000",
                   "--machine", "gtx580", "--json"]
        load = ["/usr/bin/python3", "-c", f"import json; json.load(open({str(record)!r}))"]
        times = [(seconds(predict), seconds(load)) for _ in range(options.rounds)]
        ergon, python = (statistics.median(column) for column in zip(*times))
        print(f"record   {record.stat().st_size / 1e6:.2f} MB, {options.functions} functions")
        print(f"ergon    {ergon * 1e3:.1f} ms (median of {options.rounds})")
        print(f"python3  {python * 1e3:.1f} ms")
        print(f"ratio    {ergon / python:.3f}")


if __name__ == "__main__":
    main()
