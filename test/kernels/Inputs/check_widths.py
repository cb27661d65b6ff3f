"""Vector widths in a record against what clang itself says with -Rpass=loop-vectorize.

check_widths.py --clang CLANG --plugin PLUGIN --ergon ERGON --work FOLDER [--but LINE:COLUMN,…] [FLAG…] SOURCE…

Each loop that clang says it vectorized must be in the record at that position, with that width and interleaving; the latter may be
not known where the vector loop is straight-line code now. No loop that clang says nothing of may be interleaved there.
"""
import argparse
import json
import re
import subprocess
import sys

parser = argparse.ArgumentParser()
for name in ("clang", "plugin", "ergon", "work"):
    parser.add_argument("--" + name, required=True)
parser.add_argument("--but", default="")
options, words = parser.parse_known_args()

build = subprocess.run([options.clang, "-O2", "-g", "-Rpass=loop-vectorize", f"-fpass-plugin={options.plugin}", "-mllvm",
                        f"-ergon-dir={options.work}", "-c", "-o", "/dev/null", *words], capture_output=True, text=True)
if build.returncode:
    sys.exit(build.stderr)
said = {(int(line), int(column)): (int(width), int(count)) for line, column, width, count in re.findall(
    r":(\d+):(\d+): remark: vectorized loop \(vectorization width: (\d+), interleaved count: (\d+)\)", build.stderr)}
shown = json.loads(subprocess.run([options.ergon, "show", options.work, "--json"], capture_output=True, text=True, check=True).stdout)
loops = {tuple(map(int, loop["at"].rsplit(":", 2)[1:])): (loop["vector_width"], loop["interleave"])
         for function in shown["functions"] for loop in function["loops"] if loop["at"]}
but = {tuple(map(int, each.split(":"))) for each in options.but.split(",") if each}
wrong = [f"{at}: clang says {said.get(at)}, the record {found}" for at, found in sorted(loops.items()) if at not in but
         if (found if found[1] else None) != said.get(at) and (found[1] or found[0] in (None, 1) or found[0] != said[at][0])]
print("\n".join(wrong + [f"{len(said)} vectorized loops, {len(loops)} loops"]))
sys.exit(1 if wrong or not said else 0)
