#!/usr/bin/python3
"""Runs a program, writing a trace meanwhile: logger.py TRACE PROGRAM...

Ten lines of 100 W, a hundredth of a second apart, from 0.1 s after the program began; then half a line.
"""

import subprocess
import sys
import time

with open(sys.argv[1], "w", encoding="ascii", buffering=1) as trace:
    print("time_s,power_w", file=trace)
    running = subprocess.Popen(sys.argv[2:])
    began = time.time()
    time.sleep(0.2)
    for i in range(11):
        print(f"{began + 0.1 + i / 100:.6f},100", file=trace)
    trace.write("17")
    trace.flush()
    sys.exit(running.wait())
