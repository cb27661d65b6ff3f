#!/usr/bin/python3
"""How much longer clang -O2 takes with the plugin: the ratio of the two, in one run.

usage: compile_time.py [--build DIR] [--rounds N] [SOURCE…]

SOURCE defaults to five large translation units: those of bench/inputs, and a source of the plugin's own
(LLVM's headers). Plain and recording compilations alternate, so that a busy machine slows both; the
figure of a source is the ratio of the smallest user times of each, with the ratio of the medians beside
it. The object files must be identical.
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
SOURCES = sorted((ROOT / "bench/inputs").glob("*.c*")) + [ROOT / "passes/ScevToExpr.cpp"]


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def cuda_flags():
    flags = output(str(ROOT / "scripts/cuda-flags.sh"))
    toolkit = next(flag.split("=")[1] for flag in flags if flag.startswith("--cuda-path="))
    return flags + ["-isystem", f"{toolkit}/include/cccl"]


def user_seconds(command):
    """User time of one run of command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def ratio_of(source, plugin, rounds):
    """Prints the figures of one source; the ratio of the smallest times."""
    with tempfile.TemporaryDirectory() as folder:
        objects = [os.path.join(folder, name) for name in ("plain.o", "recorded.o")]
        plain = ["clang++-22", "-O2", "-std=c++23" if source.suffix == ".cpp" else "-std=c++20", f"-I{ROOT}",
                 "-isystem", "/usr/include/eigen3", "-isystem", *output("llvm-config-22", "--includedir"),
                 *(cuda_flags() if source.suffix == ".cu" else []), "-w", "-c", str(source)]
        recording = [f"-fpass-plugin={plugin}", "-mllvm", f"-ergon-dir={folder}/records"]
        times = [[], []]
        for _ in range(rounds):
            times[0].append(user_seconds(plain + ["-o", objects[0]]))
            times[1].append(user_seconds(plain + recording + ["-o", objects[1]]))
        if not filecmp.cmp(*objects, shallow=False):
            raise SystemExit(f"{source.name}: the object files differ")
        size = sum(path.stat().st_size for path in pathlib.Path(folder, "records").iterdir())
        least = min(times[1]) / min(times[0])
        print(f"{source.name:24} plain {min(times[0]):6.2f} s, recorded {min(times[1]):6.2f} s, records {size / 1e6:4.1f} MB, "
              f"ratio {least:.3f} of the minima, {statistics.median(times[1]) / statistics.median(times[0]):.3f} of the medians",
              flush=True)
        return least


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("sources", nargs="*", type=pathlib.Path, default=SOURCES)
    options = parser.parse_args()
    ratios = [ratio_of(source, f"{options.build}/lib/ErgonPasses.so", options.rounds) for source in options.sources]
    print(f"{len(ratios)} sources, {options.rounds} rounds: median {statistics.median(ratios):.3f}, worst {max(ratios):.3f}")


if __name__ == "__main__":
    main()
