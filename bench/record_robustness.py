#!/usr/bin/python3
"""Kills compilers, or all of a build, while `ergon record` runs, and looks at what is left: record_robustness.py BUILD [ROUNDS] [SEED]

Each round is a build of three files that goes on where a compilation fails, and ends with 0. SIGKILL goes to one compiler after
a random time, in each fifth round to `ergon record` and all that it runs. Then all is recorded again in the same folder. Prints a table;
exits 1 where a record is torn, a draft is left after the second build, or a record is missing that has an object file and
was not told with exit status 2.
"""

import collections
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

FILES = 3
FUNCTIONS = 15
BUILD = "for i in $(seq {files}); do clang-22 -O2 -g -c $i.c -o $i.o & done; wait; true"


def source(number):
    """Functions that are records of some ten kilobytes."""
    return "".join(f"void f{number}_{k}(int n, double *x, const double *y) {{ for (int i = 0; i < n; ++i) for (int j = {k}; j < i; ++j) "
                   f"x[i] += y[j] * {k}.5 + x[j] / y[i]; }}\n" for k in range(FUNCTIONS))


def compilers(group):
    """The clang processes of a process group."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if os.getpgid(int(entry.name)) == group and (entry / "comm").read_text().startswith("clang"):
                    found.append(int(entry.name))
            except (OSError, ProcessLookupError):
                pass
    return found


def torn(folder):
    """Records that are not whole."""
    bad = []
    for path in folder.glob("*.ergon.json"):
        try:
            record = json.loads(path.read_bytes())
            if record["function_count"] != len(record["functions"]) or len(record["functions"]) != FUNCTIONS:
                bad.append(path)
        except (ValueError, KeyError):
            bad.append(path)
    return bad


def sources_in(folder):
    return {json.loads(path.read_bytes())["source"] for path in folder.glob("*.ergon.json")}


def round_of(ergon, place, number, latest):
    records = place / f"records{number}"
    for path in place.glob("*.o"):
        path.unlink()
    command = [ergon, "record", "-d", records, "--", "sh", "-c", BUILD.format(files=FILES)]
    build = subprocess.Popen(command, cwd=place, stderr=subprocess.PIPE, text=True, start_new_session=True)
    time.sleep(random.uniform(0, latest))
    whole_build = number % 5 == 4
    killed = True
    if whole_build:
        os.killpg(build.pid, signal.SIGKILL)
    elif running := compilers(build.pid):
        os.kill(random.choice(running), signal.SIGKILL)
    else:
        killed = False
    said = build.communicate()[1]
    seen = collections.Counter()
    seen["torn"] = len(torn(records))
    seen["drafts"] = len([each for each in records.iterdir() if not each.name.endswith(".ergon.json")]) if records.exists() else 0
    missing = {f"{k}.c" for k in range(1, FILES + 1)} - (sources_in(records) if records.exists() else set())
    compiled = {path.stem + ".c" for path in place.glob("*.o")}
    kind = "the whole build" if whole_build else "a compiler" if killed else "nothing, it was done"
    seen["rounds"] = 1
    seen["missing"] = len(missing)
    if not whole_build:
        told = {name for name in missing if f"/{name}: its cost record is lost: " in said}
        seen["told, exit status 2"] = len(told) if build.returncode == 2 else 0
        seen["not told: killed before clang loads plugins"] = len(missing - told - compiled)
        seen["silent"] = len((missing - told) & compiled) + (bool(told) != (build.returncode == 2))
    again = subprocess.run(command, cwd=place, capture_output=True, text=True)
    left = [each for each in records.iterdir() if not each.name.endswith(".ergon.json")]
    seen["wrong after the second build"] = len(left) + len(torn(records)) + (again.returncode != 0) + (len(sources_in(records)) != FILES)
    return kind, seen


def main():
    ergon = pathlib.Path(sys.argv[1], "bin", "ergon").resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    random.seed(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    table = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        for k in range(1, FILES + 1):
            (place / f"{k}.c").write_text(source(k))
        started = time.monotonic()
        subprocess.run([ergon, "record", "-d", place / "first", "--", "sh", "-c", BUILD.format(files=FILES)], cwd=place, check=True,
                       stderr=subprocess.DEVNULL)
        latest = time.monotonic() - started
        for number in range(rounds):
            kind, seen = round_of(ergon, place, number, latest)
            table[kind] += seen
    columns = ["rounds", "missing", "told, exit status 2", "not told: killed before clang loads plugins", "silent", "torn",
               "drafts", "wrong after the second build"]
    print("| killed |", " | ".join(columns), "|")
    print("| --- |" + " --- |" * len(columns))
    for kind, seen in sorted(table.items()):
        print(f"| {kind} |", " | ".join(str(seen[each]) for each in columns), "|")
    return any(seen[bad] for seen in table.values() for bad in ("silent", "torn", "wrong after the second build"))


if __name__ == "__main__":
    sys.exit(main())
