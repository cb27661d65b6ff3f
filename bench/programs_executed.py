#!/usr/bin/env python3
"""Flops and loads of `main` of public programs, predicted without a run, against executed ones.

programs_executed.py --work FOLDER [--polybench DIR] [--zlib DIR] [--cuda-samples DIR] [--eigen DIR] [--levels O2,O0] [--only NAME,…] [--build DIR]

DIR are unpacked sources: PolyBench/C 4.2.1 (MINI_DATASET), zlib, NVIDIA's cuda-samples (their host parts, called by inputs/host_parts.cpp), Eigen (doc/examples,
compiled with the installed headers). A line for each program: what `ergon predict` tells of `main` with `--args`, its interval, and what callgrind executed of the
program's own code. `inside` where the interval holds what was executed, or the prediction is within 1 % of it. Compiled scalar; at -O0 only flops are compared, as
variables are in memory there.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import statistics
import subprocess
import sys

from described_calls import described

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOT_OWN = "^(?!_start$|_init$|__do_global_dtors_aux$)"  # what is executed before main

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--work", type=pathlib.Path, required=True)
for suite in ("polybench", "zlib", "cuda-samples", "eigen"):
    parser.add_argument(f"--{suite}", type=pathlib.Path)
parser.add_argument("--levels", default="O2")
parser.add_argument("--only", default="")
parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
parser.add_argument("--timeout", type=int, default=60, help="seconds for one prediction")
parser.add_argument("--jobs", type=int, default=2)
options = parser.parse_args()


def polybench(folder):
    for line in (folder / "utilities/benchmark_list").read_text().split():
        source = folder / line
        yield "polybench", source.stem, [source, folder / "utilities/polybench.c"], [f"-I{folder}/utilities", "-DMINI_DATASET"], []


def zlib(folder):
    library = sorted(each for each in folder.glob("*.c"))
    flags = [f"-I{folder}", "-DHAVE_UNISTD_H", "-DHAVE_STDARG_H"]
    text = folder / "zlib.h"
    yield "zlib", "example", [*library, folder / "test/example.c"], flags, [options.work / "example.gz"]
    yield "zlib", "minigzip", [*library, folder / "test/minigzip.c"], flags, ["-c", text]
    yield "zlib", "infcover", [*library, folder / "test/infcover.c"], flags, []
    yield "zlib", "enough", [folder / "examples/enough.c"], flags, ["60", "7", "11"]
    yield "zlib", "gznorm", [*library, folder / "examples/gznorm.c"], flags, []
    yield "zlib", "zpipe", [*library, folder / "examples/zpipe.c"], flags, []


SAMPLES = ["BlackScholes/BlackScholes_gold.cpp", "binomialOptions/binomialOptions_gold.cpp", "SobolQRNG/sobol_gold.cpp SobolQRNG/sobol_primitives.cpp",
           "quasirandomGenerator/quasirandomGenerator_gold.cpp", "convolutionFFT2D/convolutionFFT2D_gold.cpp", "convolutionSeparable/convolutionSeparable_gold.cpp",
           "fastWalshTransform/fastWalshTransform_gold.cpp", "histogram/histogram_gold.cpp", "scan/scan_gold.cpp", "mergeSort/mergeSort_host.cpp",
           "Mandelbrot/Mandelbrot_gold.cpp"]


def cuda_samples(folder):
    for sample in SAMPLES:
        sources = [next(folder.glob(f"Samples/*/{each}")) for each in sample.split()]
        yield ("cuda-samples", sources[0].parent.name, [*sources, ROOT / "bench/inputs/host_parts.cpp"],
               ["-DHOST_" + re.sub("(?<=[a-z])(?=[A-Z])", "_", sources[0].parent.name).upper(), f"-I{folder}/Common", "-I/usr/local/cuda/include"], [])


def eigen(folder):
    for source in sorted((folder / "doc/examples").glob("*.cpp")):
        if "int main" in source.read_text():
            yield "eigen", source.stem, [source], ["-isystem", "/usr/include/eigen3"], []


def build(name, level, sources, flags):
    """The folder of records and the program; nothing where it does not compile."""
    records, program = options.work / f"{name}-{level}", options.work / f"{name}-{level}.exe"
    subprocess.run(["rm", "-rf", records], check=True)
    is_c = sources[0].suffix == ".c"
    done = subprocess.run(["clang-22" if is_c else "clang++-22", *([] if is_c else ["-std=c++20"]), f"-{level}", "-g1" if level == "O0" else "-g", "-gdwarf-4", "-w",
                           "-fno-vectorize", "-fno-slp-vectorize", "-fno-math-errno", "-ffp-contract=off", "-no-pie", "-mno-red-zone", *flags,
                           f"-fpass-plugin={options.build}/lib/ErgonPasses.so", "-mllvm", f"-ergon-dir={records}", *sources, "-lm", "-o", program],
                          capture_output=True, text=True)
    return None if done.returncode else (records, program)


def executed(program, arguments):
    run = subprocess.run([sys.executable, ROOT / "test/oracle/executed_counts.py", "--function", NOT_OWN, program, *arguments], capture_output=True, text=True,
                         stdin=subprocess.DEVNULL, cwd=options.work)
    if run.returncode or "{" not in run.stdout:
        return run.stderr.strip().splitlines()[-1:] or ["not counted"]
    counts = json.loads(run.stdout[run.stdout.rindex("\n{") + 1 if "\n{" in run.stdout else run.stdout.index("{"):])
    return {"flops": sum(value for name, value in counts.items() if re.fullmatch(r"flops_f\d+", name)), "loads": counts.get("loads_memory", 0)}


def own(document, family):
    """(value, least, most) of the program's own code; the most is None without an end."""
    low = value = high = 0
    for name, counted in document["counts"].items():
        if re.fullmatch(r"flops_f\d+" if family == "flops" else "loads_memory|loads_constant", name):
            interval, library = document.get("intervals", {}).get(name, {"low": counted, "high": counted}), described(document, name)
            value, low = value + counted - library, low + max(0, interval["low"] - library)
            high = None if high is None or interval["high"] is None else high + interval["high"] - library
    return value, low, high


