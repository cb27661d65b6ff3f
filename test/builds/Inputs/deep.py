#!/usr/bin/python3
"""Runs a command whose folder for temporary files has so long a path that a folder can be made there, but nothing in it:
deep.py FOLDER COMMAND..."""

import os
import subprocess
import sys

LONGEST = 4095  # of a path, Linux's PATH_MAX without the end
there = os.path.abspath(sys.argv[1])
os.chdir(there)
while (left := LONGEST - len("/ergon-XXXXXX") - len(there)) > 0:
    name = "d" * min(200, left - 1 if left < 203 else 200)
    os.mkdir(name)
    os.chdir(name)
    there += "/" + name
sys.exit(subprocess.run(sys.argv[2:], env=os.environ | {"TMPDIR": there}, cwd="/").returncode)
