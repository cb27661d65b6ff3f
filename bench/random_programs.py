#!/usr/bin/env python3
"""Counts that Ergon calls exact, of random programs, against what these programs execute.

random_programs.py --work FOLDER [--programs 2000] [--device 500] [--first 1] [--build FOLDER] [--smallest 0] [--only …]

The functions are those of test/oracle/generated_programs.py. Each file of them is compiled with the plugin, and once more as a twin that counts
its own stores and leaves a run where C's behaviour is undefined (clang's sanitizer), where it has no end, or after LIMIT steps; the first
two say nothing, the third that there are at least as many stores (`overrun`, where the number is smaller).
Kernels are compiled for sm_80 without CUDA's headers, and their twin runs each thread on the processor. Formulas of
`ergon show --json` are evaluated by test/oracle/formula_value.py. Where one that is called exact has another value than
the run, `ergon predict` is asked with the same values: a program is wrong where that calls a wrong number exact too. `declined` are
programs where it does not, or has the right number.

--smallest N leaves out parts of the first N wrong programs as long as they stay wrong, and prints what remains. Exits 1 where one is wrong.
"""
import argparse
import collections
import itertools
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "oracle"))
import formula_value  # noqa: E402
import generated_programs as programs  # noqa: E402
import program_values  # noqa: E402
import reduced_programs  # noqa: E402

LIMIT = 150_000  # iterations and ticks of one run
IN_FILE = 100
LEVELS = ["-O2"] * 6 + ["-O1", "-O3", "-O0", "-O2"]
SECONDS = 300
PATIENCE_S = 4
CONFIRMED = 4
ASKED = 8  # of one program in so many `ergon predict` is asked whether it differs or not
TWIN = """
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf Left;
#ifndef LIMIT
static unsigned long Ticks[4], Steps, Rounds;
static void step(void) {}
#define ROUND(...) ((void)0)
#else
static unsigned long Ticks[4], Steps, Rounds, Seen;
static void step(void) { if (++Steps > LIMIT) longjmp(Left, 1); }
/* Brent's method: what the variables were in round 1, 2, 4, 8, ... is compared with what they are. */
static void going(const long *State, unsigned long Count) {
  unsigned long Hash = 1469598103934665603ul;
  for (unsigned long I = 0; I < Count; ++I) {
    Hash = (Hash ^ (unsigned long)State[I]) * 0x9e3779b97f4a7c15ul;
    Hash ^= Hash >> 29;
  }
  if (Rounds && Hash == Seen) longjmp(Left, 3);
  if ((Rounds & (Rounds - 1)) == 0) Seen = Hash;
  ++Rounds;
  step();
}
#define ROUND(...) do { const long S[] = {__LINE__, __VA_ARGS__}; going(S, sizeof S / sizeof *S); } while (0)
#endif
#define TICK_A (step(), (void)Ticks[0]++)
#define TICK_B (step(), (void)Ticks[1]++)
#define TICK_C (step(), (void)Ticks[2]++)
#define TICK_D (step(), (void)Ticks[3]++)
typedef void *SINK;
#define KERNEL
#define __device__
static char Object[1 << 22];
#ifdef __cplusplus
#define C_NAME extern "C"
static struct { unsigned x, y, z; } threadIdx, blockIdx, blockDim, gridDim;
#else
#define C_NAME
#endif
"""
HANDLERS = ["add_overflow", "sub_overflow", "mul_overflow", "negate_overflow", "divrem_overflow", "shift_out_of_bounds",
            "float_cast_overflow"]
