#!/usr/bin/python3
"""Checks that a plugin defines nothing that the LLVM library it links defines: no_copy_of_llvm.py PLUGIN

Functions that LLVM's headers define inline are weak in the library and do not count: each user has
its own. Exits 1 where there is a copy, or where the plugin uses nothing of LLVM at all.
"""

import re
import subprocess
import sys


def symbols(file, *options):
    """(kind, name) of the file's symbols, as llvm-nm prints them."""
    text = subprocess.run(["llvm-nm", "--format=posix", *options, file], check=True,
                          capture_output=True, text=True).stdout
    return [(row.split()[1], row.split()[0].split("@")[0]) for row in text.splitlines()
            if len(row.split()) > 1]


def main():
    plugin = sys.argv[1]
    linked = subprocess.run(["ldd", plugin], check=True, capture_output=True, text=True).stdout
    library = re.search(r"libLLVM\S* => (\S+)", linked)
    if not library:
        print(f"{plugin} does not link libLLVM")
        return 1
    strong = {name for kind, name in symbols(library[1], "-D", "--defined-only") if kind in "TDBR"}
    mine = symbols(plugin)
    used = {name for kind, name in mine if kind == "U"} & strong
    copies = sorted({name for kind, name in mine if kind in "TtDdBbRr"} & strong)
    print(f"{len(used)} symbols used of {library[1]}, {len(copies)} copied")
    print("\n".join(copies[:10]))
    return 1 if copies or not used else 0


if __name__ == "__main__":
    sys.exit(main())
