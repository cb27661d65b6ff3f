#!/usr/bin/python3
"""Runs a command while somebody writes a draft of a record: draft.py DRAFT COMMAND..."""

import fcntl
import subprocess
import sys

with open(sys.argv[1], "w") as draft:
    fcntl.flock(draft, fcntl.LOCK_EX)
    sys.exit(subprocess.run(sys.argv[2:]).returncode)