COUNTED = """
typedef volatile char *SINK;
#define TICK_A (*(volatile char *)v = 1)
#define TICK_B (*(volatile short *)v = 1)
#define TICK_C (*(volatile int *)v = 1)
#define TICK_D (*(volatile long *)v = 1)
#define ROUND(...) ((void)0)
#ifdef __cplusplus
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#include <__clang_cuda_builtin_vars.h>
#define KERNEL extern "C" __attribute__((global))
#else
extern char Object[1 << 22];
#endif
"""
COMMON = """#include <stdbool.h>
#include <stddef.h>
#define OBJECT(T) ((T *)(Object + (1 << 21)))
"""


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--device", type=int, default=500)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--plugin", type=pathlib.Path, help="else that of the build")
    parser.add_argument("--ergon", type=pathlib.Path, help="the same")
    parser.add_argument("--smallest", type=int, default=0)
    parser.add_argument("--only", default="", metavar="CATEGORY:SEED:LEVEL", help="several with commas between, or @FILE; `device:` before a kernel's")
    parser.add_argument("--failures", type=pathlib.Path, help="each wrong program as a line of JSON")
    parser.add_argument("--seconds", type=float, default=0, help="starts no file after them; without it, or 0, all are tried")
    parser.add_argument("--small", type=int, default=10, help="tuples of small values")
    parser.add_argument("--extreme", type=int, default=5, help="tuples with a value at an edge of a type")
    parser.add_argument("--patience", action="store_true", help="run what is beyond LIMIT to its end, as far as it has one in seconds")
    return parser.parse_args(arguments)


class Trouble(Exception):
    pass


class Batch:
    """Programs of one file, compiled at one level; `rows` has each one's values."""

    def __init__(self, options, listed, rows, level):
        self.options, self.programs, self.rows, self.level = options, listed, rows, level
        self.is_device = listed[0].is_kernel
        self.folder = options.work / "batch"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.records = self.folder / "records"
        self.llvm = pathlib.Path(options.llvm)

    def run(self, *command, text=None, seconds=SECONDS):
        try:
            return subprocess.run([str(word) for word in command], capture_output=True, text=True, input=text, cwd=self.folder,
                                  timeout=seconds)
        except subprocess.TimeoutExpired:
            raise Trouble(f"longer than {seconds} s: {' '.join(map(str, command))}") from None

    def checked(self, *command, **more):
        done = self.run(*command, **more)
        if done.returncode:
            raise Trouble(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stderr[:2000]}")
        return done.stdout

    def build(self):
        text = "".join(each.text() for each in self.programs)
        suffix = ".cu" if self.is_device else ".c"
        counted, twin = self.folder / f"counted{suffix}", self.folder / f"twin{'.cpp' if self.is_device else '.c'}"
        counted.write_text(COMMON + COUNTED + text)
        device = ["-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_80", "-Wno-unknown-cuda-version", "--cuda-feature=+ptx75"] if self.is_device else []
        self.checked(self.llvm / ("clang++" if self.is_device else "clang"), *device, "-w", self.level, "-g", "-S", counted, "-o", os.devnull,
                     f"-fpass-plugin={self.options.plugin}", "-mllvm", f"-ergon-dir={self.records}")
        self.build_twin(twin, f"#define LIMIT {LIMIT}\n", text, self.programs, "-O0")

    def build_twin(self, twin, first, text, listed, level):
        twin.write_text(first + TWIN + COMMON + text + self.driver(listed))
        self.checked(self.llvm / ("clang++" if self.is_device else "clang"), "-w", level, "-fsanitize=signed-integer-overflow,shift,"
                     "integer-divide-by-zero,float-cast-overflow", "-fsanitize-minimal-runtime", "-fsanitize-recover=all", "-fno-sanitize-link-runtime",
                     twin, "-o", twin.with_suffix(""))

    def to_the_end(self, program, row):
        """How a run that takes long ends, and its counts; None where that is after PATIENCE_S."""
        twin = self.folder / f"long{'.cpp' if self.is_device else '.c'}"
        self.build_twin(twin, "", program.text(), [program], "-O2")
        try:
            return self.run_twin(twin.with_suffix(""), [[row]], PATIENCE_S)[0][0]
        except Trouble:
            return None

    def driver(self, listed):
        result = "".join(f"C_NAME void __ubsan_handle_{each}_minimal(void) {{ longjmp(Left, 2); }}\n" for each in HANDLERS)
        calls = []
        for each in listed:
            first = 4 if self.is_device else 0
            values = [f"({kind})A[{first + at}]" for at, (kind, _) in enumerate(each.parameters)]
            calls.append(f"static void call_{each.name}(const unsigned long *A) {{ {each.call(values)} }}\n")
        table = ", ".join(f"call_{each.name}" for each in listed)
        threads = """
  gridDim.x = A[0], gridDim.y = A[1], blockDim.x = A[2], blockDim.y = A[3], gridDim.z = blockDim.z = 1;
  for (blockIdx.y = 0; blockIdx.y < gridDim.y; ++blockIdx.y) for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x)
  for (threadIdx.y = 0; threadIdx.y < blockDim.y; ++threadIdx.y) for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x)
    Rounds = 0, Calls[which](A);
""" if self.is_device else "  Calls[which](A);\n"
        return result + "".join(calls) + f"static void (*const Calls[])(const unsigned long *) = {{{table}}};\n" + """
static unsigned which;
static unsigned long A[16];
static void all(void) {""" + threads + """}
int main(void) {
  int how, count;
  while (scanf("%u %d", &which, &count) == 2) {
    for (int i = 0; i < count; ++i) {
      char word[32];
      if (scanf("%31s", word) != 1) return 1;
      A[i] = strtoull(word, 0, 10);
    }
    Ticks[0] = Ticks[1] = Ticks[2] = Ticks[3] = Steps = Rounds = 0;
    if (!(how = setjmp(Left))) all();
    printf("%d %lu %lu\\n", how, Ticks[0] + Ticks[1] + Ticks[2] + Ticks[3], Ticks[0] + 2 * Ticks[1] + 4 * Ticks[2] + 8 * Ticks[3]);
  }
}
"""

    def run_twin(self, twin, rows_of, seconds=SECONDS):
        """(how it ended, stores, bytes) of each row of each program."""
        lines = [f"{at} {len(row)} {' '.join(str(value % 2**64) for value in row)}" for at, rows in enumerate(rows_of) for row in rows]
        found = self.checked(twin, text="\n".join(lines) + "\n", seconds=seconds).split("\n")
        numbers = iter([tuple(map(int, line.split())) for line in found if line])
        return [[next(numbers) for _ in rows] for rows in rows_of]

    def formulas(self):
        shown = json.loads(self.checked(self.options.ergon, "show", self.records, "--json"))
        return {each["name"]: each for each in shown["functions"]}

    def predicted(self, program, names, row):
        """What `ergon predict` says of one row: counts and how they are known; None where it says that it has none."""
        words = [word for name, value in zip(names, row) for word in ("--set", f"{name}={value}")]
        done = self.run(self.options.ergon, "predict", self.records, "--entry", program.name, "--json", *words)
        if done.returncode:
            return None
        document = json.loads(done.stdout)
        # Where a number wraps around, it says that no count is exact.
        doubt = dict.fromkeys(self.classes(), "assumed") if "wraps" in document else {}
        return document["counts"], document["known"] | doubt

    def classes(self):
        return ["stores_global", "store_bytes_global"] if self.is_device else ["stores_memory", "store_bytes_memory"]

    def names(self, program, shown):
        """What the values of a row are called in formulas."""
        if program.passed != "parameters":
            return [f"s{'.' if program.passed == 'value' else '->'}{name}" for _, name in program.parameters]
        own = [each["name"] for each in shown["params"]][-len(program.parameters):]
        return (["grid.x", "grid.y", "block.x", "block.y"] if self.is_device else []) + own


