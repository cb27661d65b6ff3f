#!/usr/bin/python3
"""How much longer clang -O2 takes with the plugin: the ratio of the two, in one run.

usage: compile_time.py [--build DIR] [--rounds N] [SOURCE]

SOURCE defaults to bench/inputs/eigen_and_json.cpp. Plain and recording compilations alternate, so
that a busy machine slows both; the figure is the ratio of the smallest user times of each, with the
ratio of the medians beside it. The object files must be identical.
"""
import argparse
import filecmp
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def user_seconds(command):
    """User time of one run of command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("source", nargs="?", default=str(ROOT / "bench/inputs/eigen_and_json.cpp"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        objects = [os.path.join(folder, name) for name in ("plain.o", "recorded.o")]
        plain = ["clang++-22", "-O2", "-isystem", "/usr/include/eigen3", "-c", options.source]
        recording = [f"-fpass-plugin={options.build}/lib/ErgonPasses.so", "-mllvm",
                     f"-ergon-dir={folder}/records"]
        times = [[], []]
        for _ in range(options.rounds):
            times[0].append(user_seconds(plain + ["-o", objects[0]]))
            times[1].append(user_seconds(plain + recording + ["-o", objects[1]]))
        if not filecmp.cmp(*objects, shallow=False):
            raise SystemExit("the object files differ")
        record = max(pathlib.Path(folder, "records").iterdir(), key=lambda path: path.stat().st_size)
        print(f"plain    min {min(times[0]):.2f} s, median {statistics.median(times[0]):.2f} s")
        print(f"recorded min {min(times[1]):.2f} s, median {statistics.median(times[1]):.2f} s, "
              f"record {record.stat().st_size / 1e6:.1f} MB")
        print(f"ratio    {min(times[1]) / min(times[0]):.3f} of the minima, "
              f"{statistics.median(times[1]) / statistics.median(times[0]):.3f} of the medians, "
              f"{options.rounds} rounds")


if __name__ == "__main__":
    main()
