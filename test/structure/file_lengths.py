#!/usr/bin/python3
"""Checks that no source file has more than 500 lines: file_lengths.py TREE

A file that must be longer stands in EXCEPTIONS with its reason; an exception that is no longer needed
is a finding too.
"""

import pathlib
import sys

LIMIT = 500
SUFFIXES = (".h", ".c", ".cpp", ".cu", ".py", ".sh", ".cmake", ".ll", ".test", ".ts", ".mjs", ".css")
SKIPPED = ("build", "node_modules", ".")  # how the names of folders start that hold nothing of ours

# path -> why it is longer
EXCEPTIONS = {}


def sources(folder):
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            if not path.name.startswith(SKIPPED):
                yield from sources(path)
        elif path.suffix in SUFFIXES:
            yield path


def main():
    tree = pathlib.Path(sys.argv[1])
    lengths = {str(path.relative_to(tree)): len(path.read_bytes().splitlines())
               for path in sources(tree)}
    long = {path: lines for path, lines in lengths.items() if lines > LIMIT}
    findings = [f"{path}: {lines} lines, at most {LIMIT}: split it, or name it in EXCEPTIONS"
                for path, lines in long.items() if path not in EXCEPTIONS]
    findings += [f"{path}: needs no exception" for path in EXCEPTIONS if path not in long]
    if not lengths:
        findings.append(f"no source file in {tree}")
    print("\n".join(findings) if findings else f"{len(lengths)} files, the longest {max(lengths.values())} lines")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
