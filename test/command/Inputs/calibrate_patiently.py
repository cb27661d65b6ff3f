"""Runs a command that measures, again where the machine was too busy: calibrate_patiently.py COMMAND…"""

import subprocess
import sys

for _ in range(20):
    done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
    if done.returncode != 2 or not any(each in done.stderr for each in ("too busy", "enough good samples", "and the core runs at")):
        break
print(done.stdout, end="")
print(done.stderr, end="", file=sys.stderr)
sys.exit(done.returncode)
