"""Runs scripts/quickstart.sh and scripts/check.sh with stand-ins for what they call: quickstart.py SOURCE FOLDER

Nothing is installed or compiled: a stand-in for cmake says what is to be built, and fails to build the page the second time."""
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys

source, folder = map(pathlib.Path, sys.argv[1:])
tree, programs = folder / "tree", folder / "bin"
(tree / "scripts").mkdir(parents=True)
programs.mkdir()
for name in ("quickstart.sh", "check.sh", "common.sh", "closing_line.py"):
    shutil.copy(source / "scripts" / name, tree / "scripts")


def stand_in(path, body):
    path.write_text("#!/bin/sh\n" + body)
    path.chmod(0o755)


stand_in(tree / "scripts" / "install-packages.sh", "")
stand_in(tree / "scripts" / "cuda-flags.sh", '[ "$CUDA" ] && exit; echo no CUDA; exit 1')
for name in ("clang-22", "clang++-22"):
    stand_in(programs / name, "")
stand_in(programs / "cmake", f'echo "$*" >> {folder}/calls\ncase "$*" in *report*) exit ${{PAGE_FAILS:-0}};; esac\n'
         'if [ "$SLOW" ]; then echo "[3/7] one"; sleep 1.5; fi\n')
stand_in(programs / "llvm-config-22", f"echo {programs}")
stand_in(programs / "lit", 'for each; do case $each in --output=*) echo \'{"tests": [{"name": "a", "code": "PASS"}]}\' > '
         '"${each#*=}";; esac; done\n')
for name in ("bin", "test"):
    (tree / "build" / name).mkdir(parents=True)
stand_in(tree / "build" / "bin" / "ergon", "")


def run(script="quickstart.sh", errors=subprocess.PIPE, **more):
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", **more}
    return subprocess.run([tree / "scripts" / script], env=environment, stdout=subprocess.PIPE, stderr=errors, text=True)


def steps(done):
    """`1 to 7 of 7` where the steps are counted so."""
    found = re.findall(r"^step (\d+) of (\d+): \S", done.stderr, re.MULTILINE)
    numbers, totals = [int(number) for number, _ in found], {total for _, total in found}
    return f"1 to {len(found)} of {''.join(totals)}" if numbers == list(range(1, len(found) + 1)) else done.stderr


print("steps:", steps(run()))
calls = [line.partition("--target ")[2] for line in (folder / "calls").read_text().splitlines() if "--target" in line]
print("build:", calls[0])
print("page:", calls[1])
done = run(PAGE_FAILS="1")
print(f"without a network: exit status {done.returncode},",
      "the page of `ergon report` was left out" if "The page of `ergon report` was left out" in done.stdout else done.stdout)
print("steps with CUDA:", steps(run(CUDA="1")))
done = run("check.sh")
print("steps of check.sh:", steps(done))
print("last line of check.sh:", done.stdout.splitlines()[-1])
ours, terminal = pty.openpty()
run("check.sh", errors=terminal, SLOW="1")
print("on a terminal:", re.search(r"\[3/7\]", os.read(ours, 4096).decode())[0])
