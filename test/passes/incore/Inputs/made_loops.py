#!/usr/bin/python3
"""What the compiler made of each function's loops, a line each: made_loops.py RECORDS"""

import json
import pathlib
import sys


def text(mix):
    parts = [f"{mix['slots']:g} slots"] if "slots" in mix else []
    return ", ".join(parts + [f"{times:g} {kind}" for kind, times in sorted(mix.items()) if kind != "slots"])


for path in sorted(pathlib.Path(sys.argv[1]).glob("*.ergon.json")):
    for function in json.loads(path.read_text())["functions"]:
        print(function["name"])
        for loop in function["details"]["loops"][1:]:
            for made in loop.get("made", []):
                print(f"step {made['step']}: {text(made['instructions'])}")
                for chain in made.get("chains", []):
                    print(f"  waits for {text(chain)}")
                if check := made.get("check"):
                    if check.get("unit_stride"):
                        print("  if accesses follow each other")
                    if "apart" in check:
                        print(f"  if {check['apart']} bytes apart")
                    elif loops := check.get("loops"):
                        print("  if " + ("1 loop's" if loops == 1 else f"{loops} loops'") + " accesses do not meet")
