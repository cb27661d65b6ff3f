#!/usr/bin/python3
"""How much longer clang takes with the plugin: the ratio of the two, in one run.

usage: compile_time.py [--build DIR] [--rounds N] [--level "-O0 -g"] [SOURCE…]
       compile_time.py --shapes [--doublings N] [--only NAME,…] [--most-growth X --most-ratio Y] …

SOURCE defaults to five large translation units: those of bench/inputs, and a source of the plugin's own
(LLVM's headers). Plain and recording compilations alternate, so that a busy machine slows both; the
figure of a source is the ratio of the smallest user times of each, with the ratio of the medians beside
it. The object files must be identical.

With --shapes: generated sources of one kind of code each (bench/long_sources.py), of N, 2N, 4N, …
repetitions, at -O0. The user time is to grow as clang's own does. --most-growth and --most-ratio: exit status 1 where the
time with the plugin grows by more from one size to the next, or is more than so many times clang's.
"""
import argparse
import filecmp
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from long_sources import SHAPES  # noqa: E402

SOURCES = sorted((ROOT / "bench/inputs").glob("*.c*")) + [ROOT / "passes/symbolic/ScevToExpr.cpp"]


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


def compiler_of(source):
    return "clang-22" if source.suffix == ".c" else "clang++-22"


def language_flags(source):
    if source.suffix == ".c":
        return []
    return ["-std=c++23" if source.suffix == ".cpp" else "-std=c++20", f"-I{ROOT}", "-isystem", "/usr/include/eigen3",
            "-isystem", *output("llvm-config-22", "--includedir"), *(cuda_flags() if source.suffix == ".cu" else [])]


class Shape:
    """One kind of code: user times, plain and recorded, by the number of repetitions."""

    def __init__(self, name, folder, plugin, level, doublings):
        write, first = SHAPES[name]
        self.name = name
        self.sizes = [first << doubling for doubling in range(doublings + 1)]
        self.least = {}
        self.commands = {}
        for size in self.sizes:
            source = pathlib.Path(folder, f"{name}_{size}.c")
            source.write_text(write(size))
            plain = ["clang-22", *level.split(), "-w", "-fbracket-depth=100000", "-c", str(source), "-o", "/dev/null"]
            self.commands[size] = [plain, plain + [f"-fpass-plugin={plugin}", "-mllvm", f"-ergon-dir={folder}/records"]]

    def measure(self):
        for size, commands in self.commands.items():
            taken = [user_seconds(command) for command in commands]
            self.least[size] = [min(pair) for pair in zip(taken, self.least.get(size, taken))]

    def growth(self):
        """The largest ratio of the recorded times at one size and the one before."""
        recorded = [self.least[size][1] for size in self.sizes]
        return max(after / before for before, after in zip(recorded, recorded[1:]))

    def ratio(self):
        plain, recorded = self.least[self.sizes[-1]]
        return recorded / plain

    def row(self):
        cells = "".join(f" {size}: {plain:.3f} {recorded:.3f} s," for size, (plain, recorded) in self.least.items())
        return f"{self.name:16}{cells} grows by {self.growth():.2f}, ratio {self.ratio():.2f}"


def measure_shapes(options, plugin):
    """True where no shape is beyond the limits. One that is is measured again: a busy machine only adds."""
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only.split(",") if options.only else SHAPES:
            shape = Shape(name, folder, plugin, options.level or "-O0", options.doublings)
            for attempt in range(options.rounds if options.most_growth is None else 4 * options.rounds):
                shape.measure()
                within = shape.growth() <= (options.most_growth or 1e9) and shape.ratio() <= (options.most_ratio or 1e9)
                if attempt + 1 >= options.rounds and within:
                    break
            print(shape.row() + ("" if within else ": TOO MUCH"), flush=True)
            good &= within
    return good


def ratio_of(source, plugin, rounds, level):
    """Prints the figures of one source; the ratio of the smallest times."""
    with tempfile.TemporaryDirectory() as folder:
        objects = [os.path.join(folder, name) for name in ("plain.o", "recorded.o")]
        plain = [compiler_of(source), *level.split(), *language_flags(source), "-w", "-c", str(source)]
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
    parser.add_argument("--plugin", help="the plugin, where it is not that of --build")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--level", help="flags of the optimization level; -O2, and -O0 with --shapes")
    parser.add_argument("--shapes", action="store_true")
    parser.add_argument("--doublings", type=int, default=2)
    parser.add_argument("--only", help="shapes, with commas between")
    parser.add_argument("--most-growth", type=float)
    parser.add_argument("--most-ratio", type=float)
    parser.add_argument("sources", nargs="*", type=pathlib.Path, default=SOURCES)
    options = parser.parse_args()
    plugin = options.plugin or f"{options.build}/lib/ErgonPasses.so"
    if options.shapes:
        sys.exit(not measure_shapes(options, plugin))
    ratios = [ratio_of(source, plugin, options.rounds, options.level or "-O2") for source in options.sources]
    print(f"{len(ratios)} sources, {options.rounds} rounds: median {statistics.median(ratios):.3f}, worst {max(ratios):.3f}")


if __name__ == "__main__":
    main()
