"""Bytes from memory of whole programs, predicted from `main`, against callgrind's caches.

check_programs.py --ergon E --plugin P --bin DIR --work FOLDER [--caches D1,LL]… [--methods analytic,simulate] FOLDER_OF_SOURCES [NAME…]

A program is NAME-*.c or NAME-*.cpp, each file compiled by itself. What is executed is all that `main` runs, with caches (BYTES/WAYS/LINE) that the
program's start leaves; what is predicted is `bytes_dram`. A line for each program, caches and method. Exits 1 where one is off by more than 25 %
and not in its interval, or where that is wider than four times.
"""
import argparse
import json
import pathlib
import subprocess
import sys

FLAGS = "-O2 -fno-vectorize -fno-slp-vectorize -ffp-contract=off -march=x86-64-v2 -fno-math-errno -gdwarf-4".split()
SHARE, WIDTH = 0.25, 4

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
for name in ("ergon", "plugin", "bin", "work"):
    parser.add_argument("--" + name, required=True)
parser.add_argument("--caches", action="append", default=[])
parser.add_argument("--methods", default="analytic,simulate")
parser.add_argument("--set", action="append", default=[], help="NAME=VALUE or PROGRAM:NAME=VALUE")
parser.add_argument("sources", type=pathlib.Path)
parser.add_argument("names", nargs="*")
options = parser.parse_args()


def output(*command, cwd=None):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=cwd)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(name, folder):
    """The program, with the records of its code in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.ergon.json"):
        old.unlink()
    objects = []
    for source in sorted(options.sources.glob(name + "-*.c*")):
        compiler = "clang++" if source.suffix == ".cpp" else "clang"
        objects.append(folder / (source.name + ".o"))
        # In their folder, so that positions are those of plain names.
        output(pathlib.Path(options.bin, compiler), *FLAGS, f"-fpass-plugin={options.plugin}", "-mllvm", f"-ergon-dir={folder}",
               "-mllvm", "-ergon-snapshots=algorithm", "-c", source.name, "-o", objects[-1], cwd=options.sources)
    output(pathlib.Path(options.bin, "clang++"), "-no-pie", *objects, "-lm", "-o", folder / "program")
    return folder / "program"


def execute(program, levels):
    """Bytes between LL and memory while `main` runs."""
    d1, ll = (",".join(map(str, each)) for each in levels)
    out = program.with_suffix(".callgrind")
    done = subprocess.run(["valgrind", "--tool=callgrind", "--cache-sim=yes", "--simulate-wb=yes", f"--D1={d1}", f"--LL={ll}", "--I1=32768,8,64",
                           "--toggle-collect=main", f"--callgrind-out-file={out}", program], capture_output=True, text=True)
    lines = out.read_text().splitlines() if out.exists() else sys.exit(done.stderr)
    events, totals = ([line.split()[1:] for line in lines if line.startswith(key)][0] for key in ("events:", "totals:"))
    found = dict(zip(events, map(int, totals)))
    return levels[1][2] * sum(found.get(each, 0) for each in ("DLmr", "DLmw", "DLdmr", "DLdmw"))


def predict(name, folder, method, levels):
    """(bytes, least, most), or why nothing is predicted."""
    # Callgrind's D1 hands stores on; the analysis has no such caches.
    through = "/through" if method == "simulate" else ""
    caches = ",".join(f"l{number}={size}/{ways}/{line}" + through * (number == 1) for number, (size, ways, line) in enumerate(levels, 1))
    sets = [each.split(":", 1)[-1] if each.split(":")[0] == name else each for each in options.set
            if ":" not in each.split("=")[0] or each.split(":")[0] == name]
    done = subprocess.run([options.ergon, "predict", "--strict", str(folder), "--entry", "main", "--json", "--cache", method, "--caches", caches,
                           *[word for each in sets for word in ("--set", each)]], capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip() or str(json.loads(done.stdout).get("unbound"))
    level = json.loads(done.stdout)["traffic"]["levels"][-1]
    value = level["bytes_beyond"]
    between = level.get("between_bytes", {"low": value, "high": value})
    return value, max(0, between["low"]), between["high"]


def main():
    failed = False
    names = options.names or sorted({each.name.split("-")[0] for each in options.sources.glob("*-main.c*")})
    for name in names:
        folder = pathlib.Path(options.work, name).resolve()
        program = build(name, folder)
        for caches in options.caches or ["4096/4/64,32768/8/64"]:
            levels = [tuple(map(int, each.split("/"))) for each in caches.split(",")]
            executed = execute(program, levels)
            for method in options.methods.split(","):
                failed |= not check(name, method, caches, predict(name, folder, method, levels), executed)
    return failed


def check(name, method, caches, found, executed):
    """Whether it is near enough; prints it."""
    if isinstance(found, str):
        print(f"{name} {caches} {method}: {found}", flush=True)
        return False
    value, low, high = found
    share = (value - executed) / executed
    within, narrow = low <= executed <= high, high <= WIDTH * low
    good = abs(share) <= SHARE or (within and narrow)
    between = f", {low:.0f} to {high:.0f}{'' if within else ', which it is not'}" if low != high else ""
    print(f"{name} {caches} {method}: executed {executed}, predicted {value:.0f} ({share:+.1%}){between}{'' if good else ' BAD'}", flush=True)
    return good


if __name__ == "__main__":
    sys.exit(main())
