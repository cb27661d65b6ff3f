#!/usr/bin/python3
"""Ends a program in each way and looks at its records: ends.py PROGRAM SAME RUN_RECORDS FOLDER

SAME and RUN_RECORDS are each an interpreter and a script.
"""

import subprocess
import sys

CASES = {
    "return": ('run["ended"] == "exit"', 'region("before")["count"] == 1'),
    "exit": ('run["ended"] == "exit"',),
    "_exit": ('run["ended"] == "exit"',),
    "_Exit": ('run["ended"] == "exit"',),
    "abort": ('run["ended"] == "signal 6"',),
    "term": ('run["ended"] == "signal 15"', 'region("before")["count"] == 1'),
    "null": ('run["ended"] == "signal 11"',),
    "quick_exit": ('run["ended"] == "exit"',),
    **dict.fromkeys(("execl", "execlp", "execle", "execv"), (
        '[each["ended"] for each in runs] == ["exec", "exit"]',
        'runs[0]["process"] == runs[1]["process"]')),
    "no exec": ('run["ended"] == "exit"',),
    "system": ('run["ended"] == "exit"',),
    "busy": ('run["ended"] == "signal 15"', 'region("before", of=run)["count"] == 1',
             'region("odd")["threads"] + region("even")["threads"] == 20',
             'region()["energy_j"]["powercap/intel-rapl:0"] == 0'),
    "fork": ('len(runs) == 2', 'runs[1]["parent"] == runs[0]["process"]',
             'all(is_whole(each) for each in runs)',
             'region("before", of=runs[0])["time_s"] >= Fraction("0.02")',
             'region("before", of=runs[1])["time_s"] < Fraction("0.02")',
             'region("before", of=runs[1])["count"] == 0',
             'region("child", of=runs[1])["count"] == 1',
             'not any(each["path"] == ["child"] for each in runs[0]["regions"])'),
    "demand": ('run["ended"] == "exit"', 'region("before", "after")["count"] == 1'),
}

program, python, same, _, records, folder = sys.argv[1:]
failed = 0
for case, conditions in CASES.items():
    to = f"{folder}-{case}"
    for command in ([python, same, to, program, case], [python, records, to, *conditions]):
        if subprocess.run(command).returncode:
            print("in case", case)
            failed = 1
sys.exit(failed)
