#!/usr/bin/env python3
"""Predicted memory traffic of the tests' own kernels against callgrind's caches.

traffic.py --work FOLDER [options of check_traffic.py]

All kernels of test/kernels/Inputs that have a remark, at sizes that just fit, are as large as, and are twice D1 and LL, with
both methods: a line for each run, then each method's median and worst error. Takes some minutes.
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INPUTS = ROOT / "test/kernels/Inputs"
SOURCES = ["traffic-dense.c", "traffic-stencils.c", "traffic-solvers.c", "traffic-places.c", "traffic.cpp", "blas.c", "vector.c", "rounds.c", "exits.c",
           "small-loops.c", "shapes.c+callees.c"]

if "--work" not in " ".join(sys.argv[1:]):
    sys.exit(__doc__)
bin_folder = subprocess.run(["llvm-config-22", "--bindir"], capture_output=True, text=True, check=True).stdout.strip()
sys.exit(subprocess.run(
    [sys.executable, INPUTS / "check_traffic.py", "--ergon", ROOT / "build/bin/ergon", "--plugin", ROOT / "build/lib/ErgonPasses.so",
     "--bin", bin_folder, "--oracle", ROOT / "test/oracle/executed_traffic.py", *sys.argv[1:],
     *("+".join(str(INPUTS / each) for each in source.split("+")) for source in SOURCES)]).returncode)
