#!/usr/bin/env python3
"""Kernels of CUDA programs on a GPU of our own, predicted from source: gpu_board.py PROGRAMS.csv OUT [--each]

PROGRAMS.csv is what gpu_first_launches.py measured and counted; OUT has the predictions of
`gpu_programs.py predict`. Prints predicted over measured: time of the first launch, time and joules
of launches that are repeated, DRAM bytes, instructions of warps and of whole numbers.
"""

import argparse
import types

import cuda_programs
import gpu_programs


def ratio(predicted, row, key):
    return predicted / float(row[key]) if float(row[key] or 0) else None


parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("kernels")
parser.add_argument("out")
parser.add_argument("--each", action="store_true", help="a line for each kernel")
options = parser.parse_args()
total, found = gpu_programs.launches(types.SimpleNamespace(kernels=options.kernels, out=options.out))
print(f"{len(found)} of {total} kernels have the measured shape and a time")
columns = {"time": [], "above 10 us": [], "repeated": [], "energy": [], "DRAM": [], "warp instructions": [], "integers": [],
           "energy, counts right": []}
for program, row, first in found:
    counts, seconds = first["counts"], first["time_s"]["value"]
    each = {"time": ratio(seconds, row, "time_s"), "repeated": ratio(seconds, row, "repeated_s"),
            "energy": ratio(first.get("energy_j", {}).get("value", 0), row, "energy_j"),
            "DRAM": ratio(counts.get("bytes_dram", 0), row, "bytes_dram"),
            "warp instructions": ratio(counts.get("warp_instructions", 0), row, "warp_instructions"),
            "integers": ratio(counts.get("int_instructions", 0), row, "int_instructions")}
    if float(row["time_s"]) > 1e-5:
        each["above 10 us"] = each["time"]
    if 0.7 < (each["warp instructions"] or 0) < 1.4 and 0.6 < (each["DRAM"] or 0) < 1.6:
        each["energy, counts right"] = each["energy"]
    for name, value in each.items():
        if value is not None:
            columns[name].append(value)
    if options.each:
        print(f"  {program:22} {cuda_programs.base_name(row['kernel'])[:26]:26}",
              *(f"{name} {value:.2f}" for name, value in each.items() if value is not None), first["bound"])
for name, values in columns.items():
    if values:
        gpu_programs.line(name, values)
