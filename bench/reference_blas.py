#!/usr/bin/env python3
"""The reference BLAS in double precision, its arguments given by name, no run: flops predicted against executed ones.

reference_blas.py --sources FOLDER --work FOLDER [--language fortran|c] [--only NAME,…] [--build DIR]

The folder has a file for each routine and one for `lsame`: BLAS/SRC of LAPACK for Fortran, of CLAPACK with its INCLUDE (--include) for C, which f2c made
from Fortran. Each routine is called in three cases, with all scalars given by their names, on arrays without zeros. Executed: what a program that
calls it executes under valgrind, without what it executes when it calls nothing; scalar code, as vector code counts the same flops in other
operations. A case is `equal` where the flops are those that ran and nothing is asked (--strict), `equal, estimated` where the only symbols without
a value are shares of branches on the arrays' numbers and their estimates give the flops that ran, `asks` where some other symbol has no
value, `WRONG` where an answer without estimates is not what ran or an interval does not hold it.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

ROUTINES = """
dasum n dx incx / daxpy n da dx incx dy incy / dcopy n dx incx dy incy / ddot n dx incx dy incy / dnrm2 n x incx
drot n dx incx dy incy c s / drotg a b c s / drotm n dx incx dy incy dparam / drotmg dd1 dd2 dx1 dy1 dparam / dscal n da dx incx
dsdot n sx incx sy incy / dswap n dx incx dy incy / idamax n dx incx
dgbmv trans m n kl ku alpha a lda x incx beta y incy / dgemv trans m n alpha a lda x incx beta y incy
dger m n alpha x incx y incy a lda / dsbmv uplo n k alpha a lda x incx beta y incy / dspmv uplo n alpha ap x incx beta y incy
dspr uplo n alpha x incx ap / dspr2 uplo n alpha x incx y incy ap / dsymv uplo n alpha a lda x incx beta y incy
dsyr uplo n alpha x incx a lda / dsyr2 uplo n alpha x incx y incy a lda
dtbmv uplo trans diag n k a lda x incx / dtbsv uplo trans diag n k a lda x incx / dtpmv uplo trans diag n ap x incx
dtpsv uplo trans diag n ap x incx / dtrmv uplo trans diag n a lda x incx / dtrsv uplo trans diag n a lda x incx
dgemm transa transb m n k alpha a lda b ldb beta c ldc / dsymm side uplo m n alpha a lda b ldb beta c ldc
dsyrk uplo trans n k alpha a lda beta c ldc / dsyr2k uplo trans n k alpha a lda b ldb beta c ldc
dtrmm side uplo transa diag m n alpha a lda b ldb / dtrsm side uplo transa diag m n alpha a lda b ldb
"""
FUNCTIONS = {"dasum", "ddot", "dnrm2", "dsdot"}  # that return a double
# Values of the three cases by name.
VALUES = {"side": "LRR", "uplo": "ULU", "trans": "NTN", "transa": "NTN", "transb": "NNT", "diag": "NUN",
          "m": (5, 6, 8), "n": (7, 9, 5), "k": (4, 3, 2), "kl": (1, 2, 0), "ku": (2, 1, 3),
          "incx": (1, 2, -1), "incy": (1, -1, 3), "lda": (32,) * 3, "ldb": (32,) * 3, "ldc": (32,) * 3,
          "alpha": (1.5, 1, -0.75), "beta": (0.5, 0, 1), "da": (1.5, 1, 0)}
# Of single routines.
OWN = {("dgemm", "alpha"): (1.5, 1, 0), ("dgemm", "beta"): (0.5, 0, 0.25), ("dsyrk", "alpha"): (1.5, 1, 0), ("dsyrk", "beta"): (0.5, 0, 2),
       ("dtrmm", "alpha"): (1.5, 1, 0), ("drot", "c"): (0.75,) * 3, ("drot", "s"): (0.5,) * 3,
       ("drotg", "a"): (3, 2, 0), ("drotg", "b"): (4, -5, 1.5), ("drotg", "da"): (3, 2, 0), ("drotg", "db"): (4, -5, 1.5), ("drotg", "c"): (0,) * 3, ("drotg", "s"): (0,) * 3,
       ("drotmg", "dd1"): (1.5, 2, 0.5), ("drotmg", "dd2"): (0.75, 3, 0), ("drotmg", "dx1"): (2, 1, 3), ("drotmg", "dy1"): (1.25, 2, 1)}
FLAGS = (-1, 0, 1)  # the first number of dparam, which says what drotm does
WHOLE = {"m", "n", "k", "kl", "ku", "incx", "incy", "lda", "ldb", "ldc"}
LETTERS = {"side", "uplo", "trans", "transa", "transb", "diag"}

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--sources", type=pathlib.Path, required=True)
parser.add_argument("--include", type=pathlib.Path, help="f2c.h and blaswrap.h, for C")
parser.add_argument("--work", type=pathlib.Path, required=True)
parser.add_argument("--language", choices=("fortran", "c"), default="fortran")
parser.add_argument("--only", default="")
parser.add_argument("--keep", action="store_true", help="what is built already")
parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
options = parser.parse_args()


def routines():
    for line in re.split(r"[/\n]", ROUTINES):
        if line.strip():
            name, *arguments = line.split()
            if name == "drotg" and options.language == "c":
                arguments = ["da", "db", "c", "s"]
            yield name, arguments


def value(routine, argument, case):
    """Of a scalar argument; None for an array."""
    if (routine, argument) in OWN:
        return OWN[routine, argument][case]
    return VALUES[argument][case] if argument in VALUES else None


def call(routine, arguments, case):
    """A block of C that calls the routine."""
    declared, passed, hidden = [], [], ""
    for number, argument in enumerate(arguments):
        given = value(routine, argument, case)
        if given is None:
            first = FLAGS[case] if argument == "dparam" and routine == "drotm" else None
            passed.append(f"{'floats' if routine == 'dsdot' else 'arrays'}[{number}]")
            if first is not None:
                declared.append(f"arrays[{number}][0] = {first};")
            continue
        kind = "char" if argument in LETTERS else "integer" if argument in WHOLE else "double"
        text = f"'{given}'" if argument in LETTERS else repr(given)
        declared.append(f"{kind} v{number} = {text};")
        passed.append(f"&v{number}")
        if argument in LETTERS and options.language == "fortran":
            hidden += ", 1l"
    return f"{{ {' '.join(declared)} {routine}_({', '.join(passed)}{hidden}); }}"


def driver(chosen):
    lines = ["typedef int integer;" if options.language == "fortran" else "typedef long integer;",
             "static double arrays[16][8192]; static float floats[16][8192];",
             "int strcmp(const char *, const char *); _Noreturn void abort(void);",
             "int xerbla_() { abort(); }",
             "double d_sign(double *a, double *b) { double x = *a < 0 ? -*a : *a; return *b < 0 ? -x : x; }"]
    for name, arguments in chosen:
        lines.append(f"{'double' if name in FUNCTIONS else 'integer'} {name}_();")
    lines += ["int main(int argc, char **argv) {",
              "for (int i = 0; i < 16; ++i) for (int j = 0; j < 8192; ++j)",
              "arrays[i][j] = floats[i][j] = 0.5f + (float)((i * 37 + j * 11) % 64) / 64;",
              "if (argc < 3) return 0; int which = argv[2][0] - '0';"]
    for name, arguments in chosen:
        for case in range(3):
            lines.append(f'if (which == {case} && !strcmp(argv[1], "{name}")) {call(name, arguments, case)}')
    return "\n".join(lines + ["return 0; }"]) + "\n"


def build(chosen):
    records, program = options.work / f"records-{options.language}", options.work / f"blas-{options.language}"
    if options.keep and program.exists():
        return records, program
    subprocess.run(["rm", "-rf", records], check=True)
    objects = []
    flags = ["-O2", "-g", "-gdwarf-4", "-fno-vectorize", "-fno-slp-vectorize", f"-fpass-plugin={options.build}/lib/ErgonPasses.so", "-mllvm",
             f"-ergon-dir={records}", "-c"]
    for name in [name for name, _ in chosen] + ["lsame"]:
        source = next(path for suffix in (".f", ".f90", ".c") if (path := options.sources / f"{name}{suffix}").exists())
        objects.append(options.work / f"{name}-{options.language}.o")
        compiler = ["flang-22"] if options.language == "fortran" else ["clang-22", "-w", "-DNO_BLAS_WRAP", "-I", options.include]
        subprocess.run([*compiler, *flags, source, "-o", objects[-1]], check=True)
    main = options.work / f"driver-{options.language}.c"
    main.write_text(driver(chosen))
    subprocess.run(["clang-22", "-std=gnu17", "-w", "-O0", "-gdwarf-4", "-no-pie", main, *objects, "-lm", "-o", program], check=True)
    return records, program


def executed(program, *arguments):
    run = subprocess.run([sys.executable, ROOT / "test/oracle/executed_counts.py", "--function", ".", program, *arguments],
                         capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    return sum(number for key, number in json.loads(run.stdout).items() if key in ("flops_f64", "flops_f32"))


def predict(records, name, sets, *more):
    return subprocess.run([options.build / "bin/ergon", "predict", records, "--entry", name + "_", "--json", *more,
                           *(word for text in sets for word in ("--set", text))], capture_output=True, text=True)


def flops(counts):
    return sum(number for key, number in counts.items() if key in ("flops_f64", "flops_f32"))


def row(records, program, nothing, name, arguments, case):
    """The name of the outcome, and the line of the table."""
    ran = executed(program, name, str(case)) - nothing
    of_f2c = {"c": "c__"} if options.language == "c" else {}
    sets = [f"{of_f2c.get(argument, argument)}={given}" for argument in arguments if (given := value(name, argument, case)) is not None]
    if name == "drotm":
        sets.append(f"dparam[0]={FLAGS[case]}")
    answer = predict(records, name, sets, "--strict")
    asked, how = [], "equal"
    if answer.returncode == 3:
        asked = re.findall(r"--set ('[^']*'|\S+?)=", answer.stderr)
        how = "equal, estimated"
        answer = predict(records, name, sets)
    if answer.returncode:
        return "error", f"| {name} | {' '.join(sets)} | {ran} | | {answer.stderr.splitlines()[0]} |"
    document = json.loads(answer.stdout)
    predicted = flops(document["counts"])
    open_symbols = [e for e in document.get("estimated", [])]
    if predicted != ran:
        how = "asks" if asked or open_symbols else "WRONG"
    elif any(not e["symbol"].startswith("taken@") for e in open_symbols):
        how = "asks"
    note = "; ".join(f"{e['symbol']}: {e.get('why', '')}"[:110] for e in open_symbols[:2])
    return how, f"| {name} | {' '.join(sets)} | {ran} | {predicted:g} | {how} {note} |"


def main():
    options.work.mkdir(parents=True, exist_ok=True)
    chosen = [(name, arguments) for name, arguments in routines()
              if any((options.sources / f"{name}{suffix}").exists() for suffix in (".f", ".f90", ".c"))
              and (not options.only or name in options.only.split(","))]
    records, program = build(chosen)
    nothing = executed(program)
    print("| routine | arguments | executed flops | predicted | |\n| --- | --- | --: | --: | --- |")
    outcomes = {}
    for name, arguments in chosen:
        for case in range(3):
            how, text = row(records, program, nothing, name, arguments, case)
            outcomes[how] = outcomes.get(how, 0) + 1
            print(text, flush=True)
    print("\n" + ", ".join(f"{count} {how}" for how, count in sorted(outcomes.items())) + f", of {sum(outcomes.values())}")
    return "WRONG" in outcomes or "error" in outcomes


sys.exit(main())
