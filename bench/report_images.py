#!/usr/bin/python3
"""Takes the pictures of a report in docs/images: report_images.py [BUILD]

A program is recorded, its report written and opened in headless Chromium: light at the opening view, dark at the
source. Needs node, chromium, and what npm fetched for the build. BUILD is the build folder, by default `build`.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parent.parent
INPUTS = TREE / "test" / "report" / "page" / "Inputs"
MACHINE = "epyc-7763"


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else TREE / "build").resolve()
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "run.c")
        source.write_text((INPUTS / "run.c").read_text(encoding="utf-8"), encoding="utf-8")
        subprocess.run(["clang-22", "-O2", "-g", f"-fpass-plugin={build}/lib/ErgonPasses.so", "-mllvm",
                        f"-ergon-dir={folder}/record", "-c", source.name, "-o", "run.o"], check=True, cwd=folder)
        subprocess.run([build / "bin" / "ergon", "report", "record", "--machine", MACHINE, "-o", "report.html"],
                       check=True, cwd=folder)
        environment = {**os.environ, "NODE_PATH": str(build / "report" / "page" / "node_modules")}
        return subprocess.run(["node", INPUTS / "images.mjs", f"{folder}/report.html", TREE / "docs" / "images"],
                              env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
