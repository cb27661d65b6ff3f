#!/usr/bin/python3
"""`ergon predict` on a folder of records, beside python3 loading the same files with json.

usage: predict_speed.py [--build DIR] [--records N,N…] [--functions N] [--rounds N]

Writes C files of --functions functions each (matrix product, triangular solve, stencil, in turn, with bounds
that differ), the last of which calls those of its file and the last ones of two other files, so that the first
file's reaches all. Records them, and runs the two programs in turn: for one function of one file, and for the
one that reaches all. The figures are ratios of the medians, of time and of processor time (the one to go by
where other programs run), and the command's memory. Several numbers of records tell how the time grows.
"""
import argparse
import concurrent.futures
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

KERNELS = [
    "void f{i}(int n, double *A, double *B, double *C) {{ for (int i = 0; i < n - {less}; i++) for (int j = 0; "
    "j < n; j++) {{ double s = {i}; for (int k = 0; k < n; k++) s += A[i*n+k] * B[k*n+j]; "
    "C[i*n+j] = s; }} }}",
    "void f{i}(int n, double *L, double *b, double *x) {{ for (int i = {less}; i < n; i++) {{ double s = "
    "b[i]; for (int j = 0; j < i; j++) s -= L[i*n+j] * x[j]; x[i] = s / L[i*n+i] * {i}; }} }}",
    "void f{i}(int n, double *A, double *B, double *C) {{ for (int i = 1; i < n-1; i++) for (int j = 1; j < n-1-{less}; "
    "j++) B[i*n+j] = 0.{i}1 * (A[i*n+j] + A[i*n+j-1] + A[i*n+j+1] + A[(i-1)*n+j] + A[(i+1)*n+j]); }}",
]
PYTHON = "import glob, json, sys\nfor path in glob.glob(sys.argv[1] + '/*.json'): json.load(open(path))"


def source(file, files, functions):
    """File number `file`: its functions, and all{file} that calls them and two other files' alls."""
    own = range(file * (functions - 1), (file + 1) * (functions - 1))
    called = [f"f{i}" for i in own] + [f"all{i}" for i in (2 * file + 1, 2 * file + 2) if i < files]
    return "\n".join([KERNELS[i % len(KERNELS)].format(i=i, less=i % 97) for i in own] +
                     [f"void {name}(int n, double *A, double *B, double *C);" for name in called] +
                     [f"void all{file}(int n, double *A, double *B, double *C) {{"] +
                     [f"  {name}(n, A, B, C);" for name in called] + ["}", ""])


def seconds(command):
    """Wall time, processor time and largest memory (KB) of one run."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]}: exit status {process.returncode}")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def measure(files, options, folder):
    records = folder / f"records-{files}"

    def compile_one(file):
        path = folder / f"many{file}.c"
        path.write_text(source(file, files, options.functions))
        subprocess.run(["clang-22", "-O2", "-g", "-fno-inline", f"-fpass-plugin={options.build}/lib/ErgonPasses.so", "-mllvm",
                        f"-ergon-dir={records}", "-c", path, "-o", "/dev/null"], check=True)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_one, range(files)))
    size = sum(path.stat().st_size for path in records.iterdir()) / 1e6
    print(f"{files * options.functions} functions in {files} records, {size:.1f} MB")
    for entry in (f"f{files * (options.functions - 1) // 2}", "all0"):
        predict = [f"{options.build}/bin/ergon", "predict", records, "--entry", entry, "--set", "n=1000", "--machine", "gtx580",
                   "--json"]
        runs = [(seconds(predict), seconds(["/usr/bin/python3", "-c", PYTHON, records])) for _ in range(options.rounds)]
        wall, cpu = ([statistics.median(run[which][kind] for run in runs) * 1e3 for which in (0, 1)] for kind in (0, 1))
        memory = max(run[0][2] for run in runs) / 1e3
        print(f"  {entry:8} ergon {wall[0]:7.1f} ms, processor {cpu[0]:7.1f} ms, {memory:5.1f} MB   python3 {wall[1]:7.1f} ms, "
              f"processor {cpu[1]:7.1f} ms   ratio {wall[0] / wall[1]:.3f}, of processor time {cpu[0] / cpu[1]:.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--records", default="1,100,300,1000")
    parser.add_argument("--functions", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for files in map(int, options.records.split(",")):
            measure(files, options, pathlib.Path(folder))


if __name__ == "__main__":
    main()
