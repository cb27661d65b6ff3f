#!/usr/bin/python3
"""Checks that each layer includes only what it may use: include_directions.py TREE

The arrows are the table LAYERS below, the one place where they are written down. One line for each
include that goes another way; exits 1 where there is one, or where a layer that must be there is not.
"""

import os
import pathlib
import re
import sys

# layer -> (other layers, libraries) that its files may include. The standard library is open to all.
LAYERS = {
    "model": ((), ("gmp", "eigen")),
    "formats": (("model",), ("nlohmann", "simdjson", "csv", "system")),
    "passes": (("model", "formats"), ("llvm",)),
    "runtime": (("model", "formats"), ("nlohmann", "system", "device")),
    "simulation": (("model",), ("simgrid",)),
    "calibration": (("model", "runtime"), ("system", "device")),
    "verification": ((), ()),
    "tools": (("model", "formats", "simulation", "calibration", "verification"),
              ("nlohmann", "fmt", "cli11", "hwloc", "libmd", "system")),
    # Above tools; what the page needs of it is compiled to WebAssembly too.
    "report": (("model", "formats", "tools"), ("nlohmann", "fmt", "cli11", "boost")),
}
MUST_EXIST = ("model", "formats", "passes", "tools")

# How an include names a library.
LIBRARIES = {
    "gmp": r"gmp(xx)?\.h$",
    "eigen": r"Eigen/",
    "nlohmann": r"nlohmann/",
    "simdjson": r"simdjson\.h$",
    "csv": r"csv\.h$",
    "fmt": r"fmt/",
    "boost": r"boost/",
    "cli11": r"CLI/",
    "llvm": r"(llvm|llvm-c|clang|clang-c)/",
    "simgrid": r"simgrid/",
    "hwloc": r"hwloc\.h$",
    "libmd": r"md5\.h$",
    "device": r"(cuda\w*|mma|nvml|mpi|dlfcn)\.h$",
    "system": r"(unistd|fcntl|signal|pthread|threads|sched|dirent|glob|fnmatch|unwind|malloc)\.h$|(sys|linux)/\w+\.h$",
}
STANDARD = r"[a-z_]+$|(assert|ctype|errno|float|inttypes|limits|math|stdbool|stddef|stdint|stdio|stdlib|string|time)\.h$"

# model is pure: nothing that reads, writes, waits or asks the machine.
IMPURE = r"(c?stdio|iostream|fstream|istream|ostream|sstream|syncstream|filesystem|thread|mutex|future" \
         r"|chrono|random|c?time|cstdlib|stdlib)(\.h)?$"
# sstream and ostream only print to a string that the caller gives.
PURE_AFTER_ALL = ("sstream", "ostream")

SOURCES = (".h", ".c", ".cpp", ".cu", ".inc")
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+)[>\"]", re.MULTILINE)


def what_is(included, file):
    """The layer or library that an include names; None where no table knows it."""
    first = included.split("/")[0]
    if first in LAYERS:
        return first
    if (file.parent / included).is_file() and ".." not in included:
        return file.parts[-2]
    for library, pattern in LIBRARIES.items():
        if re.match(pattern, included):
            return library
    return "std" if re.match(STANDARD, included) else None


def problem(layer, included, file):
    """What is wrong with one include; None where nothing is."""
    layers, libraries = LAYERS[layer]
    what = what_is(included, file)
    if what is None:
        return f"includes {included}, which the tables of this check do not know"
    if what == "std":
        impure = re.match(IMPURE, included) and included not in PURE_AFTER_ALL
        return f"includes {included}, but {layer} does no I/O" if layer == "model" and impure else None
    if what == layer or what in layers or what in libraries:
        return None
    return f"includes {included}: {layer} may not use {what}"


def check(tree):
    """All problems of the tree, one line each."""
    for layer in LAYERS:
        files = [path for path in sorted((tree / layer).rglob("*")) if path.suffix in SOURCES]
        if not files and layer in MUST_EXIST:
            yield f"{layer}/: no source file there, so nothing was checked"
        for file in files:
            text = file.read_text(encoding="utf-8")
            for match in INCLUDE.finditer(text):
                if found := problem(layer, match[1], file):
                    line = text.count("\n", 0, match.start(1)) + 1
                    yield f"{os.path.relpath(file, tree)}:{line}: {found}"


if __name__ == "__main__":
    problems = list(check(pathlib.Path(sys.argv[1])))
    print("\n".join(problems) if problems else "all includes go down")
    sys.exit(1 if problems else 0)
