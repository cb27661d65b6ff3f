#!/usr/bin/python3
"""Says which conditions on run records do not hold: run_records.py FOLDER CONDITION...

A condition is a Python expression over `runs`, the records of the folder in the order in which their
processes began, `run`, the only one, and the functions below. Exits 1 where one does not hold, or
where the folder has something else than whole records.
"""

import itertools
import json
import pathlib
import sys
from fractions import Fraction


def load(path):
    """A record, numbers as exact fractions."""
    record = json.loads(path.read_text(), parse_float=Fraction, parse_int=Fraction)
    assert record["schema"] == "ergon-run/1", path
    return record


folder = pathlib.Path(sys.argv[1])
paths = sorted(folder.iterdir()) if folder.is_dir() else []
runs = sorted(map(load, paths), key=lambda record: record["started"])
run = runs[0] if len(runs) == 1 else None


def region(*path, of=None):
    """The region of that path."""
    return next(each for each in (of or run)["regions"] if each["path"] == list(path))


def meter(name, of=None):
    """The meter whose name ends so."""
    return next(each for each in (of or run)["meters"] if each["name"].endswith(name))


def why(name, of=None):
    """Why a meter whose name starts so was not read."""
    return next(each["why"] for each in (of or run)["unread_meters"] if each["name"].startswith(name))


def own(*path, of=None, key):
    """The energy of a region without the regions in it."""
    inner = [each for each in (of or run)["regions"]
             if each["path"][:-1] == list(path) and len(each["path"]) == len(path) + 1]
    return region(*path, of=of)["energy_j"][key] - sum(each["energy_j"][key] for each in inner)


def is_whole(of=None):
    """Whether the only thread's regions have, to the nanojoule, what each meter counted, and none less than 0."""
    of = of or run
    return all(region(of=of)["energy_j"][each["name"]] == each["energy_j"] for each in of["meters"]) and all(
        own(*each["path"], of=of, key=key) >= 0 for each in of["regions"] for key in each["energy_j"])


failed = [condition for condition in sys.argv[2:] if not eval(condition)]
for condition in failed:
    print("does not hold:", condition)
if failed:
    for path in paths:
        print(path, path.read_text(), sep="\n")
sys.exit(bool(failed))
