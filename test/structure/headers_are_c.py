#!/usr/bin/python3
"""Compiles each header of a folder as C, by itself: headers_are_c.py CLANG FOLDER"""

import pathlib
import subprocess
import sys


def main():
    clang, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    headers = sorted(folder.glob("*.h"))
    bad = [header for header in headers if subprocess.run(
        [clang, "-x", "c", "-std=c11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-pedantic-errors",
         "-I", folder.parent, header]).returncode]
    print(f"{len(headers)} headers, not C: {[str(header) for header in bad]}")
    return 1 if bad or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
