#!/usr/bin/python3
"""Runs a program plainly and with more rights than this process has: privileged.py PROGRAM MADE...

PROGRAM prints AT_SECURE (getauxval(3)). Each MADE must be there after the plain run, and not after the other.
"""

import os
import pathlib
import shutil
import stat
import subprocess
import sys

program, *made = sys.argv[1:]


def run():
    """AT_SECURE, and which of the files are there."""
    secure = subprocess.run([program], check=True, capture_output=True, text=True).stdout.strip()
    there = [path for path in made if os.path.exists(path)]
    for path in map(pathlib.Path, there):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return secure, there


plain = run()
if plain != ("0", made):
    sys.exit(f"without more rights: {plain}")
# setgid to a group that is not this process's: root may take any, others one that they are in.
groups = [65534] if os.getuid() == 0 else [each for each in os.getgroups() if each != os.getgid()]
if not groups:
    sys.exit(0)
os.chown(program, -1, groups[0])
os.chmod(program, 0o755 | stat.S_ISGID)
secure, there = run()
if secure == "0":
    print("this file system, or this process, gives no rights by setgid: not tested")
elif there:
    sys.exit(f"with more rights there are {there}")
