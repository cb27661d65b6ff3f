#!/usr/bin/env python3
"""Predicts `main` of CUDA programs, without a run, and compares with a profiler's measurements.

  bench/cuda_programs.py ERGON RECORDS KERNELS.csv [--machine M] [--csv OUT]
      [--programs PROGRAM...] [--sources SOURCES]

RECORDS has a folder of records for each program. SOURCES has a folder for each, in which it is
predicted, so that the files are found that its arguments name. KERNELS.csv has the columns program, arguments,
kernel, grid, block, launch (1 or 2), flops_f32, flops_f64, as a profiler writes them. For each
kernel's first launch the grid, the block and the flops are compared: a division or an elementary
function counts its steps there, and data decide branches, so flops are held against the interval
`flops_executed` of the prediction. An interval without an end counts as no answer; how wide the
others are (high over low) is printed, and a column of the table.
"""

import argparse
import collections
import concurrent.futures
import csv
import json
import math
import os
import re
import subprocess
import time


def base_name(kernel):
    """`scale` of `void ns::scale<float>(float *)`; mangled names stay."""
    depth, text = 0, ""
    for character in kernel.split("(anonymous namespace)::")[-1]:
        depth += character == "<"
        if depth == 0:
            text += character
        depth -= character == ">"
    return re.split(r"[\s:]", text.split("(")[0].strip())[-1]


def plain(kernel):
    """The whole name, without spaces, return type and parameters."""
    text = kernel.replace("(anonymous namespace)::", "")
    text = re.sub(r"\((?:int|bool|unsigned int|long)\)", "", text)
    depth = 0
    for at, character in enumerate(text):
        depth += character == "<"
        depth -= character == ">"
        if character == "(" and depth == 0:
            text = text[:at]
            break
    text = text.strip()
    depth, start = 0, 0
    for at, character in enumerate(text):
        depth += character == "<"
        depth -= character == ">"
        if character == " " and depth == 0:
            start = at + 1
    return text[start:].replace(" ", "")


def kernels_of(path):
    """By program and arguments: the first row of each kernel."""
    result = {}
    with open(path) as file:
        for row in csv.DictReader(file):
            rows = result.setdefault((row["program"], row["arguments"]), [])
            if not any(row["kernel"] == other["kernel"] for other in rows):
                rows.append(row)
    return result


def predicted(ergon, records, program, arguments, machine, limit, sources):
    """The prediction of `main`, seconds and what went wrong."""
    folder = os.path.abspath(os.path.join(records, program))
    if not os.path.isdir(folder):
        return None, 0, "no records"
    started = time.time()
    command = [ergon, "predict", folder, "--machine", machine, "--json", "--args", arguments]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=limit,
            cwd=os.path.join(sources, program) if sources else None,
        )
    except subprocess.TimeoutExpired:
        return None, limit, "timeout"
    if done.returncode:
        message = done.stderr.strip().split("\n")[0]
        return None, time.time() - started, message or f"exit status {done.returncode}"
    return json.loads(done.stdout), time.time() - started, ""


def find(kernel, parts):
    """The part of a prediction that is this kernel."""
    for part in parts:
        if part.get("first_launch", {}).get("function") == kernel:
            return part
    named = [p for p in parts if base_name(p["name"]) == base_name(kernel)]
    if len(named) > 1:
        named = [p for p in named if plain(p["name"]) == plain(kernel)] or named
    return named[0] if named else None


def print_widths(results):
    """How many intervals hold, and how wide they are, with divisions and functions or without."""
    for steps, what in ((1, "with steps"), (0, "of branches alone")):
        ranges = [r for r in results if "width" in r and r["steps"] == steps]
        if not ranges:
            continue
        widths = sorted(r["width"] for r in ranges)
        parts = ", ".join(f"{name} {widths[int(share * (len(widths) - 1))]:.3g}" for name, share in
                          (("quarter", 0.25), ("median", 0.5), ("three quarters", 0.75)))
        print(f"{sum(r['flops_ok'] for r in ranges):6} of {len(ranges)} intervals {what} hold; "
              f"high over low: {parts}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ergon")
    parser.add_argument("records")
    parser.add_argument("kernels")
    parser.add_argument("--programs", nargs="*")
    parser.add_argument("--machine", default="gtx1080ti", help="a profile's name or its file")
    parser.add_argument("--csv")
    parser.add_argument("--sources", help="a folder for each program, to predict it in")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one program")
    options = parser.parse_args()
    if os.path.isfile(options.machine):
        options.machine = os.path.abspath(options.machine)

    kernels = kernels_of(options.kernels)
    if options.programs:
        kernels = {key: rows for key, rows in kernels.items() if key[0] in options.programs}

    def answer(key):
        return predicted(
            os.path.abspath(options.ergon),
            options.records,
            *key,
            options.machine,
            options.limit,
            options.sources,
        )

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = dict(zip(kernels, pool.map(answer, kernels)))

    out, tally = [], collections.Counter()
    for key, rows in kernels.items():
        document, seconds, wrong = answers[key]
        tally["programs"] += 1
        tally["answered"] += document is not None
        for row in rows:
            tally["kernels"] += 1
            flops = float(row["flops_f32"] or 0) + float(row["flops_f64"] or 0)
            result = {"program": key[0], "kernel": row["kernel"][:60], "grid": row["grid"],
                      "block": row["block"], "flops": flops, "seconds": round(seconds, 2),
                      "shape_ok": 0, "flops_ok": 0, "cause": wrong}
            out.append(result)
            part = find(row["kernel"], document.get("parts", [])) if document else None
            if document and not part:
                result["cause"] = "kernel not in the prediction"
            first = part.get("first_launch") if part else None
            if part and not first:
                result["cause"] = "no first launch"
            if not first:
                continue
            result["our_grid"], result["our_block"] = (
                " ".join("?" if v is None else str(v) for v in first[w]) for w in ("grid", "block"))
            result["shape_ok"] = int(result["our_grid"] == row["grid"]
                                     and result["our_block"] == row["block"])
            counts = first["counts"]
            ours = sum(counts.get(c, 0) for c in ("flops_f32", "flops_f64"))
            result["our_flops"] = ours
            steps = any(counts.get(c, 0) for c in counts
                        if c.startswith(("div_f", "sqrt_f", "special_")))
            result["steps"] = int(steps)
            executed = first.get("flops_executed")
            low, high = (executed["low"], executed["high"]) if executed else (ours, ours)
            result["low"], result["high"] = low, high
            has_end = high is not None
            result["flops_ok"] = int(has_end and low * 0.99 <= flops <= high * 1.01)
            if has_end and high > low:
                result["width"] = high / low if low else math.inf
            if not result["shape_ok"]:
                result["cause"] = "shape"
            elif not has_end:
                result["cause"] = "flops: a loop of unknown length"
            elif not result["flops_ok"]:
                result["cause"] = "flops with steps" if steps else "flops"
            tally["shape"] += result["shape_ok"]
            tally["flops"] += result["flops_ok"]
            tally["flops of those with the shape"] += result["flops_ok"] and result["shape_ok"]
    if options.csv:
        columns = list(dict.fromkeys(c for r in out for c in r))
        with open(options.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(out)
    for name, number in tally.items():
        print(f"{number:6} {name}")
    print_widths([r for r in out if r["shape_ok"]])
    for cause, number in collections.Counter(r["cause"] for r in out).most_common():
        print(f"{number:6} {cause or 'right'}")


if __name__ == "__main__":
    main()
