#!/usr/bin/python3
"""Checks that nothing in a report's page says `long`: no_long.py TREE LIST

`long` has 64 bits in the command and 32 in WebAssembly, so a number could be another one in the page. Looked at are the
sources in LIST, a path in TREE on each line, and all that they include.
"""

import pathlib
import re
import sys

# Comments and strings are no code.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
# `long` alone, its literals, and the functions of the standard library that return it.
LONG = re.compile(r"\blong\b(?!\s+(?:long|double)\b)(?<!\blong long)|(?<![\w.'])\d[\da-fA-FxX']*(?:[uU]?[lL]|[lL][uU])\b"
                  r"|\b(?:strtou?l|stou?l|atol|labs|ldiv|lround[fl]?|lrint[fl]?)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def compiled(tree, listed):
    """The files that become WebAssembly."""
    waiting = [tree / path for path in listed.read_text(encoding="utf-8").split()]
    found = set()
    while waiting:
        path = waiting.pop()
        if path in found or not path.is_file():
            continue
        found.add(path)
        waiting += [tree / included for included in INCLUDE.findall(path.read_text(encoding="utf-8"))]
    return sorted(found)


def main():
    tree = pathlib.Path(sys.argv[1])
    files = compiled(tree, pathlib.Path(sys.argv[2]))
    findings = []
    for path in files:
        code = NO_CODE.sub(lambda text: "\n" * text[0].count("\n"), path.read_text(encoding="utf-8"))
        findings += [f"{path.relative_to(tree)}:{code[:at.start()].count(chr(10)) + 1}: {at[0]} has 32 bits in WebAssembly: "
                     "say std::int64_t" for at in LONG.finditer(code)]
    print("\n".join(findings) if findings else f"none in {len(files)} files")
    return 1 if findings or not files else 0


if __name__ == "__main__":
    sys.exit(main())
