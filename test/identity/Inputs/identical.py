"""Compiles sources with and without the plugin and compares the object files byte by byte.

identical.py --plugin P --clang C --work FOLDER [--levels "O0 -g,O2"] [--snapshots S] SOURCE… [-- FLAGS…]

With the plugin both snapshots are recorded where none is given, so that all of its code runs; each run must leave a record.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys

ALL = ",".join(f"-{level}{debug}" for level in ("O0", "O2", "O3 -march=x86-64-v3", "Os") for debug in ("", " -g"))

parser = argparse.ArgumentParser()
for name in ("plugin", "clang", "work"):
    parser.add_argument("--" + name, required=True)
parser.add_argument("--levels", default=ALL)
parser.add_argument("--snapshots", default="source,algorithm")
parser.add_argument("sources", nargs="+")
split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
options, flags = parser.parse_args(sys.argv[1:split]), sys.argv[split + 1:]


def build(source, level, target, *more):
    clang = options.clang + ("" if source.endswith(".c") else "++")
    language = ["-std=c++20"] if source.endswith(".cpp") else []
    done = subprocess.run([clang, *language, *flags, *level.split(), *more, "-c", source, "-o", target],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{source} {level}: {done.stderr}")
    return target.read_bytes()


work = pathlib.Path(options.work)
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
differ = []
for source in options.sources:
    for level in options.levels.split(","):
        records = work / "records"
        shutil.rmtree(records, ignore_errors=True)
        without = build(source, level, work / "object.o")
        with_plugin = build(source, level, work / "object.o", f"-fpass-plugin={options.plugin}", "-mllvm",
                            f"-ergon-dir={records}", "-mllvm", f"-ergon-snapshots={options.snapshots}")
        if not list(records.glob("*.ergon.json")):
            sys.exit(f"{source} {level}: no record was written")
        print(f"{source} {level}: {'identical' if with_plugin == without else 'DIFFERENT'}")
        if with_plugin != without:
            differ.append(f"{source} {level}")
sys.exit("different: " + ", ".join(differ) if differ else 0)
