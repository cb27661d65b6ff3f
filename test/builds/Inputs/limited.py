#!/usr/bin/python3
"""Runs a command in which no file may be longer than that, as on a disk that is full: limited.py BYTES COMMAND...

Its standard error is a pipe, which has no such limit, and is printed afterwards.
"""

import resource
import subprocess
import sys

size = int(sys.argv[1])
done = subprocess.run(sys.argv[2:], stderr=subprocess.PIPE,
                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
sys.stdout.buffer.write(done.stderr)
sys.exit(done.returncode if done.returncode >= 0 else 128 - done.returncode)
