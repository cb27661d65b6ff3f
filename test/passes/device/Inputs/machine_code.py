#!/usr/bin/python3
"""Prints the machine instructions of one thread: machine_code.py ERGON RECORDS [PTXAS PTX]

For kernels with a loop those of one more iteration. With an assembler and its input, holds the
registers of the records against what it says of that.
"""

import json
import pathlib
import re
import subprocess
import sys

ergon, records = sys.argv[1:3]
LOOPS = ("looped", "unrolled", "nested", "angles")


def counts(kernel, n):
    words = [ergon, "predict", records, "--entry", kernel, "--target", "nvptx", "--json"]
    for value in ([f"{number_of_iterations}={n}"] if kernel in LOOPS else []) + ["grid.x=10", "block.x=256"]:
        words += ["--set", value]
    found = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)["counts"]
    return {key: value / 2560 for key, value in found.items()}


def functions():
    for path in pathlib.Path(records).glob("*.ergon.json"):
        document = json.loads(path.read_text())
        if document["target"].startswith("nvptx"):
            yield from document["functions"]


def number(value):
    return f"{value:.3f}".rstrip("0").rstrip(".")


if len(sys.argv) > 3:
    target = re.search(r"^\.target (\w+)", pathlib.Path(sys.argv[4]).read_text(), re.MULTILINE)[1]
    messages = subprocess.run([sys.argv[3], "-v", f"-arch={target}", sys.argv[4], "-o", "/dev/null"],
                              capture_output=True, text=True, check=True).stderr
    said = dict(re.findall(r"Function properties for (\w+)\n.*\n.*Used (\d+) registers", messages))
    same = [f["name"] for f in functions() if str(f["resources"]["registers"]) == said[f["name"]]]
    print(len(same), "kernels have the registers that the assembler says")
    sys.exit()

resources = {f["name"]: f.get("resources", {}) for f in functions()}
number_of_iterations = "n" if all("at" in f for f in functions()) else "arg2"  # without debug information
PIPES = {"sine": ("fp32", "sfu", "lsu"), "angles": ("fp32", "int", "imad", "sfu", "lsu"), "quotient": ("fp32", "move", "control")}
for kernel in ("copy", "fused", "sine", "looped", "unrolled", "tiled", "together", "nested", "angles", "quotient"):
    found = counts(kernel, 1000)
    pipes = PIPES.get(kernel, ("fp32", "lsu"))
    if kernel in LOOPS:
        more = counts(kernel, 1001)
        each = {p: more.get("issue_" + p, 0) - found.get("issue_" + p, 0) for p in pipes}
        print(kernel, "iteration", *(f"{p} {number(each[p])}" for p in pipes),
              "before", number(found.get("issue_lsu", 0) - 1000 * each["lsu"]))
        continue
    print(kernel, *(f"{p} {number(found.get('issue_' + p, 0))}" for p in pipes),
          "long", number(found.get("stall_long_scoreboard", 0)),
          *(["shared_bytes", resources[kernel]["shared_bytes"]] if kernel == "tiled" else []))
