#!/usr/bin/python3
"""Measures the first launch of each kernel of programs: gpu_first_launches.py PROGRAMS OUT

PROGRAMS is a list in JSON of {"program": NAME, "command": [WORDS], "kernels": HOW MANY}, commands
relative to the folder of the list; programs are linked with bench/inputs/gpu_first_launches.cpp, as a
shared library, in front of the shared runtime library. OUT gets launches.jsonl, time and energy of each
kernel, and profiles/NAME.csv, what Nsight Compute (ncu, where it is installed) counted. Clocks are left
alone.
Programs that take too long, or fail, are named and left out; what is in OUT already is not measured again.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

METRICS = ["gpu__time_duration.sum", "dram__bytes_read.sum", "dram__bytes_write.sum", "lts__t_sectors.sum", "smsp__inst_executed.sum",
           "smsp__thread_inst_executed.sum", "smsp__sass_thread_inst_executed_op_integer_pred_on.sum",
           *(f"smsp__sass_thread_inst_executed_op_{each}_pred_on.sum" for each in ("fadd", "fmul", "ffma", "dadd", "dmul", "dfma")),
           "launch__registers_per_thread", "sm__warps_active.avg.pct_of_peak_sustained_active", "smsp__cycles_elapsed.avg.per_second"]

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("programs", type=pathlib.Path)
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--seconds", type=float, default=1.2, help="how long each kernel is launched again and again")
parser.add_argument("--limit", type=float, default=15, help="seconds that a program may take beside that")
parser.add_argument("--budget", type=float, default=1e9, help="seconds for all programs; the rest is left out")
parser.add_argument("--profile", action="store_true", help="count with ncu instead of measuring time and energy")
arguments = parser.parse_args()
folder = arguments.programs.resolve().parent
out = arguments.out.resolve()
(out / "profiles").mkdir(parents=True, exist_ok=True)
began = time.monotonic()


def run(each):
    name = each["program"]
    profile = out / "profiles" / f"{name}.csv"
    environment = os.environ | {"CUDA_MODULE_LOADING": "EAGER", "FIRST_LAUNCHES": str(out / "launches.jsonl"),
                                "FIRST_LAUNCHES_OF": name, "FIRST_LAUNCHES_MAX": str(each["kernels"]),
                                "FIRST_LAUNCHES_S": "0" if arguments.profile else str(arguments.seconds)}
    words = list(each["command"])
    words[0] = str(folder / words[0])
    if arguments.profile:
        words = ["ncu", "--profile-from-start", "off", "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base",
                 "--log-file", str(profile), "--metrics", ",".join(METRICS), *words]
    limit = arguments.limit + (0 if arguments.profile else arguments.seconds * each["kernels"])
    try:
        done = subprocess.run(words, env=environment, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=limit)
        return "" if done.returncode == 0 else f"exit status {done.returncode}: {done.stderr.decode(errors='replace').strip()[-200:]}"
    except subprocess.TimeoutExpired:
        return "more than {:.0f} s".format(limit)


if arguments.profile and not shutil.which("ncu"):
    sys.exit("gpu_first_launches.py: ncu is not installed")
measured = out / "launches.jsonl"
there = ({json.loads(line)["program"] for line in measured.read_text().splitlines()} if measured.exists() else set())
if arguments.profile:
    there = {path.stem for path in (out / "profiles").glob("*.csv")}
for each in json.loads(arguments.programs.read_text()):
    if each["program"] in there:
        continue
    if time.monotonic() - began > arguments.budget:
        print(f"{each['program']} and later: no time left")
        break
    why = run(each)
    if why:
        print(f"{each['program']}: {why}", flush=True)
