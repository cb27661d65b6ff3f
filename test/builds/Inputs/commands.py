"""Prints a compilation database with what a build system may say in it: commands.py PROJECT CLANG"""

import json
import pathlib
import sys

project, clang = sys.argv[1:]
pathlib.Path(project, "bad.c").write_text('#include "no-such-header.h"\n')
pathlib.Path(project, "with space.c").write_text("double twice(double x) { return FACTOR * x; }\n")
print(json.dumps([
    {"directory": project, "file": "b/f.c", "output": "b/f.o",
     "arguments": ["ccache", clang, "-O2", "-g", "-MD", "-MF", "b/f.d", "-save-temps=obj", "-c", "b/f.c", "-ob/f.o"]},
    {"directory": project, "file": "with space.c",
     "command": f"{clang} -O2 -g '-DFACTOR=2 * 1' -c with\\ space.c -o \"with space.o\""},
    {"directory": project, "file": "bad.c", "command": f"{clang} -O2 -c bad.c -o bad.o"},
    {"directory": project, "file": "main.c", "command": "gcc -O2 -c main.c -o main.o"},
    {"directory": project, "file": "a/f.c", "command": "gcc -O2 -c a/f.c -o a/f.o"},
]))