class Verdict:
    """Of one program. `status`: exact, bound, assumed, measured or unknown; `wrong`: rows whose exact number is none."""

    def __init__(self, program, level):
        self.program, self.level, self.status = program, level, "exact"
        self.rows = self.ran = self.endless = self.undefined = self.late = self.without_value = self.declined = 0
        self.wrong, self.overrun = [], []
        self.formula = ""


def judge(batch, program, rows, shown, results, confirm=CONFIRMED, sampled=False):
    """`ergon predict` is asked of \p confirm rows at most of each kind, the others say nothing; without it the formulas are believed."""
    left = {0: confirm, 1: confirm}
    verdict = Verdict(program, batch.level)
    classes = batch.classes()
    formulas = [shown["counts"].get(each, "0") for each in classes]
    verdict.formula = formulas[1]
    names = batch.names(program, shown)
    hows = {shown["known"].get(each, "exact") for each in classes} - {"exact"}
    free = set().union(*(formula_value.symbols(each) for each in formulas)) - set(names) - {"grid.z", "block.z"}
    if free or shown["open_calls"]:
        verdict.status = "unknown"
    elif hows:
        verdict.status = sorted(hows)[0]
    verdict.rows = len(rows)
    for row, (how, stores, size) in zip(rows, results):
        verdict.ran += how == 0
        verdict.late += how == 1
        verdict.undefined += how == 2
        verdict.endless += how == 3
        if how > 1 or verdict.status != "exact":
            continue
        values = dict(zip(names, row)) | {"grid.z": 1, "block.z": 1}
        try:
            said = [formula_value.compiled(each)(values) for each in formulas]
        except formula_value.NoValue:
            verdict.without_value += 1
            continue
        except (OverflowError, MemoryError, RecursionError):
            verdict.without_value += 1
            continue
        differs = said != [stores, size] if how == 0 else said[0] < stores or said[1] < size
        asked = how == 0 and sampled and left[0] > 0
        sampled &= not asked
        if not differs and not asked:
            continue
        if confirm:
            if not left[how]:
                continue
            left[how] -= differs
            answer = batch.predicted(program, names, row)
            if answer is None or any(answer[1].get(each, "exact") != "exact" for each in classes):
                verdict.declined += differs
                continue
            said = [answer[0].get(each, 0) for each in classes]
            if said == [stores, size]:
                verdict.declined += differs
                continue
        if how == 1 and batch.options.patience and not verdict.overrun:
            how, *ran = batch.to_the_end(program, row) or (1, stores, size)
            if how > 1 or how == 0 and said == ran:
                continue
            stores, size = ran
        (verdict.wrong if how == 0 else verdict.overrun).append((row, [str(each) for each in said], [stores, size]))
    return verdict


