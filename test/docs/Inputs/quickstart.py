"""Runs scripts/quickstart.sh with stand-ins for what it calls: quickstart.py SOURCE FOLDER

Nothing is installed or compiled: a stand-in for cmake says what is to be built, and fails to build the page the second time."""
import os
import pathlib
import shutil
import subprocess
import sys

source, folder = map(pathlib.Path, sys.argv[1:])
tree, programs = folder / "tree", folder / "bin"
(tree / "scripts").mkdir(parents=True)
programs.mkdir()
for name in ("quickstart.sh", "common.sh"):
    shutil.copy(source / "scripts" / name, tree / "scripts")


def stand_in(path, body):
    path.write_text("#!/bin/sh\n" + body)
    path.chmod(0o755)


stand_in(tree / "scripts" / "install-packages.sh", "")
stand_in(tree / "scripts" / "cuda-flags.sh", "echo no CUDA; exit 1")
stand_in(programs / "clang-22", "")
stand_in(programs / "cmake", f'echo "$*" >> {folder}/calls\ncase "$*" in *report*) exit ${{PAGE_FAILS:-0}};; esac\n')
(tree / "build" / "bin").mkdir(parents=True)
stand_in(tree / "build" / "bin" / "ergon", "")


def run(**more):
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", **more}
    return subprocess.run([tree / "scripts" / "quickstart.sh"], env=environment, stdout=subprocess.PIPE, text=True)


run()
calls = [line.partition("--target ")[2] for line in (folder / "calls").read_text().splitlines() if "--target" in line]
print("build:", calls[0])
print("page:", calls[1])
done = run(PAGE_FAILS="1")
print(f"without a network: exit status {done.returncode},",
      "the page of `ergon report` was left out" if "The page of `ergon report` was left out" in done.stdout else done.stdout)
