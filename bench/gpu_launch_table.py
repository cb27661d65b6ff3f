#!/usr/bin/env python3
"""A row for each kernel that gpu_first_launches.py measured: gpu_launch_table.py PROGRAMS OUT TABLE.csv

PROGRAMS and OUT are those of gpu_first_launches.py, with and without --profile. A row has the profiler's
counts and time of the first launch; time and joules of a launch that is repeated, where the repeated one
does what the first did, and where a launch is long enough for the board's counter of joules.
"""

import argparse
import csv
import json
import pathlib
import re

OPERATIONS = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
LEAST_REPEATED_S, LEAST_FIRST_S = 6e-6, 15e-6  # below, a launch is mostly the host's

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("programs", type=pathlib.Path)
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("table", type=pathlib.Path)
options = parser.parse_args()

commands = {each["program"]: " ".join(each["command"][1:]) for each in json.loads(options.programs.read_text())}
launches = {}
for line in (options.out / "launches.jsonl").read_text().splitlines():
    launch = json.loads(line)
    launches.setdefault(launch["program"], []).append(launch)


def profiled(file):
    """The rows of a profiler's page, behind what the program printed, by the names of their columns."""
    lines = [line for line in file.read_text().splitlines() if line.startswith('"')]
    names = next(csv.reader(lines[:1]), [])
    return [dict(zip(names, row)) for row in csv.reader(lines[2:])]  # the second line has the units


def number(text):
    return float(text.replace(",", "")) if text not in ("", "n/a") else 0


def shape(text):
    return " ".join(re.findall(r"\d+", text))


def flops(row, letter):
    return int(sum(number(row[OPERATIONS.format(letter + each)]) * weight for each, weight in (("add", 1), ("mul", 1), ("fma", 2))))


rows = []
for file in sorted((options.out / "profiles").glob("*.csv")):
    left = launches.get(file.stem, [])
    for row in profiled(file):
        grid, block = shape(row["Grid Size"]), shape(row["Block Size"])
        base = re.sub(r"<.*|\(.*", "", row["Kernel Name"].removeprefix("void ")).split("::")[-1]
        same = next((each for each in left if base in each["kernel"] and " ".join(map(str, each["grid"])) == grid
                     and " ".join(map(str, each["block"])) == block), None)
        if same:
            left.remove(same)
        repeats = (same and same["status"] == "cudaSuccess" and same["launches"] > 0
                   and not (same["first_s"] > 3 * same["time_s"] and same["first_s"] > 2e-4))
        lasts = repeats and same["energy_j"] > 0 and same["first_s"] > LEAST_FIRST_S and same["time_s"] > LEAST_REPEATED_S
        rows.append({
            "program": file.stem, "arguments": commands[file.stem], "kernel": row["Kernel Name"], "grid": grid, "block": block, "launch": 1,
            "time_s": f"{number(row['gpu__time_duration.sum']) * 1e-9:.6g}", "flops_f32": flops(row, "f"), "flops_f64": flops(row, "d"),
            "bytes_dram": int(number(row["dram__bytes_read.sum"]) + number(row["dram__bytes_write.sum"])),
            "int_instructions": int(number(row[OPERATIONS.format("integer")])), "warp_instructions": int(number(row["smsp__inst_executed.sum"])),
            "registers": int(number(row["launch__registers_per_thread"])), "repeated_s": f"{same['time_s']:.6g}" if repeats else "",
            "energy_j": f"{same['energy_j']:.6g}" if lasts else ""})
with options.table.open("w") as file:
    writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
