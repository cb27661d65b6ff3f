#!/usr/bin/env python3
"""Holds the kernels of CUDA programs, predicted from source, against a profiler's measurements.

  bench/gpu_programs.py predict ERGON RECORDS KERNELS.csv --machine M --sources SOURCES --out OUT
  bench/gpu_programs.py compare KERNELS.csv --out OUT [--worst N]
  bench/gpu_programs.py fit KERNELS.csv --out OUT

RECORDS and SOURCES as for cuda_programs.py. KERNELS.csv has besides time_s, bytes_dram and
int_instructions of a launch. `predict` writes the prediction of each program's `main` to OUT.
`compare` takes each kernel's first launch that has the profiler's grid and block: its time, DRAM
bytes and integer instructions, predicted over measured, for the programs that `fit` learns from and
for the others. `fit` finds the constants of `machine-profiles/rtx3080.json` that no document states,
on half of the programs: those whose name has an even MD5 sum.
"""

import argparse
import concurrent.futures
import hashlib
import json
import math
import os

import cuda_programs

CLOCK_HZ, MULTIPROCESSORS = 1.44e9, 68
LANES = {"fp16": 128, "fp32": 128, "fp64": 2, "int": 64, "imad": 64, "sfu": 16, "lsu": 16,
         "uniform": 64, "move": 128, "control": 64}


def learns(program):
    return int(hashlib.md5(program.encode()).hexdigest(), 16) % 2 == 0


def predict(options):
    os.makedirs(options.out, exist_ok=True)
    machine = options.machine
    if os.path.isfile(machine):
        machine = os.path.abspath(machine)

    def one(key):
        document, _, wrong = cuda_programs.predicted(
            os.path.abspath(options.ergon), options.records, *key, machine, options.limit,
            options.sources)
        with open(os.path.join(options.out, key[0] + ".json"), "w") as file:
            json.dump({"prediction": document, "wrong": wrong}, file)
        return wrong

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = list(pool.map(one, cuda_programs.kernels_of(options.kernels)))
    print(f"{sum(not w for w in wrong)} of {len(wrong)} programs have an answer")


def launches(options):
    """The rows with a prediction of the same shape: program, row, the predicted first launch."""
    total = 0
    found = []
    for (program, _), rows in cuda_programs.kernels_of(options.kernels).items():
        path = os.path.join(options.out, program + ".json")
        document = json.load(open(path))["prediction"] if os.path.exists(path) else None
        for row in rows:
            total += 1
            part = cuda_programs.find(row["kernel"], document.get("parts", [])) if document else None
            first = part.get("first_launch") if part else None
            shape = first and [" ".join("?" if v is None else str(v) for v in first[w])
                               for w in ("grid", "block")]
            if shape == [row["grid"], row["block"]] and "time_s" in first:
                found.append((program, row, first))
    return total, found


def ratios(program, row, first, time=None):
    counts = first["counts"]
    result = {"time": (time or first["time_s"]["value"]) / float(row["time_s"])}
    if float(row["bytes_dram"] or 0):
        result["dram"] = counts.get("bytes_dram", 0) / float(row["bytes_dram"])
    if float(row["int_instructions"] or 0):
        result["int"] = counts.get("int_instructions", 0) / float(row["int_instructions"])
    return result


def is_memory_bound(dram_bytes, time_s):
    """At more than half of the board's bandwidth, 760 GB/s."""
    return dram_bytes / time_s > 380e9


def line(name, values):
    values = sorted(values)
    errors = sorted(abs(v - 1) for v in values)
    within = sum(1 / 1.6 < v < 1.6 for v in values) / len(values)
    print(f"  {name:22} {len(values):4}  median error {errors[len(errors) // 2]:6.1%}  "
          f"within 1.6 {within:4.0%}  median ratio {values[len(values) // 2]:.2f}")


