#!/usr/bin/env python3
"""Output and exit status of random C programs, with and without counters.

csmith.py --work FOLDER [--programs 500] [--first 1] [--build FOLDER]

csmith (a package of Debian's) makes a program from each seed. It is built with -O2, once plain and once with
-ergon-instrument, and run plain, with counters, and with counters and the runtime. One line for each difference, then how
many programs ran, how many unknowns were counted, and how many programs took too long and say nothing. A program that differs but
does not end at -O0 either says nothing too: a loop that neither ends nor does anything has no defined behaviour in C (C11 6.8.5).
Exits 1 where one differs.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT_S = 10

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--work", required=True, type=pathlib.Path)
parser.add_argument("--programs", type=int, default=500)
parser.add_argument("--first", type=int, default=1)
parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
parser.add_argument("--include", default="/usr/include/csmith")
options = parser.parse_args()
options.work.mkdir(parents=True, exist_ok=True)
clang = subprocess.run(["llvm-config-22", "--bindir"], capture_output=True, text=True, check=True).stdout.strip() + "/clang"
plugin, runtime = options.build / "lib/ErgonPasses.so", options.build / "lib/libergon_rt.so"


def outcome(program, **environment):
    """What the program printed and how it ended; None where it took too long."""
    try:
        done = subprocess.run([program], capture_output=True, timeout=LIMIT_S, env={**os.environ, **environment})
    except subprocess.TimeoutExpired:
        return None
    return done.stdout, done.stderr, done.returncode


def ends(source):
    """Whether the program ends when nothing is optimized."""
    plain = options.work / "unoptimized"
    subprocess.run([clang, "-O0", "-w", "-I", options.include, source, "-o", plain], check=True)
    if outcome(plain) is None:
        print(f"{source.name} of seed {seed}: differs, and does not end at -O0", flush=True)
        return False
    return True


differ = late = ran = unknowns = 0
for seed in range(options.first, options.first + options.programs):
    source, plain, counting = (options.work / name for name in ("program.c", "plain", "counting"))
    runs = options.work / "runs"
    shutil.rmtree(runs, ignore_errors=True)
    subprocess.run(["csmith", "--seed", str(seed), "-o", source], check=True, cwd=options.work)
    build = [clang, "-O2", "-g", "-w", "-I", options.include, source, "-o"]
    subprocess.run([*build, plain], check=True)
    subprocess.run([*build, counting, f"-fpass-plugin={plugin}", "-mllvm", f"-ergon-dir={options.work}", "-mllvm",
                    "-ergon-instrument"], check=True)
    expected = outcome(plain)
    if expected is None:
        late += 1
        continue
    ran += 1
    for name, environment in (("counters", {}), ("runtime", {"LD_PRELOAD": str(runtime), "ERGON_RUN_DIR": str(runs)})):
        if outcome(counting, **environment) != expected and ends(source):
            differ += 1
            print(f"seed {seed}: differs with {name}", flush=True)
    for record in runs.glob("run-*.json"):
        unknowns += sum(len(each["unknowns"]) for each in json.loads(record.read_text())["functions"])
print(f"{ran} programs ran, {unknowns} unknowns counted, {differ} differ; {late} took longer than {LIMIT_S} s and say nothing")
sys.exit(differ != 0)
