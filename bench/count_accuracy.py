#!/usr/bin/env python3
"""Predicted counts of a suite's kernels against executed ones.

count_accuracy.py RECORDS EXECUTED [--builds O2s,O0,v3] [--kernels a,b]

RECORDS has a folder KERNEL-DATASET-BUILD with the records of each row of the table EXECUTED. The table's columns are kernel, dataset,
build, params (NAME=VALUE;…), flops_executed, Dr and Dw (accesses that ran) and, where the function is not kernel_NAME, entry. Where a
folder also has the program that these records are of (a file `program`), the oracle counts what it executes, and says what of the accesses are
spills (operands on the stack) and constants of the compiler's.

  build  what was compiled     snapshot of its records
  O2s    scalar -O2            algorithm
  O0     -O0                   source
  v3     vector code           machine

For each row: flops; loads and stores, predicted over executed.
"""
import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys

import suite_records

ROOT = pathlib.Path(__file__).resolve().parent.parent

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
suite_records.add_options(parser, ROOT)
parser.add_argument("--builds", default=",".join(suite_records.BUILDS))
options = parser.parse_args()


def execute(row):
    """What the oracle counts in the row's program; nothing where there is none."""
    program = suite_records.records(options, row) / "program"
    if not program.exists():
        return {}
    done = subprocess.run([sys.executable, ROOT / "test/oracle/executed_counts.py", "--function",
                           f"^{suite_records.entry(row)}$", program], capture_output=True, text=True)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return {}
    return json.loads(done.stdout)


def total(counts, family):
    return sum(value for name, value in counts.items() if name.startswith(family + "_"))


def ratio(predicted, executed):
    return 1.0 if predicted == executed else predicted / executed if executed else float("inf")


def compare(row):
    """One line of the table: flops predicted and executed, ratios of loads and stores, notes."""
    document = suite_records.predict(options, row)
    counts, unbound = document["counts"], document["unbound"]
    ran = execute(row)
    flops = total(counts, "flops")
    executed, loads, stores = int(row["flops_executed"]), int(row["Dr"]), int(row["Dw"])
    result = {"flops": flops, "executed": executed, "flops_ratio": ratio(flops, executed),
              "loads": ratio(total(counts, "loads"), loads), "stores": ratio(total(counts, "stores"), stores)}
    notes = [f"{key} {ran[key]}" for key in ("loads_stack", "stores_stack", "loads_constant") if ran.get(key)]
    if unbound:
        notes.append("unbound: " + " ".join(unbound))
    print(f"{row['build']:4} {row['kernel']:15} {row['dataset']:6} {flops:>10} {executed:>10} {result['flops_ratio']:7.4f} "
          f"{result['loads']:7.4f} {result['stores']:7.4f}  {', '.join(notes)}", flush=True)
    return result


def summary(name, rows):
    print(f"{name}: flops equal in {sum(each['flops'] == each['executed'] for each in rows)} of {len(rows)} rows, worst ratio "
          f"{max((each['flops_ratio'] for each in rows), key=lambda x: abs(x - 1)):.4f}")
    for key in ("loads", "stores"):
        off = [abs(each[key] - 1) for each in rows]
        print(f"{name}: {key} off by {statistics.median(off):.2%} in the median, {max(off):.2%} at worst")


with options.executed.open() as file:
    table = list(csv.DictReader(file))
if options.kernels:
    table = [row for row in table if row["kernel"] in options.kernels.split(",")]
print("build kernel        size        flops   executed   ratio   loads  stores  of the executed accesses")
for name in options.builds.split(","):
    rows = [compare(row) for row in table if row["build"] == name]
    if rows:
        summary(name, rows)
