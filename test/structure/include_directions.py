#!/usr/bin/python3
"""Checks that each layer and each room includes only what it may use: include_directions.py TREE

The arrows are the tables LAYERS and ROOMS below, the one place where they are written down. One line for each
include that goes another way, each circle of files, each room that is too large, and each source beside the rooms; exits 1
where there is one, or where a layer that must be there is not.
"""

import os
import pathlib
import re
import sys

# layer -> (other layers, libraries) that its files may include. The standard library is open to all.
LAYERS = {
    "model": ((), ("boost", "eigen")),
    "formats": (("model",), ("nlohmann", "simdjson", "csv", "system")),
    "passes": (("model", "formats"), ("llvm",)),
    "runtime": (("model", "formats"), ("nlohmann", "system", "device")),
    "simulation": (("model",), ("simgrid",)),
    "calibration": (("model", "runtime"), ("system", "device")),
    "verification": ((), ()),
    # What the page needs of these two is compiled to WebAssembly too.
    "predict": (("model", "formats"), ("fmt", "libmd", "system")),
    "report": (("model", "formats", "predict"), ("nlohmann", "fmt", "zlib")),
    "tools": (("model", "formats", "predict", "report", "simulation", "calibration", "verification"),
              ("nlohmann", "fmt", "cli11", "hwloc", "system")),
}
MUST_EXIST = ("model", "formats", "passes", "predict", "tools")

# layer -> its rooms, folders of which each may include those before it. CMake adds them in this order too.
ROOMS = {
    "model": ("symbolic", "machine", "code", "library", "interpreter", "program", "evaluation", "access", "energy", "traffic", "incore", "gpu", "fit", "measurements", "cluster", "lint"),
    "formats": ("json", "run", "import", "prediction", "profile", "record", "cluster"),
    "passes": ("ir", "symbolic", "tripcount", "opcodes", "access", "incore", "device", "lint", "code", "analysis", "instrument", "plugin"),
    "predict": ("text", "store", "source", "values", "profile", "answer", "tune"),
    "report": ("program", "output", "wasm"),
    "tools": ("base", "view", "record", "calibrate", "lint", "machine", "predict", "top", "tune", "scale", "verify", "import", "report", "cli"),
}
MOST_IN_A_ROOM = 25  # files with code

# How an include names a library.
LIBRARIES = {
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
    "zlib": r"zlib\.h$",
    "device": r"(cuda\w*|mma|nvml|mpi|dlfcn)\.h$",
    "system": r"(unistd|fcntl|signal|pthread|threads|sched|dirent|glob|fnmatch|unwind|malloc|cxxabi)\.h$|(sys|linux)/\w+\.h$",
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
    """The layer or library that an include names, `own` for a file beside it; None where no table knows it."""
    first = included.split("/")[0]
    if first in LAYERS:
        return first
    if (file.parent / included).is_file() and ".." not in included:
        return "own"
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
    if what in ("own", layer) or what in layers or what in libraries:
        return None
    return f"includes {included}: {layer} may not use {what}"


def room_problem(file, included):
    """What is wrong with an include of another room of the same layer; None where nothing is."""
    layer, *inside = file.parts[:-1]
    target = pathlib.PurePath(included).parts
    if layer not in ROOMS or not inside or target[0] != layer or len(target) < 3:
        return None
    order = ROOMS[layer]
    room, other = inside[0], target[1]
    if room not in order or other not in order or order.index(other) <= order.index(room):
        return None
    return f"includes {included}: {layer}/{room} may not use {layer}/{other}"


def circles(uses):
    """The strongly connected parts of a graph that have more than one node (Tarjan 1972), each sorted."""
    index, low, stack, result = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in uses.get(node, ()):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            part = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(part) > 1:
                result.append(sorted(part))

    for node in sorted(uses):
        if node not in index:
            visit(node)
    return result


def included_units(tree):
    """What each file includes of the tree; a header and the source of its name are one."""
    uses = {}
    for layer in LAYERS:
        for file in sorted((tree / layer).rglob("*")):
            if file.suffix not in SOURCES:
                continue
            unit = file.relative_to(tree).with_suffix("")
            mine = uses.setdefault(unit, set())
            for match in INCLUDE.finditer(file.read_text(encoding="utf-8")):
                for target in (tree / match[1], file.parent / match[1]):
                    if target.is_file():
                        mine.add(pathlib.Path(os.path.relpath(target, tree)).with_suffix(""))
                        break
            mine.discard(unit)
    return uses


def crowded(tree, layer):
    """Files that stand in no room of the layer, and rooms with too many."""
    sources = [path.relative_to(tree / layer) for path in sorted((tree / layer).rglob("*.cpp"))]
    for path in sources:
        if path.parts[0] not in ROOMS[layer]:
            yield f"{layer}/{path}: in no room of {layer}"
    for room in ROOMS[layer]:
        count = sum(path.parts[0] == room for path in sources)
        if count > MOST_IN_A_ROOM:
            yield f"{layer}/{room}: {count} sources, at most {MOST_IN_A_ROOM}"


def check(tree):
    """All problems of the tree, one line each."""
    for layer in LAYERS:
        files = [path for path in sorted((tree / layer).rglob("*")) if path.suffix in SOURCES]
        if not files and layer in MUST_EXIST:
            yield f"{layer}/: no source file there, so nothing was checked"
        for file in files:
            text = file.read_text(encoding="utf-8")
            for match in INCLUDE.finditer(text):
                if found := problem(layer, match[1], file) or room_problem(file.relative_to(tree), match[1]):
                    line = text.count("\n", 0, match.start(1)) + 1
                    yield f"{os.path.relpath(file, tree)}:{line}: {found}"
        if layer in ROOMS:
            yield from crowded(tree, layer)
    for circle in circles(included_units(tree)):
        yield "circle: " + ", ".join(map(str, circle))


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)  # circles() goes as deep as includes do
    problems = list(check(pathlib.Path(sys.argv[1])))
    print("\n".join(problems) if problems else "all includes go down")
    sys.exit(1 if problems else 0)
