#!/usr/bin/python3
"""Checks that the rows of `ergon top` add up to its sum, and that to its prediction: adds_up.py COMMAND…

Runs `COMMAND… --json` for each kind of rows.
"""

import json
import math
import subprocess
import sys


def check(top):
    whole = top["prediction"]
    for key, total in top["sum"].items():
        rows = math.fsum(row["self"][key] for row in top["rows"])
        assert math.isclose(rows, total, rel_tol=1e-9, abs_tol=1e-30), (key, rows, total)
        if key in whole:
            assert math.isclose(total, whole[key]["value"], rel_tol=1e-9), (key, total, whole[key])
    for row in top["rows"]:
        for key, total in row["total"].items():
            assert row["self"][key] <= total * (1 + 1e-9) <= top["sum"][key] * (1 + 2e-9), row
    shares = [row["share"] for row in top["rows"]]
    assert shares == sorted(shares, reverse=True), shares
    counts = {}
    for row in top["rows"]:
        for key, units in row["counts"].items():
            counts[key] = counts.get(key, 0) + units
    for key, units in counts.items():
        assert math.isclose(units, whole["counts"][key], rel_tol=1e-9), (key, units, whole["counts"][key])
    assert not top.get("not_evaluated"), top["not_evaluated"]


for by in ("function", "line", "loop", "kernel"):
    printed = subprocess.run([*sys.argv[1:], "--by", by, "--json"], capture_output=True, text=True)
    assert printed.returncode == 0, printed.stderr
    check(json.loads(printed.stdout))
