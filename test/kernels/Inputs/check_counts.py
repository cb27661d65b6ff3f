"""Predicted counts of functions against executed ones, at several sizes.

check_counts.py … --work FOLDER SOURCE… -- ENTRY: NAME=A,B,C NAME=A,B,C ENTRY: NAME=A,B,C …

Builds the sources once as scalar code with the plugin (O2) and once at -O0. Predicts each ENTRY with the
first values, the second ones and so on, and holds the counts against what the program executes with
the entry's name and these values as its arguments. @NAME=… is for the program alone, +NAME=… for the prediction alone; there NAME
may be a pattern that one of the prediction's unbound symbols matches.

  O2: flops_*, div_*, sqrt_*, loads_memory, stores_memory and their bytes must be equal.
  O0: flops_* of the `source` snapshot must be equal, at the second size.
  v3: vector code, -O2 -march=x86-64-v3; flops_* and fma_* of the `machine` snapshot must be equal. On demand (--levels v3).

Fortran sources (.f90) are built with flang, module files first, and the entry's name is the program's own.
--openmp RUNTIME builds with -fopenmp and counts a run with as many threads as the value omp.threads says,
of the entry and of its parallel regions; --serial predicts so, and runs a program that is built without.

--runtime LIBRARY has an instrumented build, run with the library, find the values of unknowns: `predict --bindings`.

--callees REGEX counts further functions with the entry; --only a,b leaves all but these classes out.
"""
import argparse
import fnmatch
import json
import os
import re
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
import executed_counts  # noqa: E402
from executable import OracleError  # noqa: E402

COMMON = "-fno-math-errno -gdwarf-4 -no-pie".split()
SCALAR = "-fno-vectorize -fno-slp-vectorize -ffp-contract=off -march=x86-64-v2".split()
FLAGS = {"O2": ["-O2", *SCALAR], "O0": ["-O0", *SCALAR], "v3": ["-O2", "-march=x86-64-v3"]}
SNAPSHOT = {"O2": "algorithm", "O0": "source", "v3": "machine"}
FLOPS = [f"{family}_{kind}" for family in ("flops", "div", "sqrt") for kind in ("f32", "f64")]
ACCESSES = [f"{what}_memory" for what in ("loads", "stores", "load_bytes", "store_bytes")]
CLASSES = {"O2": ACCESSES, "O0": [], "v3": ["fma_f32", "fma_f64"]}

parser = argparse.ArgumentParser()
for name in ("ergon", "plugin", "bin", "separate-runs", "work"):
    parser.add_argument("--" + name, required=True)
parser.add_argument("--callees", default="")
parser.add_argument("--only", default="")
parser.add_argument("--levels", default="O2,O0")
parser.add_argument("--openmp", default="", metavar="RUNTIME")
parser.add_argument("--serial", action="store_true")
parser.add_argument("--flang", default="")
parser.add_argument("--runtime", default="", metavar="LIBRARY")
parser.add_argument("sources", nargs="+")
split = sys.argv.index("--")
options = parser.parse_args(sys.argv[1:split])
is_fortran = any(source.endswith(".f90") for source in options.sources)
entries = []
for word in sys.argv[split + 1:]:
    if word.endswith(":"):
        entries.append((word[:-1], []))
    else:
        name, values = word.split("=")
        entries[-1][1].append([f"{name}={value}" for value in values.split(",")])
runs = [(entry, list(zip(*columns, strict=True))) for entry, columns in entries]


def output(*command, status=0):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != status:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def symbol(entry):
    """The pattern that matches just the entry among the program's demangled functions."""
    if is_fortran:
        *modules, name = entry.split("::")
        entry = "_Q" + "".join("M" + each for each in modules) + "P" + name if modules else name + "_"
    regions = r"(\.\.?omp.*)?" if options.openmp else ""
    return rf"^(\w+ )?{re.escape(entry)}{regions}(\(.*)?$"


