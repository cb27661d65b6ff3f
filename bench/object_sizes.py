#!/usr/bin/env python3
"""Functions over Eigen and the standard library, n given, no run: what is asked, and flops and loads against executed ones.

object_sizes.py --work FOLDER [--levels O2,O1,O0] [--sizes 7,50] [--only NAME,…] [--build DIR]

The functions are those of inputs/objects_*.cpp. Each is predicted with --strict: `equal` where nothing is asked and the flops are those that ran,
`WRONG` where they are not, else how many values are asked. Executed: what the whole program executes for one call, without what it executes for
none. Compiled scalar, as loads of vector code are others; needs valgrind and Eigen.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INPUTS = sorted((ROOT / "bench/inputs").glob("objects_*.cpp"))

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--work", type=pathlib.Path, required=True)
parser.add_argument("--levels", default="O2")
parser.add_argument("--sizes", default="7,50")
parser.add_argument("--only", default="")
parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
parser.add_argument("--eigen", default="/usr/include/eigen3")
parser.add_argument("--timeout", type=int, default=60, help="seconds for one prediction")
options = parser.parse_args()


def build(source, level):
    """The folder of records and the program."""
    records = options.work / f"{source.stem}-{level}"
    program = options.work / f"{source.stem}-{level}.exe"
    subprocess.run(["rm", "-rf", records], check=True)
    subprocess.run(["clang++-22", f"-{level}", "-g1" if level == "O0" else "-g", "-gdwarf-4", "-std=c++20", "-fno-vectorize", "-fno-slp-vectorize",
                    "-no-pie", "-mno-red-zone", "-I", options.eigen, f"-fpass-plugin={options.build}/lib/ErgonPasses.so", "-mllvm", f"-ergon-dir={records}",
                    source, "-o", program], check=True)
    return records, program


def executed(program, *arguments):
    run = subprocess.run([sys.executable, ROOT / "test/oracle/executed_counts.py", "--function", ".", program, *arguments],
                         capture_output=True, text=True)
    if run.returncode:
        print(run.stderr, file=sys.stderr)
        return None
    counts = json.loads(run.stdout)
    return {family: sum(value for name, value in counts.items() if name in (f"{family}_f64", f"{family}_f32", f"{family}_memory"))
            for family in ("flops", "loads")}


def predict(records, name, n, *more):
    try:
        return subprocess.run([options.build / "bin/ergon", "predict", records, "--entry", name, "--set", f"n={n}", "--machine", "i7-950",
                               "--json", *more], capture_output=True, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return None


def total(document, family):
    return round(sum(value for name, value in document["counts"].items()
                     if name.startswith(family + "_") and not name.endswith("_stack")))


def row(records, program, nothing, name, n):
    counted = executed(program, name, str(n))
    if counted is None:
        return f"| {name} | {n} | not counted | | | | |", False
    ran = {key: value - nothing[key] for key, value in counted.items()}
    done = predict(records, name, n, "--strict")
    asked = 0
    if done is None:
        return f"| {name} | {n} | timeout | | {ran['flops']} | | {ran['loads']} |", False
    if done.returncode:
        asked = len(re.findall(r"--set ", done.stderr)) or 1
        done = predict(records, name, n)
    if done is None or done.returncode:
        return f"| {name} | {n} | {asked} asked, no answer | | {ran['flops']} | | {ran['loads']} |", False
    document = json.loads(done.stdout)
    flops, loads = total(document, "flops"), total(document, "loads")
    is_equal = not asked and flops == ran["flops"]
    verdict = "equal" if is_equal else f"{asked} asked" if asked else "WRONG"
    return f"| {name} | {n} | {verdict} | {flops} | {ran['flops']} | {loads} | {ran['loads']} |", is_equal


for level in options.levels.split(","):
    print(f"\n-{level}\n\n| function | n | | flops | executed | loads | executed |\n| --- | ---: | --- | ---: | ---: | ---: | ---: |")
    options.work.mkdir(parents=True, exist_ok=True)
    equal = rows = 0
    for source in INPUTS:
        records, program = build(source, level)
        nothing = executed(program, "nothing", "0")
        for name in re.findall(r"^FUNCTION (\w+)", source.read_text(), re.MULTILINE):
            for n in options.sizes.split(","):
                if options.only and name not in options.only.split(","):
                    continue
                text, is_equal = row(records, program, nothing, name, n)
                print(text, flush=True)
                equal, rows = equal + is_equal, rows + 1
    print(f"\nequal: {equal} of {rows}")
