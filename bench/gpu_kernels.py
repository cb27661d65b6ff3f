#!/usr/bin/env python3
"""Holds kernels of a GTX 1080 Ti, predicted from source, against a profiler's counters.

  bench/gpu_kernels.py ERGON RECORDS COUNTERS.csv KERNELS.csv [--machine machine-profiles/gtx1080ti.json] [--left-out]

COUNTERS.csv has a kernel's launch and what nvprof counted, KERNELS.csv time, energy and bytes at each
pair of clocks (gtx1080ti_counters.csv, gtx1080ti_kernels.csv). RECORDS has a folder for each folder of
sources (blackjack2015/NV-DVFS-Benchmark, src/linux; NVIDIA/cuda-samples; of nn and srad yuhc/gpu-rodinia), compiled for any capability
with the chevrons of launches joined (`<< <` is no token of clang's). A row is printed for each kernel
whose arguments are known here, from the programs' defaults and what the counters say of their sizes:
predicted over measured, at the profile's default clocks. With --left-out the profile of each kernel is
fitted on all others, and time, energy, intervals and the best clocks are compared at all settings.
"""

import argparse
import csv
import json
import os
import re
import subprocess
import tempfile

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


def predicted(options, row, machine, clocks=()):
    app = row["app"]
    folder = os.path.join(options.records, FOLDERS.get(app, app))
    words = [options.ergon, "predict", folder, "--entry", row["kernel"], "--target", "nvptx",
             "--machine", machine, "--json", *clocks]
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


def measured(path, app):
    """By clocks."""
    with open(path) as file:
        return {(float(row["core_mhz"]), float(row["mem_mhz"])): row for row in csv.DictReader(file) if row["workload"].split("/")[0] == app}


def without(options, app, folder):
    """The profile with what `ergon fit` makes of all other kernels."""
    with open(options.kernels) as file:
        lines = file.read().splitlines()
    samples = os.path.join(folder, "samples.csv")
    with open(samples, "w") as file:
        file.write("\n".join(line for line in lines if line.split("/")[0] != app) + "\n")
    result, cap = os.path.join(folder, f"{app}.json"), 300
    subprocess.run([options.ergon, "fit", samples, "--time", "--kind", "gpu", "--power-cap", str(cap), "-o", result], capture_output=True, check=True)
    with open(options.machine) as file:
        profile = json.load(file)
    with open(result) as file:
        fitted = json.load(file)
    for key in ("energy", "constant_power", "correction", "overlap", "fit", "saturation"):
        profile.pop(key, None)
        if key in fitted:
            profile[key] = fitted[key]
    # Rates of what no sample tells, such as blocks, stay.
    profile["throughput"] = {key: value for key, value in profile["throughput"].items() if value["per_s"]["source"] != "fit"} | fitted["throughput"]
    profile["sources"] |= fitted["sources"]
    with open(result, "w") as file:
        json.dump(profile, file)
    return result


def compare_settings(options, row, folder, sums):
    app = row["app"]
    machine, found = without(options, app, folder), measured(options.kernels, app)
    default, times, energies, inside = (2000, 5500), {}, {}, []
    for clocks, sample in found.items():
        document = predicted(options, row, machine, ("--core-mhz", str(clocks[0]), "--mem-mhz", str(clocks[1])))
        if not document:
            return
        times[clocks] = document["time_s"]["value"] / float(sample["time_s"])
        energies[clocks] = document["energy_j"]["value"]
        for key in ("time_s", "energy_j"):
            inside.append(document[key]["low"] <= float(sample[key]) <= (document[key]["high"] or float("inf")))
    chosen = min(energies, key=energies.get)
    joules = {clocks: float(sample["energy_j"]) for clocks, sample in found.items()}
    changes = [abs(times[clocks] / times[default] - 1) for clocks in times if clocks != default]
    values = {"time": times[default] - 1, "energy": energies[default] / joules[default] - 1, "change": sorted(changes)[len(changes) // 2],
              "choice": joules[chosen] / min(joules.values()) - 1, "inside": sum(inside) / len(inside)}
    print(f"{app:24}", "  ".join(f"{key} {value:7.1%}" for key, value in values.items()), flush=True)
    for key, value in values.items():
        sums.setdefault(key, []).append(value if key == "inside" else abs(value))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("ergon", "records", "counters", "kernels"):
        parser.add_argument(name)
    parser.add_argument("--machine", default=os.path.join(os.path.dirname(__file__), "../machine-profiles/gtx1080ti.json"))
    parser.add_argument("--left-out", action="store_true")
    options = parser.parse_args()
    sums = {}
    with open(options.counters) as file:
        rows = [row for row in csv.DictReader(file) if row["app"] in ARGUMENTS]
    with tempfile.TemporaryDirectory() as folder:
        for row in rows if options.left_out else ():
            compare_settings(options, row, folder, sums)
    for row in () if options.left_out else rows:
        document = predicted(options, row, options.machine)
        if not document:
            continue
        clocks = (document["setting"]["core_mhz"], document["setting"]["mem_mhz"])
        found = measured(options.kernels, row["app"])[clocks]
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
