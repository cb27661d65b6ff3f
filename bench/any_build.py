#!/usr/bin/python3
"""Records of one project under several builds: any_build.py ERGON_BUILD [--source DIR] [--tests]

GoogleTest as Debian packages it (/usr/src/googletest: library, mocks, samples; more with --tests) is recorded
with -j2 under Make and under Ninja, each without a cache, with ccache's empty, and with ccache once more, which
then has all. All are built in a folder of one name, as its name is in the records. Prints a table, and
exits 1 where object files are not the same, byte for byte, or records are not but for the two keys that say where the
compiler ran.
"""

import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time


def run(command, **environment):
    done = subprocess.run(command, env=os.environ | environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout[-2000:]}")
    return done.stdout


def objects(folder):
    """What each object file of the project holds, by its name; the configuration's checks are none."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*.o")) if "CompilerId" not in str(path)}


class Project:
    def __init__(self, arguments, folder):
        self.ergon = arguments.build.resolve() / "bin" / "ergon"
        self.source = arguments.source
        self.options = ["-DCMAKE_C_COMPILER=clang-22", "-DCMAKE_CXX_COMPILER=clang++-22",
                        "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-Dgtest_build_samples=ON"]
        if arguments.tests:
            self.options += ["-Dgtest_build_tests=ON"]
        self.folder = folder

    def build(self, generator, records=None, launcher=None):
        """Seconds that it took, and the object files."""
        build = self.folder / "build"
        shutil.rmtree(build, ignore_errors=True)
        launch = [f"-DCMAKE_{language}_COMPILER_LAUNCHER={launcher}" for language in ("C", "CXX")] if launcher else []
        run(["cmake", "-G", generator, "-S", self.source, "-B", build, *self.options, *launch])
        command = ["cmake", "--build", build, "-j", "2"]
        if records:
            command = [self.ergon, "record", "-d", records, "--", *command]
        begin = time.monotonic()
        said = run(command, CCACHE_DIR=str(self.folder / "cache"))
        return time.monotonic() - begin, objects(build), said


WHERE = re.compile(rb'"object":"[^"]*","directory":"[^"]*",')


def differences(one, other):
    """Names of the records that are not the same in two folders: as they are, and but for where the compiler ran
    (CMake's Make runs it in each target's folder, Ninja in the top one)."""
    left, right = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in (one, other))
    unequal = sorted(name for name in left.keys() | right.keys() if left.get(name) != right.get(name))
    return unequal, [name for name in unequal
                     if WHERE.sub(b"", left.get(name, b"")) != WHERE.sub(b"", right.get(name, b""))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--source", type=pathlib.Path, default=pathlib.Path("/usr/src/googletest"))
    parser.add_argument("--tests", action="store_true", help="GoogleTest's own tests too")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        project = Project(arguments, folder)
        plain = {generator: project.build(generator) for generator in ("Unix Makefiles", "Ninja")}
        rows = []
        for title, generator, launcher, into in (
                ("Make -j2", "Unix Makefiles", None, "make"),
                ("Make -j2, ccache, cold", "Unix Makefiles", "ccache", "make-cold"),
                ("Make -j2, ccache, again", "Unix Makefiles", "ccache", "make-hits"),
                ("Ninja -j2", "Ninja", None, "ninja"),
                ("Ninja -j2, ccache, cold", "Ninja", "ccache", "ninja-cold"),
                ("Ninja -j2, ccache, again, over the first's", "Ninja", "ccache", "ninja-cold")):
            run(["ccache", "-z"], CCACHE_DIR=str(folder / "cache"))
            seconds, made, said = project.build(generator, folder / into, launcher)
            statistics = run(["ccache", "--print-stats"], CCACHE_DIR=str(folder / "cache")) if launcher else ""
            hits = sum(int(line.split()[1]) for line in statistics.splitlines()
                       if line.split()[0] in ("direct_cache_hit", "preprocessed_cache_hit"))
            rows.append((title, seconds, len(made), hits, len(list((folder / into).iterdir())),
                         differences(folder / ("ninja" if generator == "Ninja" else "make"), folder / into)[0],
                         differences(folder / "make", folder / into)[1], made == plain[generator][1], said.splitlines()[-1]))
    print("without Ergon: " + ", ".join(f"{name} {seconds:.0f} s" for name, (seconds, *_) in plain.items()) + "\n")
    print("| build | s | object files | of these hits | records | not the bytes of its first row "
          "| not those of Make's, but for where the compiler ran | object files as without |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for title, seconds, made, hits, records, unequal, beyond, same, _ in rows:
        print(f"| {title} | {seconds:.0f} | {made} | {hits} | {records} | {len(unequal)} | {len(beyond)} "
              f"| {'yes' if same else 'no'} |")
    for title, *_, unequal, beyond, _, said in rows:
        print(f"\n{title}: {said}" + "".join(f"\n  {each}" for each in (unequal + beyond)[:10]), file=sys.stderr)
    return any(unequal or beyond or not same or not records
               for _, _, _, _, records, unequal, beyond, same, _ in rows)


if __name__ == "__main__":
    sys.exit(main())
