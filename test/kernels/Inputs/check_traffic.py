"""Predicted memory traffic of kernels against what callgrind's caches have.

check_traffic.py … --work FOLDER --caches D1,LL SOURCE[+SOURCE]… [--kernels a,b] [--methods analytic,simulate]

Builds a program of each SOURCE, and of those it needs, with traffic_driver.c, runs each kernel that has a remark (traffic_specs.py) from empty caches, at sizes
whose data just fit, are as large as, and are twice D1 and LL (given as BYTES/WAYS/LINE), and predicts the same. Data lie
one after another, each from a page on, with --skew BYTES each so much further. The prediction is told where.

Held against each other: lines that D1 fetches, and lines between LL and memory, fetched or written back. Two lines are the
program's own, of the stack and of tables of addresses: a difference counts from the third line on.

Prints a line for each run and each method's median and worst error; of the errors above 5 %, how many are within the interval that is
predicted; and how wide the intervals are, as a share of the value. Exits 1 where errors are above the bounds:
--bounds METHOD:MEDIAN:WORST,… in percent; what is within the interval is not held against the worst.
"""
import argparse
import dataclasses
import fnmatch
import json
import pathlib
import re
import statistics
import subprocess
import sys

import traffic_specs

FLAGS = {"O2": "-O2 -fno-vectorize -fno-slp-vectorize -ffp-contract=off -march=x86-64-v2".split(),
         "O0": "-O0 -march=x86-64-v2".split()}
SNAPSHOT = {"O2": "algorithm", "O0": "source"}
COMMON = "-fno-math-errno -fno-optimize-sibling-calls -gdwarf-4 -no-pie -Dmain=ownMain".split()
HERE = pathlib.Path(__file__).resolve().parent
SLACK = 2  # lines

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
for name in ("ergon", "plugin", "bin", "oracle", "work"):
    parser.add_argument("--" + name, required=True)
parser.add_argument("--caches", default="4096/4/64,32768/8/64")
parser.add_argument("--kernels", default="")
parser.add_argument("--methods", default="analytic,simulate")
parser.add_argument("--level", default="O2", choices=FLAGS)
parser.add_argument("--sizes", default="", help="n, instead of sizes around the capacities")
parser.add_argument("--skew", type=int, default=0, help="bytes, a multiple of an element's")
parser.add_argument("--write-back", action="store_true", help="simulate a D1 that keeps what is stored, unlike callgrind's")
parser.add_argument("--bounds", default="", help="METHOD:MEDIAN:WORST in percent")
parser.add_argument("sources", nargs="+")
options = parser.parse_args()
levels = [tuple(map(int, each.split("/"))) for each in options.caches.split(",")]


def output(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(sources, folder):
    """The program; the records of its code are in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.ergon.json"):
        old.unlink()
    objects = []
    for source in sources:
        compiler = ["clang++", "-std=c++20"] if source.suffix == ".cpp" else ["clang"]
        objects.append(folder / (source.name + ".o"))
        output(pathlib.Path(options.bin, compiler[0]), *compiler[1:], *FLAGS[options.level], *COMMON,
               f"-fpass-plugin={options.plugin}", "-mllvm", f"-ergon-dir={folder}", "-mllvm",
               f"-ergon-snapshots={SNAPSHOT[options.level]}", "-c", source, "-o", objects[-1])
    driver, program = folder / "driver.o", folder / "program"
    output(pathlib.Path(options.bin, "clang"), "-O1", "-c", HERE / "traffic_driver.c", "-o", driver)
    output(pathlib.Path(options.bin, "clang++"), "-no-pie", "-rdynamic", driver, *objects, "-lm", "-ldl", "-o", program)
    return program


def runs_of(source):
    wanted = set(filter(None, options.kernels.split(",")))
    for kernel in traffic_specs.parse(source):
        if wanted and kernel.name not in wanted:
            continue
        sizes = list(map(int, options.sizes.split(","))) if options.sizes else \
            [n for capacity, ways, _ in levels for n in traffic_specs.sizes_around(kernel, capacity, ways)]
        for n in dict.fromkeys(sizes):
            yield traffic_specs.run_of(kernel, n).place(options.skew)


def execute(program, runs):
    """For each run the misses of D1, and the lines between LL and memory."""
    names = {each.kernel.name for each in runs}
    d1, ll = (",".join(map(str, each)) for each in levels)
    words = [word for each in runs for word in each.call()]
    lines = output(sys.executable, options.oracle, "--D1", d1, "--LL", ll, "--function", f"^({'|'.join(names)})$", program,
                   *words).splitlines()
    for run, line in zip(runs, lines, strict=True):
        found = json.loads(line)
        assert found["function"] == run.kernel.name, (found, run)
        spaces = ["memory", "constant", "callees"] + ["stack"] * run.kernel.has("stack")

        def lines_of(level, *what):
            return sum(found.get(space, {}).get(f"{level}_{each}", 0) for space in spaces for each in what)
        yield {"d1": lines_of("d1", "load_misses", "store_misses"),
               "dram": lines_of("ll", "load_misses", "store_misses", "write_backs")}


def symbols(program):
    """Addresses of the program's objects by name."""
    rows = (line.split() for line in output("nm", program).splitlines())
    return {row[2]: int(row[0], 16) for row in rows if len(row) == 3 and row[1] in "bBdDrR"}


objects = {}  # folder, kernel, method -> names


def predict(run, method, folder, globals_at):
    """What is predicted of the same, or why nothing is."""
    # Callgrind's D1 hands stores on; the analysis has no such caches.
    through = "/through" * (method == "simulate" and not options.write_back)
    caches = ",".join(f"l{number}={size}/{ways}/{line}" + through * (number == 1)
                      for number, (size, ways, line) in enumerate(levels, 1))
    command = [options.ergon, "predict", "--strict", str(folder), "--entry", run.kernel.name, "--json"]
    sets = {name: value for name, value in run.sets.items() if not set("*?") & set(name)}
    patterns = {name: value for name, value in run.sets.items() if name not in sets}
    words = [word for name, value in sets.items() for word in ("--set", f"{name}={value}")]
    if patterns:
        unbound = json.loads(subprocess.run(command + words, capture_output=True, text=True).stdout)["unbound"]
        for pattern, value in patterns.items():
            words += [word for name in fnmatch.filter(unbound, pattern) for word in ("--set", f"{name}={value}")]
    command += [*words, "--cache", method, "--caches", caches]
    # Which objects a kernel has is the same at all sizes: it is asked once.
    if (kernel := (str(folder), run.kernel.name, method)) not in objects:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 3):
            return done.stderr.strip()
        traffic = json.loads(done.stdout).get("traffic")
        if not traffic:
            return "no traffic is predicted"
        objects[kernel] = [each["name"] for each in traffic["objects"]]
    where = {name: each.address for name, each in run.arrays.items()} | globals_at
    places = [word for name in objects[kernel] if name in where for word in ("--place", f"{name}={where[name]:#x}")]
    traffic = json.loads(output(*command, *places))["traffic"]
    if [each["name"] for each in traffic["objects"]] != objects[kernel]:
        sys.exit(f"{run.kernel.name} n={run.n}: has other objects than at the size before")
    return {"d1": figure(traffic["levels"][0], levels[0][2], "load_misses", "store_misses"),
            "dram": figure(traffic["levels"][1], levels[1][2], "load_misses", "store_misses", "write_backs")}