def row(item):
    level, (suite, name, sources, flags, arguments) = item
    made = build(name, level, sources, list(map(str, flags)))
    if not made:
        return suite, name, "does not compile", []
    ran = executed(made[1], arguments)
    if not isinstance(ran, dict):
        return suite, name, ran[0], []
    try:
        done = subprocess.run([options.build / "bin/ergon", "predict", made[0], "--machine", "i7-950", "--json", "--args", " ".join(map(str, arguments))],
                              capture_output=True, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return suite, name, "timeout", []
    if done.returncode:
        return suite, name, done.stderr.strip().split("\n")[0], []
    document = json.loads(done.stdout)
    return suite, name, "", [(family, ran[family], *own(document, family)) for family in (("flops",) if level == "O0" else ("flops", "loads"))]


for level in options.levels.split(","):
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    suites = [(polybench, options.polybench), (zlib, options.zlib), (cuda_samples, options.cuda_samples), (eigen, options.eigen)]
    programs = [(level, each) for suite, folder in suites if folder for each in suite(folder.resolve()) if not options.only or each[1] in options.only.split(",")]
    print(f"\n-{level}\n\n| suite | program | | executed | predicted | least | most | |\n| --- | --- | --- | ---: | ---: | ---: | ---: | --- |")
    inside, widths, unbounded = {}, [], 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for suite, name, trouble, rows in pool.map(row, programs):
            if trouble:
                print(f"| {suite} | {name} | {trouble} | | | | | |", flush=True)
            for family, ran, value, low, high in rows:
                near = abs(value - ran) <= 0.01 * ran
                holds = near or low <= ran <= (float("inf") if high is None else high)
                inside.setdefault((suite, family), []).append(holds)
                if ran or value:
                    unbounded += high is None
                    widths.append(float("inf") if high is None or low <= 0 and high > 0 else high / low if low else 1)
                print(f"| {suite} | {name} | {family} | {ran} | {value:.0f} | {low:.0f} | {'' if high is None else f'{high:.0f}'} | {'' if holds else 'OUTSIDE'} |", flush=True)
    print()
    for (suite, family), results in inside.items():
        print(f"{suite} {family}: {sum(results)} of {len(results)} inside")
    total = [each for results in inside.values() for each in results]
    if widths:
        print(f"all: {sum(total)} of {len(total)} inside; width: median {statistics.median(widths):.3g}, {unbounded} without an end")
