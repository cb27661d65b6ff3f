"""Checks what `ergon verify --json` said: verification.py FILE. The machine may be too busy to measure: then it says so."""

import json
import sys

found = json.load(open(sys.argv[1]))
assert found["schema"] == "ergon-verification/1" and found["machine"] == "i7-950", found
cases = {(case["kernel"], case["level"]): case for case in found["cases"]}
assert cases.keys() == {("collatz", "none"), ("copy", "l1"), ("complex_multiply", "l1"), ("count_bytes", "l1"), ("cholesky", "l1"),
                        ("convolution_3x3", "l1"), ("csr", "l1")}, cases.keys()
# 1 to 15 elements in a row.
[trips] = [each.split("=")[1] for each in cases["csr", "l1"]["known_from_data"] if each.startswith("trips@")]
elements, rows = map(int, trips.split("/"))
assert 1 < elements / rows < 15 and f"n={rows}" in cases["csr", "l1"]["set"], trips
assert f"x=:{8 * rows}" in cases["csr", "l1"]["places"], cases["csr", "l1"]
for name, case in cases.items():
    assert case["threads"] == 1, case
    # The profile has no throughput of integers and of caches, and these kernels do nothing else.
    assert case["predicted"]["time_s"]["value"] > 0 if case["predicted"] else name[0] in ("collatz", "copy", "count_bytes") and "no throughput for" in case["not_predicted"], case
    assert case["measured"] or f"{name[0]}, {name[1]}, 1 thread" in found["unmeasured"] or name[1] == "none", case
    if case["measured"]:
        time = case["measured"]["time_s"]
        assert 0 < time["low"] <= time["value"] <= time["high"] and case["measured"]["energy_j"] is None, case
        assert case["measured"]["samples"] + case["measured"]["outliers"] >= 4, case
    if case["measured"] and case["predicted"]:
        assert abs(case["time_ratio"] - case["predicted"]["time_s"]["value"] / time["value"]) < 1e-9, case
both = [case for case in cases.values() if case["measured"] and case["predicted"]]
if both:
    assert found["errors"]["all"]["cases"] == len(both), found["errors"]
print("sane")
