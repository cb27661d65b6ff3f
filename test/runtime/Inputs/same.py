#!/usr/bin/python3
"""Runs a program without and with run records and says what differs: same.py FOLDER PROGRAM...

Output, errors and how it ended must be the same. The records are in FOLDER afterwards. SIZE_LIMIT in
the environment is the largest size of a file in bytes, for both runs.
"""

import os
import resource
import subprocess
import sys


def run(program, environment):
    def limit():
        if size := os.environ.get("SIZE_LIMIT"):
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), int(size)))

    ended = subprocess.run(program, env=environment, preexec_fn=limit, capture_output=True,
                           stdin=subprocess.DEVNULL, timeout=100)
    return ended.returncode, ended.stdout, ended.stderr


folder, *program = sys.argv[1:]
without = {name: value for name, value in os.environ.items() if name != "ERGON_RUN_DIR"}
plain, recorded = run(program, without), run(program, without | {"ERGON_RUN_DIR": folder})
if plain != recorded:
    print("plain:   ", *plain, "recorded:", *recorded, sep="\n")
    sys.exit(1)
