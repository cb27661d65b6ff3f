#!/usr/bin/env python3
"""Holds kernels of a GTX 1080 Ti, predicted from source, against a profiler's counters.

  bench/gpu_kernels.py ERGON RECORDS COUNTERS.csv KERNELS.csv [--machine gtx1080ti]

COUNTERS.csv has a kernel's launch and what nvprof counted, KERNELS.csv time, energy and bytes at each
pair of clocks (gtx1080ti_counters.csv, gtx1080ti_kernels.csv). RECORDS has a folder for each folder of
sources (blackjack2015/NV-DVFS-Benchmark, src/linux; NVIDIA/cuda-samples; of nn and srad yuhc/gpu-rodinia), compiled for any capability
with the chevrons of launches joined (`<< <` is no token of clang's). A row is printed for each kernel
whose arguments are known here: predicted over measured, at the profile's default clocks.
"""

import argparse
import csv
import json
import os
import re
import subprocess

# What the programs pass to their kernels, from the launch and the programs' defaults.
ARGUMENTS = {
    "BlackScholes": ["optN=57344000"],
    "SobolQRNG": ["n_vectors=131072", "n_dimensions=1000"],
    "backpropBackward": ["hid=16"],
    "backpropForward": ["hid=16"],
    "binomialOptions": [],
    "cfd": ["nelr=232704"],
    "convolutionSeparable": ["imageW=10240", "pitch=10240"],
    "eigenvalues": ["n=512"],
    "fastWalshTransform": ["stride=65536"],
    "gaussian": ["t=0", "Size=8192"],
    "histogram": ["dataCount=67108864"],
    "hotspot": ["iteration=4", "border_cols=4", "border_rows=4", "grid_cols=512", "grid_rows=512"],
    "matrixMulShared": ["wA=2048", "wB=2048"],
    "mergeSort": ["arrayLength=1024"],
    "nn": ["numRecords=8388608"],
    "pathfinder": ["iteration=100", "border=100", "cols=512000", "startStep=0"],
    "quasirandomGenerator": ["N=33554432", "seed=0"],
    "scalarProd": ["vectorN=65536", "elementN=4096"],
    "scanScanExclusiveShared": ["size=1024"],
    "scanUniformUpdate": [],
    "sortingNetworks": [],
    "srad": ["cols=4096", "rows=8192"],
    "stereoDisparity": ["w=2048", "h=2048", "minDisparity=-16", "maxDisparity=0"],
    "transpose": ["width=8192", "height=8192"],
    "vectorAdd": ["numElements=67108864"],
}
FOLDERS = {"backpropBackward": "backprop_backward", "backpropForward": "backprop_forward", "matrixMulShared": "matrixMul",
           "scanScanExclusiveShared": "scan", "scanUniformUpdate": "scan"}


def predicted(options, row):
    app = row["app"]
    folder = os.path.join(options.records, FOLDERS.get(app, app))
    words = [options.ergon, "predict", folder, "--entry", row["kernel"], "--target", "nvptx",
             "--machine", options.machine, "--json"]
    shape = re.findall(r"\((\d+) (\d+) (\d+)\)", row["launch"])
    for name, extent in zip(("grid", "block"), shape):
        for axis, value in zip("xyz", extent):
            words += ["--set", f"{name}.{axis}={value}"]
    for value in ARGUMENTS[app]:
        words += ["--set", value]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        print(f"{app:24} {done.stderr.strip().splitlines()[0]}")
        return None
    return json.loads(done.stdout)


def measured(path, app, clocks):
    with open(path) as file:
        for row in csv.DictReader(file):
            if (row["workload"].split("/")[0] == app
                    and (float(row["core_mhz"]), float(row["mem_mhz"])) == clocks):
                return row
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("ergon", "records", "counters", "kernels"):
        parser.add_argument(name)
    parser.add_argument("--machine", default="gtx1080ti")
    options = parser.parse_args()
    sums = {}
    with open(options.counters) as file:
        rows = [row for row in csv.DictReader(file) if row["app"] in ARGUMENTS]
    for row in rows:
        document = predicted(options, row)
        if not document:
            continue
        clocks = (document["setting"]["core_mhz"], document["setting"]["mem_mhz"])
        found = measured(options.kernels, row["app"], clocks)
        counts = document["counts"]
        pairs = {
            "time": (document["time_s"]["value"], found["time_s"]),
            "energy": (document["energy_j"]["value"], found["energy_j"]),
            "warp": (counts.get("warp_instructions", 0), row["inst_executed"]),
            "int": (counts.get("int_instructions", 0), row["inst_integer"]),
            "fp32": (counts.get("issue_fp32", 0), row["inst_fp_32"]),
            "fp64": (counts.get("issue_fp64", 0), row["inst_fp_64"]),
            "dram": (counts["bytes_dram"], found["bytes_dram"]),
            "l2": (counts["bytes_l2"], found["bytes_l2"]),
            "shared": (counts.get("bytes_shared", 0), found["bytes_shared"]),
        }
        ratios = {key: ours / float(theirs) for key, (ours, theirs) in pairs.items() if float(theirs) > 0}
        print(f"{row['app']:24}", "  ".join(f"{key} {value:5.2f}" for key, value in ratios.items()))
        for key, value in ratios.items():
            sums.setdefault(key, []).append(abs(value - 1))
    for key, errors in sums.items():
        errors.sort()
        print(f"{key:8} {len(errors):3} kernels: median {errors[len(errors) // 2]:6.1%}, "
              f"mean {sum(errors) / len(errors):6.1%}")


if __name__ == "__main__":
    main()
