#!/usr/bin/python3
"""Runs a command whose exit status must be that: status.py STATUS COMMAND..."""

import subprocess
import sys

status = subprocess.run(sys.argv[2:]).returncode
sys.exit(status != int(sys.argv[1]) and f"exit status {status}, not {sys.argv[1]}")
