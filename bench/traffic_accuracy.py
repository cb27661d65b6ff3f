#!/usr/bin/env python3
"""Predicted memory traffic of a suite's kernels against that of simulated caches.

traffic_accuracy.py RECORDS EXECUTED [--kernels a,b] [--builds O2s,O0] [--methods analytic,simulate]

RECORDS is as for count_accuracy.py. EXECUTED has the columns kernel, dataset, build, params, D1mr, D1mw and Q_dram_bytes: misses of
callgrind's D1 and bytes between its LL and memory, from a cold start. O2s is scalar -O2, whose prediction is the algorithm snapshot's, O0 the source's.
Branches on data are taken to go either way equally often.

For each row D1's misses and memory's bytes, predicted and executed; then for each method the median and the worst error.
"""
import argparse
import csv
import pathlib
import statistics

import suite_records

ROOT = pathlib.Path(__file__).resolve().parent.parent

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
suite_records.add_options(parser, ROOT)
parser.add_argument("--builds", default="O2s,O0")
parser.add_argument("--methods", default="analytic,simulate")
parser.add_argument("--caches", default="l1=32K/8/64/through,l2=1M/16/64", help="of the table")
options = parser.parse_args()


def predict(row, method):
    """D1's misses and memory's bytes."""
    unbound = suite_records.predict(options, row)["unbound"]
    # Callgrind's D1 hands stores on; the analysis has no such caches.
    caches = options.caches if method == "simulate" else options.caches.replace("/through", "")
    shares = [word for each in unbound if each.startswith("taken@") for word in ("--set", f"{each}=1/2")]
    prediction = suite_records.predict(options, row, "--cache", method, "--caches", caches, *shares)
    levels = prediction["traffic"]["levels"]
    first, last = levels[0], levels[-1]
    return (first["load_misses"] + first["store_misses"],
            64 * (last["load_misses"] + last["store_misses"] + last["write_backs"]))


with options.executed.open() as file:
    table = [row for row in csv.DictReader(file) if row["build"] in options.builds.split(",")]
if options.kernels:
    table = [row for row in table if row["kernel"] in options.kernels.split(",")]
errors = {method: ([], []) for method in options.methods.split(",")}
print("build kernel          size   D1 misses" + "".join(f"{method:>18}" for method in errors) + "   memory bytes"
      + "".join(f"{method:>18}" for method in errors))
for row in table:
    executed = int(row["D1mr"]) + int(row["D1mw"]), int(row["Q_dram_bytes"])
    cells = ([], [])
    for method, found in errors.items():
        for which, value in enumerate(predict(row, method)):
            found[which].append(value / executed[which] - 1)
            cells[which].append(f"{value:>10.0f} {found[which][-1]:+7.1%}")
    print(f"{row['build']:5} {row['kernel']:15} {row['dataset']:6} {executed[0]:>9}", *cells[0], f"{executed[1]:>14}", *cells[1],
          flush=True)
for method, found in errors.items():
    for what, each in zip(("D1 misses", "memory bytes"), found):
        off = [abs(value) for value in each]
        print(f"{method}: {what} off by {statistics.median(off):.2%} in the median, {max(off):.2%} at worst, {len(off)} rows")
