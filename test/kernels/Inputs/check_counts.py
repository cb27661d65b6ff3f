"""Predicted counts of functions against executed ones, at several sizes.

check_counts.py … --work FOLDER SOURCE… -- ENTRY: NAME=A,B,C NAME=A,B,C ENTRY: NAME=A,B,C …

Builds the sources once as scalar code with the plugin (O2) and once at -O0. Predicts each ENTRY with the
first values, the second ones and so on, and holds the counts against what the program executes with
the entry's name and these values as its arguments. @NAME=… is for the program alone, +NAME=… for the prediction alone; there NAME
may be a pattern that one of the prediction's unbound symbols matches.

  O2: flops_*, div_*, sqrt_*, loads_memory, stores_memory and their bytes must be equal.
  O0: flops_* of the `source` snapshot must be equal, at the second size.
  v3: vector code, -O2 -march=x86-64-v3; flops_* and fma_* of the `machine` snapshot must be equal. On demand (--levels v3).

--callees REGEX counts further functions with the entry; --only a,b leaves all but these classes out.
"""
import argparse
import fnmatch
import json
import re
import pathlib
import subprocess
import sys

COMMON = "-fno-math-errno -gdwarf-4 -no-pie".split()
SCALAR = "-fno-vectorize -fno-slp-vectorize -ffp-contract=off -march=x86-64-v2".split()
FLAGS = {"O2": ["-O2", *SCALAR], "O0": ["-O0", *SCALAR], "v3": ["-O2", "-march=x86-64-v3"]}
SNAPSHOT = {"O2": "algorithm", "O0": "source", "v3": "machine"}
FLOPS = [f"{family}_{kind}" for family in ("flops", "div", "sqrt") for kind in ("f32", "f64")]
ACCESSES = [f"{what}_memory" for what in ("loads", "stores", "load_bytes", "store_bytes")]
CLASSES = {"O2": ACCESSES, "O0": [], "v3": ["fma_f32", "fma_f64"]}

parser = argparse.ArgumentParser()
for name in ("ergon", "plugin", "bin", "oracle", "work"):
    parser.add_argument("--" + name, required=True)
parser.add_argument("--callees", default="")
parser.add_argument("--only", default="")
parser.add_argument("--levels", default="O2,O0")
parser.add_argument("sources", nargs="+")
split = sys.argv.index("--")
options = parser.parse_args(sys.argv[1:split])
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
    return rf"^(\w+ )?{re.escape(entry)}(\(.*)?$"


def settings(predict, values):
    """The --set options of one run."""
    sets = []
    for name, value in (each.split("=") for each in values if each[0] != "@"):
        if set("*?[") & set(name):
            done = subprocess.run(predict, capture_output=True, text=True)
            [name] = fnmatch.filter(json.loads(done.stdout)["unbound"], name.lstrip("+"))
        sets += ["--set", f"{name.lstrip('+')}={value}"]
    return sets


failed = False
for level in options.levels.split(","):
    folder = pathlib.Path(options.work, level)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.ergon.json"):
        old.unlink()
    program = folder / "program"
    is_cpp = any(source.endswith(".cpp") for source in options.sources)
    output(pathlib.Path(options.bin, "clang++" if is_cpp else "clang"), *["-std=c++20"] * is_cpp, *FLAGS[level], *COMMON,
           f"-fpass-plugin={options.plugin}", "-mllvm", f"-ergon-dir={folder}", "-mllvm", f"-ergon-snapshots={SNAPSHOT[level]}",
           *options.sources, "-lm", "-o", program)
    # At -O0 the middle size will do.
    for entry, values in [(entry, each) for entry, sizes in runs
                          for each in (sizes[len(sizes) // 2:][:1] if level == "O0" else sizes)]:
        predict = [options.ergon, "predict", folder, "--entry", entry, "--json"]
        sets = settings(predict, values)
        prediction = output(*predict, *sets)
        base = entry.split("(")[0]
        pattern = symbol(base) + (f"|{options.callees}" if options.callees else "")
        arguments = [value.split("=")[1] for value in values if value[0] != "+"]
        found = json.loads(output(sys.executable, options.oracle, "--function", pattern, program, base, *arguments))
        counts = json.loads(prediction)["counts"]
        classes = options.only.split(",") if options.only else FLOPS + CLASSES[level]
        differ = [f"{name}: predicted {counts.get(name, 0)}, executed {found.get(name, 0)}"
                  for name in classes if counts.get(name, 0) != found.get(name, 0)]
        apart = {name: found[name] for name in ("loads_stack", "stores_stack", "loads_constant") if name in found}
        print(f"{level} {entry} {' '.join(values)}: " + ("; ".join(differ) if differ else "equal: " + ", ".join(
            f"{name}={counts[name]}" for name in classes if name in counts)) + f"  (apart: {apart})")
        failed |= bool(differ)
sys.exit(failed)