def compare(options):
    total, found = launches(options)
    print(f"{len(found)} of {total} kernels have the measured shape and a time")
    for name, wanted in (("learned from", True), ("held out", False)):
        rows = [(p, r, f, ratios(p, r, f)) for p, r, f in found if learns(p) == wanted]
        print(name)
        line("time", [x["time"] for *_, x in rows])
        line("time, above 10 us", [x["time"] for _, r, _, x in rows if float(r["time_s"]) > 1e-5])
        line("DRAM", [x["dram"] for *_, x in rows if "dram" in x])
        line("integer instructions", [x["int"] for *_, x in rows if "int" in x])
        holds = [f["time_s"]["low"] <= float(r["time_s"]) <= f["time_s"]["high"]
                 for _, r, f, _ in rows]
        print(f"  {'interval holds':22} {sum(holds) / len(holds):.0%}")
        same = [is_memory_bound(float(r["bytes_dram"] or 0), float(r["time_s"]))
                == is_memory_bound(f["counts"].get("bytes_dram", 0), f["time_s"]["value"])
                for _, r, f, _ in rows]
        print(f"  {'bound by DRAM or not':22} {sum(same) / len(same):.0%} right")
    worst = sorted(found, key=lambda x: -abs(math.log(max(ratios(*x)["time"], 1e-9))))
    for program, row, first in worst[: options.worst]:
        print(f"{ratios(program, row, first)['time']:9.3g}  {program} "
              f"{cuda_programs.base_name(row['kernel'])}, bound by {first['bound']}")


def time_of(counts, constants):
    """What the profile says, with these constants."""
    def of(key):
        return counts.get(key, 0)

    power = constants["overlap"]
    times = [of("issue_" + pipe) / (MULTIPROCESSORS * lanes * CLOCK_HZ)
             for pipe, lanes in LANES.items()]
    times += [of("bytes_shared") / (MULTIPROCESSORS * 128 * CLOCK_HZ),
              of("l1_lines") / (MULTIPROCESSORS * CLOCK_HZ),
              of("warp_instructions") / (MULTIPROCESSORS * 4 * CLOCK_HZ)]
    most = math.ceil(of("blocks") / MULTIPROCESSORS) * MULTIPROCESSORS / max(of("blocks"), 1)
    crowded = max(times) * (most ** power - 1) ** (1 / power) if most > 1 else 0
    times += [of("bytes_dram") / constants["dram"], of("bytes_l2") / constants["l2"],
              max(of("latency_cycles") / (CLOCK_HZ * constants["latency"]), crowded),
              of("blocks") / constants["blocks"]]
    longest = max(times)
    together = longest * sum((t / longest) ** power for t in times) ** (1 / power) if longest else 0
    return together + constants["launch"]


def fit(options):
    _, found = launches(options)
    rows = [x for x in found if learns(x[0])]

    def error(constants):
        """Mean of |ln| of predicted over measured; wrong counts count as a factor of e at most."""
        return sum(min(abs(math.log(time_of(f["counts"], constants) / float(r["time_s"]))), 1)
                   for _, r, f in rows) / len(rows)

    best = {"dram": 7e11, "l2": 1.4e12, "latency": 1, "blocks": 1e9, "launch": 2e-6, "overlap": 3}
    least = error(best)
    for step in (1.5, 1.2, 1.08, 1.03):
        improved = True
        while improved:
            improved = False
            for key in best:
                for factor in (step, 1 / step):
                    other = dict(best, **{key: best[key] * factor})
                    if error(other) < least - 1e-6:
                        best, least, improved = other, error(other), True
    print("mean of |ln(predicted/measured)|:", round(least, 3))
    print(json.dumps({key: float(f"{value:.3g}") for key, value in best.items()}))
    for name, wanted in (("learned from", True), ("held out", False)):
        print(name)
        line("time", [ratios(p, r, f, time_of(f["counts"], best))["time"]
                      for p, r, f in found if learns(p) == wanted])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("predict", "compare", "fit"):
        command = commands.add_parser(name)
        if name == "predict":
            command.add_argument("ergon")
            command.add_argument("records")
        command.add_argument("kernels")
        command.add_argument("--out", required=True, help="a folder of predictions")
        if name == "predict":
            command.add_argument("--machine", default="rtx3080")
            command.add_argument("--sources")
            command.add_argument("--limit", type=float, default=60, help="seconds for one program")
        if name == "compare":
            command.add_argument("--worst", type=int, default=0)
    options = parser.parse_args()
    globals()[options.command](options)


if __name__ == "__main__":
    main()
