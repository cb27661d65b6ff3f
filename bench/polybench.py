#!/usr/bin/env python3
"""Predicted counts of PolyBench/C kernels against executed ones.

polybench.py SOURCE EXECUTED [--work FOLDER] [--builds O2s,O0,v3] [--kernels a,b] [--jobs N]

SOURCE is the unpacked suite; EXECUTED a table of what ran, with the columns kernel, dataset, build, params,
flops_executed, Dr, Dw, fp_ld and fp_st (README.md). Only the kernels of that table are built, all in FOLDER. The v3 build (vector
code) is not in the table: its flops are counted here, by the oracle.

  build  flags                                                              snapshot   held against
  O2s    scalar -O2 for x86-64-v2                                           algorithm  the table
  O0     -O0                                                                source     the table
  v3     -O2 -march=x86-64-v3                                               machine    the oracle

For each row: flops; loads and stores, predicted over executed; and what of the difference the oracle sees as spills (operands on
the stack) and as constants of the compiler's.
"""
import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys

import polybench_suite

ROOT = pathlib.Path(__file__).resolve().parent.parent

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
polybench_suite.add_options(parser, ROOT)
parser.add_argument("--builds", default="O2s,O0,v3")
options = parser.parse_args()


def execute(folder, row):
    done = subprocess.run([sys.executable, ROOT / "test/oracle/executed_counts.py", "--function",
                           f"^{polybench_suite.entry(row)}$", folder / "program"], capture_output=True, text=True)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return {}
    return json.loads(done.stdout)


def total(counts, family):
    return sum(value for name, value in counts.items() if name.startswith(family + "_"))


def ratio(predicted, executed):
    return 1.0 if predicted == executed else predicted / executed if executed else float("inf")


def compare(row, name):
    """One line of the table: flops predicted and executed, ratios of loads and stores, notes."""
    folder = polybench_suite.build(options, row, name)
    document = polybench_suite.predict(options, row, folder)
    counts, unbound = document["counts"], document["unbound"]
    ran = execute(folder, row)
    flops = total(counts, "flops")
    if name == "v3":
        executed, loads, stores = total(ran, "flops"), total(ran, "loads"), total(ran, "stores")
    else:
        executed = int(row["flops_executed"])
        loads, stores = int(row["Dr"]), int(row["Dw"])
    result = {"flops": flops, "executed": executed, "flops_ratio": ratio(flops, executed),
              "loads": ratio(total(counts, "loads"), loads), "stores": ratio(total(counts, "stores"), stores)}
    notes = [f"{key} {ran[key]}" for key in ("loads_stack", "stores_stack", "loads_constant") if ran.get(key)]
    if unbound:
        notes.append("unbound: " + " ".join(unbound))
    print(f"{name:4} {row['kernel']:15} {row['dataset']:6} {flops:>10} {executed:>10} {result['flops_ratio']:7.4f} "
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
    summary(name, [compare(row, name) for row in table if row["build"] == ("O0" if name == "v3" else name)])
