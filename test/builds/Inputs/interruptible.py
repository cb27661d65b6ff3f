"""Runs a command in a session of its own, where an interrupt ends it: a test's processes ignore that."""

import os
import signal
import sys

signal.signal(signal.SIGINT, signal.SIG_DFL)
if os.fork() == 0:
    os.setsid()
    os.execvp(sys.argv[1], sys.argv[1:])
sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
