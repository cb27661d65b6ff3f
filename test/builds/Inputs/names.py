#!/usr/bin/python3
"""Records a source file under names that are hard to handle: names.py FOLDER ERGON CLANG

FOLDER has f.c. Each name is that of the source, of the object file, of the folder where the compiler runs and of that of
the records. Prints how many gave one record that is read, with the name as it is written there.
"""

import json
import os
import pathlib
import subprocess
import sys

NAMES = {
    b"a b": "a b",
    b"%41%%%x": "%41%%%x",  # what stands for random digits in names of temporary files
    b"caf\xe9": "caf\\xe9",  # Latin-1
    b"\xff\xc0\xaf\xed\xa0\x80": "\\xff\\xc0\\xaf\\xed\\xa0\\x80",  # never in UTF-8; too long a form; half of a pair
    "naïve\U0001f600".encode(): "naïve\U0001f600",
    b"back\\xe9": "back\\x5cxe9",  # reads like a byte that is not UTF-8
    b"line\nbreak": "line\nbreak",
    b"-x": "-x",
    b"'\"$;*": "'\"$;*",
    b"n" * 250: "n" * 250,  # with .c and .o near the 255 that a name may have
}

folder, ergon, clang = os.fsencode(sys.argv[1]), sys.argv[2], sys.argv[3]
good = 0
for name, text in NAMES.items():
    place, records = folder + b"/in " + name[:200], folder + b"/of " + name[:200]
    os.mkdir(place)
    source, made = name + b".c", name + b".o"
    pathlib.Path(os.fsdecode(place + b"/" + source)).write_bytes(pathlib.Path(os.fsdecode(folder), "f.c").read_bytes())
    done = subprocess.run([ergon, "record", "-d", records, "--", clang, "-O2", "-g", "-c", b"./" + source, b"-o" + made],
                          cwd=place, capture_output=True)
    left = [os.path.join(records, each) for each in os.listdir(records)]
    shown = subprocess.run([ergon, "show", records], capture_output=True, text=True)
    record = json.loads(open(left[0], "rb").read()) if len(left) == 1 else {}
    if done.returncode == 0 and shown.returncode == 0 and "W = 2·n flop" in shown.stdout and (
            record["source"], record["object"], record["directory"]) == (
            f"./{text}.c", f"{text}.o", f"{sys.argv[1]}/in {text[:200]}"):
        good += 1
    else:
        print(name, done, left, shown, record.get("source"), sep="\n")
print(f"{good} of {len(NAMES)}")
