"""Asks two programs the same of a page: same_answers.py PAGE PROGRAM OTHER FUNCTIONS. All answers are equal, to
the byte, and the page has so many functions."""

import json
import shlex
import subprocess
import sys

page, programs = sys.argv[1], [shlex.split(each) for each in sys.argv[2:4]]


def ask(program, requests):
    # Each answer ends a line that begins a JSON text; predictions have several.
    found = subprocess.run([*program, page, *map(json.dumps, requests)], capture_output=True, check=True).stdout
    return found.decode()


about = json.loads(ask(programs[0], [{"do": "program"}]))
values = {"n": "1000", "m": "37", "rounds": "3", "bins": "64", "grid.x": "10", "block.x": "128"}
requests = [{"do": "program"}]
for machine in about["machines"]:
    setting = machine["settings"][len(machine["settings"]) // 2]
    for given in ({}, values, {"n": "3..9"}):
        requests.append({"do": "functions", "set": given, "machine": machine["name"], "setting": setting})
    requests.append({"do": "roofs", "machine": machine["name"], "setting": setting})
for function in about["functions"]:
    requests.append({"do": "loops", "function": function["id"]})
    if function["name"].startswith("dgemm"):  # numbers of more than 64 bits
        requests.append({"do": "lines", "function": function["id"], "set": {"n": "1e25"}, "machine": "i7-950"})
    for machine in ("i7-950", "epyc-9654", "jetson-tk1", "gtx1080ti", ""):
        for given in ({}, values):
            for what in ("predict", "top", "lines"):
                requests.append({"do": what, "function": function["id"], "set": given, "machine": machine})
    requests.append({"do": "settings", "function": function["id"], "set": values, "machine": "jetson-tk1"})
requests.append({"do": "no such thing"})

assert len(about["functions"]) == int(sys.argv[4]), about
for at in range(0, len(requests), 40):
    first, second = (ask(program, requests[at:at + 40]) for program in programs)
    if first != second:
        for request in requests[at:at + 40]:
            first, second = (ask(program, [request]) for program in programs)
            if first != second:
                sys.exit(f"{request}:\n{first}\nagainst\n{second}")
print(f"{len(requests)} answers are the same")