def judge_batch(options, listed, rows, level, confirm=CONFIRMED):
    batch = Batch(options, listed, rows, level)
    batch.build()
    results, shown = batch.run_twin(batch.folder / "twin", rows), batch.formulas()
    verdicts = []
    for at, (program, each, result) in enumerate(zip(listed, rows, results)):
        if program.name not in shown:
            raise Trouble(f"{program.name} is not shown")
        verdicts.append(judge(batch, program, each, shown[program.name], result, confirm, confirm > 0 and at % ASKED == 0))
    return verdicts


def minimized(options, verdict, rounds=40, at_once=80):
    """The program without what is not needed for it to be wrong, with one row of values."""
    program, kind = verdict.program, "wrong" if verdict.wrong else "overrun"
    rows = [row for row, _, _ in getattr(verdict, kind)[:3]]
    best = verdict
    for _ in range(rounds):
        titles = (f"g{at}" for at in itertools.count())
        candidates = iter(reduced_programs.smaller(best.program, titles))
        found = None
        while not found:
            listed = list(itertools.islice(candidates, at_once))
            if not listed:
                break
            try:
                verdicts = judge_batch(options, listed, [rows] * len(listed), verdict.level, 0)
            except Trouble:
                verdicts = []
                for each in listed:
                    try:
                        verdicts += judge_batch(options, [each], [rows], verdict.level, 0)
                    except Trouble:
                        pass
            # The one with the shortest text goes furthest.
            for each in sorted((each for each in verdicts if getattr(each, kind)), key=lambda each: len(each.program.text())):
                each.program.name = "g"
                again = judge_batch(options, [each.program], [rows], verdict.level)[0]
                if getattr(again, kind):
                    found = again
                    break
        if not found:
            return best
        best = found
        rows = [row for row, _, _ in getattr(best, kind)[:3]]
    return best


def told(verdict):
    row, said, ran = (verdict.wrong or verdict.overrun)[0]
    program = verdict.program
    names = (["grid.x", "grid.y", "block.x", "block.y"] if program.is_kernel else []) + [name for _, name in program.parameters]
    return (f"{verdict.level} {' '.join(f'{name}={value}' for name, value in zip(names, row))}: exact {said[0]} stores, {said[1]} B; "
            f"executed {'' if verdict.wrong else 'more than '}{ran[0]}, {ran[1]} B\n{program.text()}formula (bytes): {verdict.formula}\n")


