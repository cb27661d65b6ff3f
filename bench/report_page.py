#!/usr/bin/python3
"""Measures the page of a report of 1,000 functions in 10,000 lines: report_page.py [BUILD [MOVES]]

Its size, how long until it is shown, and how long from a slider's move until all numbers in sight are new, in
headless Chromium. Needs node, chromium, and what npm fetched for the build. BUILD is the build folder, by default
`build`; MOVES of the slider, 60: in each of three pages as soon as it is shown, and in the first when all is computed.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parent.parent
INPUTS = TREE / "test" / "report" / "page" / "Inputs"


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else TREE / "build").resolve()
    moves = sys.argv[2] if len(sys.argv) > 2 else "60"
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "large.c")
        subprocess.run([sys.executable, INPUTS / "large.py", source], check=True)
        subprocess.run(["clang-22", "-O2", "-g", f"-fpass-plugin={build}/lib/ErgonPasses.so", "-mllvm",
                        f"-ergon-dir={folder}/record", "-c", source, "-o", f"{folder}/large.o"], check=True)
        report = pathlib.Path(folder, "report.html")
        subprocess.run([build / "bin" / "ergon", "report", f"{folder}/record", "-o", report], check=True)
        environment = {**os.environ, "NODE_PATH": str(build / "report" / "page" / "node_modules")}
        return subprocess.run(["node", INPUTS / "large.mjs", report, moves], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
