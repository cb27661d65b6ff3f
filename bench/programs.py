#!/usr/bin/env python3
"""Bytes from memory of whole programs, predicted from `main`, against callgrind's caches.

programs.py --work FOLDER [options of check_programs.py]

All programs of test/kernels/Inputs/programs, with both methods: a line for each. Takes some minutes.
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "test/kernels/Inputs/programs"

if "--work" not in " ".join(sys.argv[1:]):
    sys.exit(__doc__)
bin_folder = subprocess.run(["llvm-config-22", "--bindir"], capture_output=True, text=True, check=True).stdout.strip()
sys.exit(subprocess.run(
    [sys.executable, ROOT / "test/kernels/Inputs/check_programs.py", "--ergon", ROOT / "build/bin/ergon", "--plugin",
     ROOT / "build/lib/ErgonPasses.so", "--bin", bin_folder, "--set", "sparse:taken@sparse-parts.c:17:5=1", "--set", "sparse:trips@sparse-parts.c:17:5=7",
     "--set", "batches:taken@batches-parts.c:16:11=0.785", *sys.argv[1:], PROGRAMS]).returncode)
