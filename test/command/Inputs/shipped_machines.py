#!/usr/bin/env python3
"""Prices the examples on every shipped machine: shipped_machines.py ERGON CPU_RECORDS GPU_RECORDS

Each machine that `ergon machine list` offers for programs has time, energy and power of code for its kind of
processor, and refuses the other kind; each other one refuses both. With energies by a law the prediction says so, and its intervals have
ends on both sides. Every number of a profile names a source."""
import json
import math
import os
import pathlib
import subprocess
import sys

ERGON, ON_CPU, ON_GPU = sys.argv[1:]
ENTRIES = {"cpu": [[ON_CPU, "--entry", "gemm", "--set", "n=300"]],
           "gpu": [[ON_GPU, "--entry", "saxpy", "--set", "n=1000000", "--set", "grid.x=3907", "--set", "block.x=256"],
                   [ON_GPU, "--entry", "saxpyOnDevice", "--set", "n=1000000"]]}
wrong = []


def run(*words):
    return subprocess.run([ERGON, *words], capture_output=True, text=True)


def check(holds, *what):
    if not holds:
        wrong.append(" ".join(map(str, what)))


def sources_of(value, known):
    """Every object with a `value` has a `source`, and each source is listed."""
    if isinstance(value, list):
        return all(sources_of(each, known) for each in value)
    if not isinstance(value, dict):
        return True
    if "value" in value and value.get("source") not in known:
        return False
    return all(sources_of(each, known) for each in value.values())


def check_priced(name, words, is_estimated):
    done = run("predict", *words, "--machine", name, "--json")
    check(done.returncode == 0, name, words[2], done.stderr)
    if done.returncode:
        return
    answer = json.loads(done.stdout)
    for key in ("time_s", "energy_j", "power_w"):
        number = answer.get(key)
        check(number and 0 < number["low"] <= number["value"] <= number["high"] and math.isfinite(number["high"]), name, words[2], key, number)
    if is_estimated:
        for key in ("time_s", "energy_j"):
            check(answer[key]["low"] < answer[key]["value"] < answer[key]["high"], name, words[2], key, answer[key])
        check(any(each.startswith("energy.") for each in answer.get("estimated_costs", [])), name, words[2], "does not say `estimated`")


def check_refused(name, words, text):
    done = run("predict", *words, "--machine", name)
    check(done.returncode == 2 and done.stderr.count("\n") == 1 and text in done.stderr, name, words[2], done.returncode, done.stderr)


def main():
    machines = json.loads(run("machine", "list", "--json").stdout)["machines"]
    kinds = {each["name"]: each.get("kind") for each in machines}
    folder = pathlib.Path(os.environ.get("SHIPPED"))
    priced = 0
    for machine in machines:
        name = machine["name"]
        profile = json.loads((folder / f"{name}.json").read_text())
        check(sources_of(profile, set(profile["sources"])), name, "has a number without a source")
        check(run("machine", "check", folder / f"{name}.json").returncode == 0, name, "does not pass `machine check`")
        is_estimated = any(source["kind"] == "estimated" for key, source in profile["sources"].items() if key == "law")
        for kind, entries in ENTRIES.items():
            for words in entries:
                if "data_for" in machine:
                    check_refused(name, words, f"holds data for `ergon {machine['data_for']}`")
                elif machine["kind"] == kind:
                    check_priced(name, words, is_estimated)
                    priced += 1
                else:
                    check_refused(name, words, f"it is code of a {kind.upper()}, and {name} is a {machine['kind'].upper()}; predict for a {kind.upper()}, such as ")
    # Machines that errors name.
    error = run("predict", *ENTRIES["cpu"][0], "--machine", "systemg").stderr
    for of, names in zip(("gpu", "cpu"), error.split("such as ")[1:]):
        for name in names.split(", or of a")[0].strip().replace(" or ", ", ").split(", "):
            check(kinds.get(name) == of, "an error names", name, "as a", of)
    print(f"{len(machines)} machines, {priced} predictions")
    for each in wrong:
        print(each)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
