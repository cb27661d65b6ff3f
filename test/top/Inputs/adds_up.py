#!/usr/bin/python3
"""Checks that the rows of an ergon-top document add up to its sum, and that to its prediction: adds_up.py FILE"""

import json
import math
import sys

top = json.load(open(sys.argv[1]))
whole = top["prediction"]
for key, total in top["sum"].items():
    rows = math.fsum(row["self"][key] for row in top["rows"])
    assert math.isclose(rows, total, rel_tol=1e-9, abs_tol=1e-30), (key, rows, total)
    if key in whole:
        assert math.isclose(total, whole[key]["value"], rel_tol=1e-9), (key, total, whole[key])
for row in top["rows"]:
    for key, total in row["total"].items():
        assert row["self"][key] <= total * (1 + 1e-9), row
        assert total <= top["sum"][key] * (1 + 1e-9), row
assert top["rows"] == sorted(top["rows"], key=lambda row: -row["share"]), "not sorted"
counts = {}
for row in top["rows"]:
    for key, units in row["counts"].items():
        counts[key] = counts.get(key, 0) + units
for key, units in counts.items():
    assert math.isclose(units, whole["counts"][key], rel_tol=1e-9), (key, units, whole["counts"][key])
