#!/usr/bin/python3
"""Runs a program beside a powercap tree whose counters go up: fed.py TREE RESULT WATTS SECONDS PROGRAM...

All of the tree's zones go up by WATTS, and around at their max_energy_range_uj, from when the program has
written a line until SECONDS later; then its input is closed. What each zone has delivered, in µJ, is
written to RESULT as JSON.
"""

import json
import os
import pathlib
import subprocess
import sys
import time


def main(tree, result, watts, seconds, *program):
    zones = [pathlib.Path(folder) for folder, _, files in os.walk(tree) if "energy_uj" in files]
    ranges = {zone: int((zone / "max_energy_range_uj").read_text()) for zone in zones}
    first = {zone: int((zone / "energy_uj").read_text()) for zone in zones}
    running = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    running.stdout.readline()
    began, delivered = time.monotonic(), 0
    while (passed := time.monotonic() - began) < float(seconds):
        delivered = int(passed * float(watts) * 1e6)
        for zone in zones:
            # In one step, as the kernel's file never holds half a number.
            (zone / "next").write_text(f"{(first[zone] + delivered) % ranges[zone]}\n")
            os.replace(zone / "next", zone / "energy_uj")
        time.sleep(0.001)
    running.stdin.close()
    status = running.wait()
    pathlib.Path(result).write_text(json.dumps({zone.name: delivered for zone in zones}))
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