def figure(level, line, *what):
    """(lines, the least, the most) of a predicted level."""
    value, bytes = sum(level[each] for each in what), level["bytes_beyond"]
    between = level.get("between_bytes", {"low": bytes, "high": bytes})
    return tuple(value + (each - bytes) / line for each in (bytes, between["low"], between["high"]))


@dataclasses.dataclass
class Error:
    """Of a figure: as a share of what is executed; whether that is within the interval; the interval's width as a share of the value."""

    share: float
    within: bool = False
    width: float = 0


def error(predicted, executed):
    value, low, high = predicted
    return Error(max(0, abs(value - executed) - SLACK) / max(executed, 1), low - SLACK <= executed <= high + SLACK,
                 (high - low) / max(value, 1))


def check(sources, errors):
    """Runs the kernels of the first source and predicts them; adds to the errors of each method."""
    folder = pathlib.Path(options.work, sources[0].name)
    runs = list(runs_of(sources[0]))
    if not runs:
        return
    program = build(sources, folder)
    globals_at = symbols(program)
    for run, executed in zip(runs, execute(program, runs), strict=True):
        parts = [f"{run.kernel.name} n={run.n} D1 {executed['d1']} DRAM {executed['dram']}"]
        for method in errors:
            predicted = predict(run, method, folder, globals_at)
            if isinstance(predicted, str):
                errors[method].append(Error(float("inf")))
                parts.append(f"{method}: {predicted}")
                continue
            each = {key: error(predicted[key], executed[key]) for key in executed}
            errors[method] += each.values()
            parts.append(" ".join([method] + [text(predicted[key], each[key]) for key in executed]))
        print("; ".join(parts), flush=True)


def text(predicted, error):
    value, low, high = predicted
    between = f" {low:.0f}..{high:.0f}{'' if error.within else '!'}" if low != high else ""
    return f"{value:.0f}{between} ({error.share:.1%})"


def main():
    errors = {method: [] for method in options.methods.split(",") if method}
    for word in options.sources:
        check([pathlib.Path(each) for each in word.split("+")], errors)
    if not all(errors.values()):
        sys.exit("no kernel of the sources that has a remark is called so")
    failed = False
    bounds = {method: (float(median), float(worst)) for method, median, worst in
              (each.split(":") for each in options.bounds.split(",") if each)}
    for method, found in errors.items():
        known = [each for each in found if each.share < float("inf")] or found
        large = [each for each in known if each.share > 0.05]
        widths = sorted(each.width for each in known)
        median, worst = 100 * statistics.median(each.share for each in found), 100 * max(each.share for each in found)
        print(f"{method}: median {median:.2f} %, worst {worst:.2f} %, of {len(found)}, of which not predicted {len(found) - len(known)}; "
              f"above 5 % {len(large)}, of which within their intervals {sum(each.within for each in large)}; intervals' width: median "
              f"{statistics.median(widths):.1%}, 90th percentile {widths[len(widths) * 9 // 10]:.1%}, none {sum(each == 0 for each in widths)}")
        worst = 100 * max((each.share for each in found if not each.within), default=0)
        failed |= method in bounds and (median > bounds[method][0] or worst > bounds[method][1])
    return failed


if __name__ == "__main__":
    sys.exit(main())
