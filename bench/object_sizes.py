#!/usr/bin/env python3
"""Functions over Eigen and the standard library, n given, no run: what is asked, and flops and loads against executed ones.

object_sizes.py --work FOLDER [--levels O2,O1,O0] [--sizes 7,50] [--only NAME,…] [--build DIR] [--after-run]

The functions are those of inputs/objects_*.cpp. Each is predicted with --strict: `equal` where nothing is asked and the flops are those that ran,
`WRONG` where they are not, else how many values are asked. Executed: what the whole program executes for one call, without what it executes for
none. Compiled scalar, as loads of vector code are others; needs valgrind and Eigen.
With --after-run the whole program, which calls one of them, is run once with counters and then predicted from that run: `within 1 %` where flops and, but at
-O0, loads are, and nothing is asked.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

from described_calls import described

ROOT = pathlib.Path(__file__).resolve().parent.parent
INPUTS = sorted((ROOT / "bench/inputs").glob("objects_*.cpp"))

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--work", type=pathlib.Path, required=True)
parser.add_argument("--levels", default="O2")
parser.add_argument("--sizes", default="7,50")
parser.add_argument("--only", default="")
parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
parser.add_argument("--eigen", default="/usr/include/eigen3")
parser.add_argument("--after-run", action="store_true")
parser.add_argument("--timeout", type=int, default=60, help="seconds for one prediction")
options = parser.parse_args()


def build(source, level, *more):
    """The folder of records and the program."""
    name = "-".join([source.stem, level, *(["counting"] if more else [])])
    records, program = options.work / name, options.work / f"{name}.exe"
    subprocess.run(["rm", "-rf", records], check=True)
    subprocess.run(["clang++-22", f"-{level}", "-g1" if level == "O0" else "-g", "-gdwarf-4", "-std=c++20", "-fno-vectorize", "-fno-slp-vectorize",
                    "-no-pie", "-mno-red-zone", "-I", options.eigen, f"-fpass-plugin={options.build}/lib/ErgonPasses.so", "-mllvm", f"-ergon-dir={records}",
                    *more, source, "-o", program], check=True)
    return records, program


def executed(program, *arguments):
    run = subprocess.run([sys.executable, ROOT / "test/oracle/executed_counts.py", "--function", "^(?!_start$|_init$|__do_global_dtors_aux$)", program, *arguments],
                         capture_output=True, text=True)
    if run.returncode:
        print(run.stderr, file=sys.stderr)
        return None
    counts = json.loads(run.stdout)
    return {family: sum(value for name, value in counts.items() if name in (f"{family}_f64", f"{family}_f32", f"{family}_memory"))
            for family in ("flops", "loads")}


def predict(records, *more):
    try:
        return subprocess.run([options.build / "bin/ergon", "predict", records, "--machine", "i7-950", "--json", *more], capture_output=True, text=True,
                              timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return None


def total(document, family):
    """What the program's own code does: what is executed is counted without the library's."""
    return round(sum(value for name, value in document["counts"].items()
                     if name.startswith(family + "_") and not name.endswith("_stack")) - described(document, f"{family}_memory"))


def run(program, name, n):
    """The folder with what one run counted."""
    folder = options.work / f"{program.stem}-{name}-{n}"
    subprocess.run(["rm", "-rf", folder], check=True)
    subprocess.run([program, name, n], check=True,
                   env={**os.environ, "ERGON_RUN_DIR": str(folder), "LD_PRELOAD": str(options.build.resolve() / "lib/libergon_rt.so")})
    return folder


def row(level, counting, program, nothing, name, n):
    """A line, and whether it is right. Of records that count, with the program that does; else of `nothing`, what is executed for no call."""
    counted = executed(program, name, n)
    if counted is None:
        return f"| {name} | {n} | not counted | | | | |", False
    records = counting[0]
    if options.after_run:
        ran, question = counted, ["--args", f"{name} {n}", "--bindings", run(counting[1], name, n)]
    else:
        ran, question = {key: value - nothing[key] for key, value in counted.items()}, ["--entry", name, "--set", f"n={n}"]
    done = predict(records, *question, "--strict")
    asked = 0
    if done is None:
        return f"| {name} | {n} | timeout | | {ran['flops']} | | {ran['loads']} |", False
    if done.returncode:
        asked = len(re.findall(r"--set ", done.stderr)) or 1
        done = predict(records, *question)
    if done is None or done.returncode:
        return f"| {name} | {n} | {asked} asked, no answer | | {ran['flops']} | | {ran['loads']} |", False
    document = json.loads(done.stdout)
    flops, loads = total(document, "flops"), total(document, "loads")
    if options.after_run:
        is_right = not asked and all(abs(value - ran[family]) <= 0.01 * ran[family]
                                     for family, value in (("flops", flops), *([] if level == "O0" else [("loads", loads)])))
    else:
        is_right = not asked and flops == ran["flops"]
    verdict = RIGHT if is_right else f"{asked} asked" if asked else "WRONG"
    return f"| {name} | {n} | {verdict} | {flops} | {ran['flops']} | {loads} | {ran['loads']} |", is_right


RIGHT = "within 1 %" if options.after_run else "equal"
for level in options.levels.split(","):
    print(f"\n-{level}\n\n| function | n | | flops | executed | loads | executed |\n| --- | ---: | --- | ---: | ---: | ---: | ---: |")
    options.work.mkdir(parents=True, exist_ok=True)
    right = rows = 0
    for source in INPUTS:
        records, program = build(source, level)
        counting = build(source, level, "-mllvm", "-ergon-instrument") if options.after_run else (records, program)
        nothing = executed(program, "nothing", "0")
        for name in re.findall(r"^FUNCTION (\w+)", source.read_text(), re.MULTILINE):
            for n in options.sizes.split(","):
                if options.only and name not in options.only.split(","):
                    continue
                text, is_right = row(level, counting, program, nothing, name, n)
                print(text, flush=True)
                right, rows = right + is_right, rows + 1
    print(f"\n{RIGHT}: {right} of {rows}")
