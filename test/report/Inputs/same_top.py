"""Compares a page's profile of a run with the command's: same_top.py PAGE RECORD ERGON MACHINE PROGRAM… All of these
programs answer from the page, to the byte, what `ergon top --json` prints."""

import json
import shlex
import subprocess
import sys

page, record, ergon, machine, *programs = sys.argv[1:]


def said(command):
    return subprocess.run(command, capture_output=True, check=True).stdout.decode()


wanted = said([ergon, "top", record, "--machine", machine, "--json"])
calls = {row["name"]: row["calls"] for row in json.loads(wanted)["rows"]}
assert calls == {"smooth": 100, "clip": 50, "norm": 50, "main": 1}, calls  # as run.c has it
for program in programs:
    ask = [*shlex.split(program), page]
    functions = json.loads(said([*ask, json.dumps({"do": "program"})]))["functions"]
    main = next(each["id"] for each in functions if each["name"] == "main")
    found = said([*ask, json.dumps({"do": "top", "function": main, "machine": machine})])
    assert found == wanted, f"{program}:\n{found}\ninstead of\n{wanted}"
print("the same")