def build(level, folder):
    """The program to run, and the records of its code, in the folder."""
    program, flags = folder / "program", [*FLAGS[level], *COMMON]
    record = [f"-fpass-plugin={options.plugin}", "-mllvm", f"-ergon-dir={folder}",
              "-mllvm", f"-ergon-snapshots={SNAPSHOT[level]}"]
    if options.runtime:
        record += ["-mllvm", "-ergon-instrument"]
    openmp = ["-fopenmp"] if options.openmp else []
    libraries = ["-lm", *([options.openmp] if options.openmp else [])]
    if is_fortran:
        flags.remove("-fno-math-errno")
        objects = [f"{folder}/{pathlib.Path(source).stem}.o" for source in options.sources]
        for source, compiled in zip(options.sources, objects):
            output(options.flang, *flags, *openmp, *record, "-J", str(folder), "-c", source, "-o", compiled)
        output(options.flang, "-no-pie", *objects, *libraries, "-o", program)
        return program
    if any(source.endswith(".cpp") for source in options.sources):
        compiler = [pathlib.Path(options.bin, "clang++"), "-std=c++20", *flags]
    else:
        compiler = [pathlib.Path(options.bin, "clang"), *flags]
    objects = []
    for source in options.sources:
        objects.append(f"{folder}/{pathlib.Path(source).stem}.o")
        output(*compiler, *openmp, *record, "-c", source, "-o", objects[-1])
    if options.runtime:
        output(compiler[0], "-no-pie", *objects, *libraries, "-o", f"{program}.counting")
    if options.serial or options.runtime:
        for source, compiled in zip(options.sources, objects):
            output(*compiler, "-c", source, "-o", compiled)
    output(compiler[0], "-no-pie", *objects, *libraries, "-o", program)
    return program


def bindings(program, arguments):
    """The --bindings options after a run that counts."""
    if not options.runtime:
        return []
    folder = f"{program}.runs"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([f"{program}.counting", *arguments], check=True,
                   env={**os.environ, "ERGON_RUN_DIR": folder, "LD_PRELOAD": options.runtime})
    return ["--bindings", folder]


def settings(predict, values):
    """The --set options of one run."""
    sets = []
    for name, value in (each.split("=") for each in values if each[0] != "@"):
        if set("*?") & set(name):
            done = subprocess.run(predict, capture_output=True, text=True)
            [name] = fnmatch.filter(json.loads(done.stdout)["unbound"], name.lstrip("+"))
        sets += ["--set", f"{name.lstrip('+')}={value}"]
    return sets


def words_of(entry, values):
    """The run of the program: its environment and its arguments."""
    threads = [value.split("=")[1] for value in values if value.startswith("omp.threads=")]
    return [f"OMP_NUM_THREADS={threads[0] if threads else 1}", entry,
            *(value.split("=")[1] for value in values if value[0] != "+" and not value.startswith("omp."))]


failed = False
for level in options.levels.split(","):
    folder = pathlib.Path(options.work, level)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.ergon.json"):
        old.unlink()
    program = build(level, folder)
    # At -O0 the middle size will do.
    of_level = [(entry, entry.split("(")[0], each) for entry, sizes in runs
                for each in (sizes[len(sizes) // 2:][:1] if level == "O0" else sizes)]
    try:
        executed = executed_counts.count_runs(
            str(program), [(symbol(base) + (f"|{options.callees}" if options.callees else ""), words_of(base, values))
                           for _, base, values in of_level], options.separate_runs)
    except OracleError as error:
        sys.exit(f"{level}: {error}")
    for (entry, base, values), found in zip(of_level, executed, strict=True):
        predict = [options.ergon, "predict", "--strict", folder, "--entry", entry, "--json"]
        counts = json.loads(output(*predict, *settings(predict, values), *bindings(program, words_of(base, values)[1:])))["counts"]
        accesses = [] if options.openmp and not options.serial else CLASSES[level]
        classes = options.only.split(",") if options.only else FLOPS + accesses
        differ = [f"{name}: predicted {counts.get(name, 0)}, executed {found.get(name, 0)}"
                  for name in classes if counts.get(name, 0) != found.get(name, 0)]
        apart = {name: found[name] for name in ("loads_stack", "stores_stack", "loads_constant") if name in found}
        print(f"{level} {entry} {' '.join(values)}: " + ("; ".join(differ) if differ else "equal: " + ", ".join(
            f"{name}={counts[name]}" for name in classes if name in counts)) + f"  (apart: {apart})")
        failed |= bool(differ)
sys.exit(failed)