def listing(options):
    """(category, seed, level, is_kernel) of all programs that are asked for."""
    if options.only:
        words = pathlib.Path(options.only[1:]).read_text().split() if options.only[0] == "@" else options.only.split(",")
        for word in sorted(words, key=lambda word: (word.startswith("device:"), word.split(":")[-1])):
            category, seed, level = word.removeprefix("device:").split(":")
            yield category, int(seed), level, word.startswith("device:")
        return
    for is_kernel, wanted, categories in ((False, options.programs, programs.CATEGORIES), (True, options.device, programs.DEVICE_CATEGORIES)):
        for at in range(wanted):
            number = options.first - 1 + at
            level = LEVELS[number // IN_FILE % len(LEVELS)]
            if is_kernel and level == "-O0":
                level = "-O2"
            yield categories[number % len(categories)], number // len(categories) + 1, level, is_kernel


def batches(options):
    for (is_kernel, level), group in itertools.groupby(listing(options), key=lambda each: (each[3], each[2])):
        group = list(group)
        for first in range(0, len(group), IN_FILE):
            part = group[first:first + IN_FILE]
            listed = [programs.generate(category, seed, f"f{at}", is_kernel) for at, (category, seed, _, _) in enumerate(part)]
            rows = [program_values.values(each, seed, options.small, options.extreme) for each, (_, seed, _, _) in zip(listed, part)]
            yield part, listed, rows, level


def main(arguments):
    options = options_of(arguments)
    options.work.mkdir(parents=True, exist_ok=True)
    options.work = options.work.resolve()
    options.plugin = (options.plugin or options.build / "lib/ErgonPasses.so").resolve()
    options.ergon = (options.ergon or options.build / "bin/ergon").resolve()
    options.llvm = subprocess.run(["llvm-config-22", "--bindir"], capture_output=True, text=True, check=True).stdout.strip()
    failures = open(options.failures, "w") if options.failures else None
    table = collections.defaultdict(collections.Counter)
    shown = 0
    started = time.monotonic()
    for part, listed, rows, level in batches(options):
        if options.seconds and time.monotonic() - started > options.seconds:
            print(f"stopped before {part[0]}")
            break
        try:
            verdicts = judge_batch(options, listed, rows, level)
        except Trouble as trouble:
            print(f"TROUBLE {part[0]} to {part[-1]}: {trouble}", flush=True)
            keep = options.work / f"trouble-{part[0][1]}-{part[0][0]}"
            shutil.rmtree(keep, ignore_errors=True)
            shutil.copytree(options.work / "batch", keep)
            table["trouble"]["programs"] += len(listed)
            continue
        for (category, seed, _, is_kernel), verdict in zip(part, verdicts):
            title = f"{'device:' if is_kernel else ''}{category}:{seed}:{level}"
            row = table[("device: " if is_kernel else "") + category]
            row["programs"] += 1
            row[verdict.status] += 1
            row["wrong"] += bool(verdict.wrong)
            row["overrun"] += bool(verdict.overrun) and not verdict.wrong
            row["declined"] += bool(verdict.declined)
            for name in ("ran", "endless", "undefined", "late", "without_value"):
                row[name] += getattr(verdict, name)
            if not verdict.wrong and not verdict.overrun:
                continue
            kind = "wrong" if verdict.wrong else "overrun"
            if failures:
                failures.write(json.dumps({"title": title, "kind": kind, "rows": getattr(verdict, kind), "formula": verdict.formula}) + "\n")
                failures.flush()
            if verdict.wrong and shown < options.smallest:
                shown += 1
                print(f"--- {title}, smaller:\n{told(minimized(options, verdict))}", flush=True)
    report(options, table)
    return bool(sum(row["wrong"] for row in table.values()))


def report(options, table):
    columns = ["programs", "exact", "bound", "assumed", "unknown", "wrong", "overrun", "declined", "ran", "late", "endless", "undefined", "without_value"]
    table = dict(table)
    for kind in ("", "device: "):
        all_of = [row for name, row in table.items() if name.startswith("device: ") == bool(kind)]
        table[f"{kind}all"] = sum(all_of, collections.Counter())
    print("| category | " + " | ".join(columns) + " |\n|" + " --- |" * (len(columns) + 1))
    for name, row in table.items():
        if row["programs"]:
            print(f"| {name} | " + " | ".join(str(row[column]) for column in columns) + " |")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = resource.getrusage(resource.RUSAGE_SELF)
    print(f"processor time: {used.ru_utime + used.ru_stime:.0f} s of commands, {own.ru_utime + own.ru_stime:.0f} s of this script", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
