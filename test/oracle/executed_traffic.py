#!/usr/bin/python3
"""The oracle for predicted memory traffic: what calls of a function miss in simulated caches.

Each call of a matching function starts with empty caches. One JSON object a call, in a line:

  function, and for each space (memory stack constant, as executed_counts.py says, and callees: all
  that the call runs and that does not match):
    d1_load_misses d1_store_misses ll_load_misses ll_store_misses   lines that were fetched
    ll_write_backs   dirty lines that left the last level, at the access that evicted them

The caches are callgrind's: LRU; a store that misses fetches the line; a store goes through D1 to LL.

Exit status: 0 done, 2 nothing could be counted.
"""

import argparse
import collections
import json
import pathlib
import re
import sys

import callgrind
from executable import Executable, OracleError, check_tools

# Callgrind's event -> key, and whether it is of the instruction's load or of its store.
EVENTS = {"D1mr": ("d1_load_misses", "load"), "D1mw": ("d1_store_misses", "store"),
          "DLmr": ("ll_load_misses", "load"), "DLmw": ("ll_store_misses", "store"),
          "DLdmr": ("ll_write_backs", "load"), "DLdmw": ("ll_write_backs", "store")}


def space_of(executable, instruction, what):
    """The space that an instruction's load or store goes to."""
    if executable.implicit(instruction) == what or not instruction.accesses:
        return "stack"
    access = instruction.accesses[-1 if what == "load" else 0]
    return executable.space(access, instruction.function)


def traffic(executable, wanted, address, rows):
    """One call's misses by space, and (with debug information) by source line."""
    found = {"function": wanted[address]}
    lines = collections.defaultdict(collections.Counter)
    for row in rows:
        instruction = executable.code.get(row.address) if row.is_own else None
        for event, times in row.events.items():
            if event not in EVENTS or not times:
                continue
            key, what = EVENTS[event]
            mine = instruction and instruction.function in wanted
            space = space_of(executable, instruction, what) if mine else "callees"
            found.setdefault(space, collections.Counter())[key] += times
            lines[f"line {row.line}" if mine else row.function][f"{space} {key}"] += times
    return found, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--function", default=".", metavar="REGEX",
                        help="functions whose calls are counted, by plain or demangled name")
    parser.add_argument("--D1", default="32768,8,64", metavar="BYTES,WAYS,LINE", help="first-level data cache")
    parser.add_argument("--LL", default="1048576,16,64", metavar="BYTES,WAYS,LINE", help="last-level cache")
    parser.add_argument("--lines", action="store_true", help="misses by source line too (needs -gdwarf-4)")
    parser.add_argument("executable")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    try:
        check_tools("valgrind", "vgdb", "objdump", "c++filt")
        path = str(pathlib.Path(options.executable).resolve())
        executable = Executable(path)
        wanted = executable.matching(options.function)
        geometry = [f"--D1={options.D1}", f"--LL={options.LL}", "--I1=32768,8,64"]
        runs = callgrind.cold_runs(path, options.arguments, wanted, executable.call_before, geometry)
        if not runs:
            raise executable.not_executed(options.function)
        for address, rows in runs:
            found, lines = traffic(executable, wanted, address, rows)
            print(json.dumps({**found, "lines": lines} if options.lines else found, sort_keys=True))
        return 0
    except (OracleError, OSError, ValueError, re.error) as error:
        print(f"executed_traffic.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
