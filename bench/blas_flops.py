#!/usr/bin/python3
"""What library-costs says of the BLAS beside what the reference BLAS executes: blas_flops.py ERGON PLUGIN LIBBLAS.a

Each routine is called once with n = 60 (m = 50, k = 40), alpha = 1.5 and beta = 0.5, in a function of its own. Ergon
predicts that function; the oracle (test/oracle) counts what the routine itself executes under valgrind. Prints a table.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ERGON, PLUGIN, LIBRARY = sys.argv[1:4]
TOP = pathlib.Path(__file__).resolve().parent.parent
ORACLE = [sys.executable, TOP / "test/oracle/executed_counts.py"]

# routine: parameters of the C declaration, arguments. Enumerations: column major 102, no transposition 111,
# upper 121, not unit 131, left 141, right 142.
I, D, V, W = "int", "double", "const double *", "double *"
ROUTINES = {
    "ddot": ([I, V, I, V, I], "n, a, 1, b, 1"),
    "daxpy": ([I, D, V, I, W, I], "n, 1.5, a, 1, c, 1"),
    "dscal": ([I, D, W, I], "n, 1.5, c, 1"),
    "dasum": ([I, V, I], "n, a, 1"),
    "dnrm2": ([I, V, I], "n, a, 1"),
    "drot": ([I, W, I, W, I, D, D], "n, b, 1, c, 1, 0.6, 0.8"),
    "dgemv": ([I, I, I, I, D, V, I, V, I, D, W, I], "102, 111, m, n, 1.5, a, m, b, 1, 0.5, c, 1"),
    "dsymv": ([I, I, I, D, V, I, V, I, D, W, I], "102, 121, n, 1.5, a, n, b, 1, 0.5, c, 1"),
    "dtrmv": ([I, I, I, I, I, V, I, W, I], "102, 121, 111, 131, n, a, n, c, 1"),
    "dtrsv": ([I, I, I, I, I, V, I, W, I], "102, 121, 111, 131, n, a, n, c, 1"),
    "dger": ([I, I, I, D, V, I, V, I, W, I], "102, m, n, 1.5, a, 1, b, 1, c, m"),
    "dsyr": ([I, I, I, D, V, I, W, I], "102, 121, n, 1.5, a, 1, c, n"),
    "dsyr2": ([I, I, I, D, V, I, V, I, W, I], "102, 121, n, 1.5, a, 1, b, 1, c, n"),
    "dgbmv": ([I, I, I, I, I, I, D, V, I, V, I, D, W, I], "102, 111, n, n, 3, 2, 1.5, a, 6, b, 1, 0.5, c, 1"),
    "dgemm": ([I, I, I, I, I, I, D, V, I, V, I, D, W, I], "102, 111, 111, m, n, k, 1.5, a, m, b, k, 0.5, c, m"),
    "dsymm": ([I, I, I, I, I, D, V, I, V, I, D, W, I], "102, 142, 121, m, n, 1.5, a, n, b, m, 0.5, c, m"),
    "dsyrk": ([I, I, I, I, I, D, V, I, D, W, I], "102, 121, 111, n, k, 1.5, a, n, 0.5, c, n"),
    "dsyr2k": ([I, I, I, I, I, D, V, I, V, I, D, W, I], "102, 121, 111, n, k, 1.5, a, n, b, n, 0.5, c, n"),
    "dtrmm": ([I, I, I, I, I, I, I, D, V, I, W, I], "102, 141, 121, 111, 131, m, n, 1.5, a, m, c, m"),
    "dtrsm": ([I, I, I, I, I, I, I, D, V, I, W, I], "102, 142, 121, 111, 131, m, n, 1.5, a, n, c, m"),
}
SIZES = {"n": 60, "m": 50, "k": 40}
RESULTS = {"ddot", "dasum", "dnrm2"}


def output(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def source():
    lines = ["#include <stdlib.h>", "#include <string.h>", "static double a[10000], b[10000], c[10000];"]
    for name, (parameters, arguments) in ROUTINES.items():
        result = "double" if name in RESULTS else "void"
        lines.append(f"{result} cblas_{name}({', '.join(parameters)});")
        lines.append(f"__attribute__((noinline)) void call_{name}(int n, int m, int k) {{ cblas_{name}({arguments}); }}")
    lines.append("int main(int count, char **words) {")
    lines.append("  for (int i = 0; i < 10000; i++) a[i] = 1 + i % 7 * 0.1, b[i] = c[i] = 1;")
    lines += [f'  if (!strcmp(words[1], "{name}")) call_{name}({SIZES["n"]}, {SIZES["m"]}, {SIZES["k"]});' for name in ROUTINES]
    return "\n".join(lines + ["  return 0;", "}", ""])


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "calls.c").write_text(source())
        output("clang-22", "-O2", "-g", "-gdwarf-4", "-no-pie", f"-fpass-plugin={PLUGIN}", "-mllvm", f"-ergon-dir={work}/records",
               work / "calls.c", LIBRARY, "-lgfortran", "-lm", "-o", work / "calls", "-L/usr/lib/gcc/x86_64-linux-gnu/12")
        print("| routine | described | executed | executed/described |\n| --- | --- | --- | --- |")
        for name in ROUTINES:
            sets = [word for key, value in SIZES.items() for word in ("--set", f"{key}={value}")]
            said = json.loads(output(ERGON, "predict", work / "records", "--entry", f"call_{name}", "--json", *sets))
            done = json.loads(output(*ORACLE, "--function", f"^{name}(_|sub_)?$", work / "calls", name))
            described, executed = said["counts"].get("flops_f64", 0), done.get("flops_f64", 0)
            print(f"| `{name}` | {described} | {executed} | {executed / described:.4f} |")


if __name__ == "__main__":
    main()
