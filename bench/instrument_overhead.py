#!/usr/bin/env python3
"""Time of kernels that count what their records have no formula for, over their plain time.

instrument_overhead.py --work FOLDER [--rounds 15]

The forty kernels of `verification/` and the tests' kernels of data (test/kernels/Inputs/data.c), plain and instrumented under the runtime, in turns: the
least time of each. Of all other kernels of the tests it is told how many have a counter at all; the code of the rest is the plain one's.
One line for each, then the median and the worst ratio. Where a loop of few instructions happens to lie makes more of a
difference (15 % of `lists`) than a counter, so both are built with their loops aligned in three ways, and the least counts. Sizes are such that one run of
the kernels of data takes about a millisecond; those of `verification/` have 64 KiB.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
INPUTS = ROOT / "test/kernels/Inputs"
SIZES = {"collatz": 20000, "bfs": 50000, "quicksort": 20000, "bisection": 5000, "newton": 20000, "pack": 300000,
         "insertion": 3000, "mandelbrot": 150, "lists": 20000, "search": 20000, "treeSum": 20000, "even": 50}
OTHERS = ["blas.c", "vector.c", "rounds.c", "exits.c", "small-loops.c", "sizes.c", "packed.c", "means.c", "quotients.c", "intrinsics.c",
          "traffic-dense.c", "traffic-stencils.c", "traffic-solvers.c", "traffic-places.c"]

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--work", required=True, type=pathlib.Path)
parser.add_argument("--rounds", type=int, default=8)
options = parser.parse_args()
options.work.mkdir(parents=True, exist_ok=True)
bin_folder = pathlib.Path(subprocess.run(["llvm-config-22", "--bindir"], capture_output=True, text=True, check=True).stdout.strip())
counting = [f"-fpass-plugin={ROOT}/build/lib/ErgonPasses.so", "-mllvm", f"-ergon-dir={options.work}", "-mllvm", "-ergon-instrument"]
FLAGS = [bin_folder / "clang", "-O2", "-march=native", "-fno-math-errno", "-w"]
LAYOUTS = [16, 32, 64]


def functions_with_counters(source):
    """How many functions the source has, and how many of them count."""
    text = subprocess.run([*FLAGS, *counting, "-S", "-emit-llvm", source, "-o", "-"], capture_output=True, text=True, check=True).stdout
    bodies = [body for body in re.split(r"^define ", text, flags=re.MULTILINE)[1:]
              if not re.search(r"@(main|ergon\.start[.\d]*)\(", body.split("\n")[0])]
    return len(bodies), sum("@ergon.counters" in body.split("\n}")[0] for body in bodies)


everything = [functions_with_counters(INPUTS / source) for source in OTHERS]
print(f"{sum(all for all, _ in everything)} other functions, {sum(count for _, count in everything)} with a counter")
for name, flags in (("plain", []), ("counting", counting)):
    for bytes in LAYOUTS:
        subprocess.run([*FLAGS, *flags, f"-falign-loops={bytes}", INPUTS / "data.c", "-lm", "-o", options.work / f"{name}{bytes}"], check=True)
runtime = {**os.environ, "ERGON_RUN_DIR": str(options.work / "runs"), "LD_PRELOAD": str(ROOT / "build/lib/libergon_rt.so")}
def shipped_kernels():
    """Least times of the kernels of verification/, of the plain and of the counting build."""
    compiler, common = [*FLAGS, f"-I{ROOT}"], sorted((ROOT / "verification").glob("*Workloads.cpp")) + [ROOT / "bench/inputs/kernel_overhead.cpp"]
    host = [bin_folder / "clang++", "-std=c++23", "-O2", f"-I{ROOT}", "-DERGON_HAS_V3"]
    least = {}
    for source in common:
        subprocess.run([*host, "-c", source, "-o", options.work / f"{source.stem}.o"], check=True)
    for bytes in LAYOUTS:
        objects = [options.work / f"{source.stem}.o" for source in common]
        for source in sorted((ROOT / "verification/kernels").glob("*.c")):
            for variant, flags in (("base", []), ("v3", counting)):
                objects.append(options.work / f"{source.stem}.{variant}.o")
                subprocess.run([*compiler, *flags, f"-falign-loops={bytes}", f"-DERGON_VARIANT={variant}", "-c", source, "-o", objects[-1]], check=True)
        subprocess.run([*host, *objects, "-lm", "-o", options.work / "kernels"], check=True)
        done = subprocess.run([options.work / "kernels", str(10 * options.rounds)], env=runtime, capture_output=True, text=True, check=True)
        for kernel, *times in map(str.split, done.stdout.splitlines()):
            least[kernel] = [min(pair) for pair in zip(least.get(kernel, [1e18, 1e18]), map(float, times))]
    return least


shipped = {kernel: counted / plain for kernel, (plain, counted) in shipped_kernels().items()}
for kernel, ratio in shipped.items():
    print(f"{kernel}: {ratio:.3f}")
print(f"of {len(shipped)} kernels of verification: median {statistics.median(shipped.values()):.3f}, worst {max(shipped.values()):.3f}", flush=True)
ratios = []
for kernel, size in SIZES.items():
    least = {}
    for _ in range(options.rounds):
        for bytes in LAYOUTS:
            for name, environment in (("plain", os.environ), ("counting", runtime)):
                done = subprocess.run([options.work / f"{name}{bytes}", kernel, str(size), "20"], env=environment, capture_output=True,
                                      text=True, check=True)
                least[name] = min(least.get(name, 1e9), float(done.stdout))
    ratios.append(least["counting"] / least["plain"])
    print(f"{kernel} n={size}: {1e3 * least['plain']:.3f} ms, {ratios[-1]:.3f}", flush=True)
print(f"of {len(ratios)} kernels of data: median {statistics.median(ratios):.3f}, worst {max(ratios):.3f}")
