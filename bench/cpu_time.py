#!/usr/bin/env python3
"""Time of kernels on this CPU, predicted and measured: PolyBench/C, the sixty loops of inputs/loops.c, ten with OpenMP.

cpu_time.py measure --work FOLDER [--polybench DIR] [--kernels gemm,…] [--datasets MEDIUM,LARGE] [--loops all|NAME,…] [--parallel all|NAME,…] [--sizes 1000,…]
cpu_time.py compare --work FOLDER --machine mine.json [--only PATTERN]

`measure` compiles with `-O2 -march=native`, sizes known to the compiler (static) and not (opaque), runs each kernel on data that clflush took out of the caches
(cold) and on data that a run before left there (warm), and writes FOLDER/measured.json; a case that is there is not measured again. `compare` predicts each case
with the profile of `ergon calibrate` and prints both, then errors by suite and by bound, and how often the stated interval holds. DIR is PolyBench/C 4.2.1.
"""
import argparse
import concurrent.futures
import fnmatch
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INPUTS = ROOT / "bench/inputs"
FLAGS = ["-O2", "-march=native"]
VISIBLE = "2mm,atax,cholesky,covariance,doitgen,floyd-warshall,gemm,gesummv,jacobi-1d,jacobi-2d,lu,mvt,seidel-2d,syrk,trmm"

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("action", choices=["measure", "compare"])
parser.add_argument("--work", type=pathlib.Path, required=True)
parser.add_argument("--polybench", type=pathlib.Path)
parser.add_argument("--kernels", default=VISIBLE)
parser.add_argument("--datasets", default="MEDIUM,LARGE")
parser.add_argument("--loops", default="all")
parser.add_argument("--parallel", default="", help="loops of inputs/parallel_loops.c, on one and on two threads")
parser.add_argument("--sizes", default="1000,30000,3000000")
parser.add_argument("--seconds", type=float, default=0.3, help="of samples for each case; five samples of loops, two of PolyBench at least")
parser.add_argument("--machine")
parser.add_argument("--only", default="*", help="cases whose name fits: SUITE/KERNEL/SIZE/static|opaque/cold|warm")
parser.add_argument("--ergon", type=pathlib.Path, default=ROOT / "build/bin/ergon")
parser.add_argument("--compiler", default=None)
parser.add_argument("--json", type=pathlib.Path, help="write the compared cases here")
options = parser.parse_args()


def run(*command, **more):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, **more)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {result.stderr[-2000:]}")
    return result.stdout


def compiler():
    return options.compiler or run("llvm-config-22", "--bindir").strip() + "/clang"


def recorded(folder, *command):
    """Runs a compilation whose records go to `folder`."""
    run(options.ergon, "record", "-d", folder, "--", compiler(), *command)


def names_in(source):
    return re.findall(r"^(?:LOOP|RESTRICTED)\((\w+)\)", (INPUTS / source).read_text(), re.M)


def chosen(asked, source):
    return names_in(source) if asked == "all" else [name for name in asked.split(",") if name]


def build_loops(source, size=None, more=()):
    """The program that times the loops of a source, with static size where one is given."""
    folder = options.work / f"{pathlib.Path(source).stem}-{size or 'opaque'}"
    program = folder / "time_loops"
    if not program.exists() or not (folder / "records").exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "names.h").write_text("".join(f"NAME_OF({name})\n" for name in names_in(source)))
        constants = [f"-DSIZE={size}", f"-DSIDE={math.isqrt(int(size))}"] if size else []
        recorded(folder / "records", *FLAGS, *more, *constants, "-c", INPUTS / source, "-o", folder / "loops.o")
        runtime = ["-l:libomp.so.5"] if more else []
        run(compiler(), "-O2", *constants, f"-I{folder}", f"-I{INPUTS}", INPUTS / "time_loops.c", folder / "loops.o", *runtime, "-lm", "-o", program)
    return program


def loop_cases():
    for suite, names, kinds in (
        ("loops", chosen(options.loops, "loops.c"), ("static", "opaque")),
        ("parallel", chosen(options.parallel, "parallel_loops.c"), ("1", "2")),
    ):
        for name in names:
            for size in options.sizes.split(","):
                for kind in kinds:
                    for state in ("cold", "warm"):
                        yield f"{suite}/{name}/{size}/{kind}/{state}"


def polybench_cases():
    if options.polybench:
        for kernel in options.kernels.split(","):
            for dataset in options.datasets.split(","):
                for kind in ("static", "opaque"):
                    for state in ("cold", "warm"):
                        yield f"polybench/{kernel}/{dataset}/{kind}/{state}"


def build_polybench(kernel, dataset, kind):
    """PolyBench's program with our timer around its kernel."""
    folder = options.work / f"polybench-{kernel}-{dataset}-{kind}"
    program = folder / kernel
    if not program.exists() or not (folder / "records").exists():
        folder.mkdir(parents=True, exist_ok=True)
        listed = (options.polybench / "utilities/benchmark_list").read_text().split()
        source = options.polybench / next(line for line in listed if pathlib.Path(line).stem == kernel)
        text = source.read_text()
        main = text.index("int main(")
        head, body = text[:main], text[main:]
        # The kernel stays a function of its own, whose time can be asked for.
        head = re.sub(r"\bstatic\s+void\s+(kernel_\w+)", r"__attribute__((noinline)) void \1", head)
        body = body.replace("polybench_start_instruments;", "for (int run = 0; timed_runs(run); run++) { timed_begin();", 1)
        body = body.replace("polybench_stop_instruments;", "timed_end(); }", 1)
        if kind == "opaque":
            body = re.sub(r"int (\w+) = ([A-Z_0-9]+);", r"int \1 = timed_opaque(\2);", body)
        declared = "int timed_runs(int);\nvoid timed_begin(void);\nvoid timed_end(void);\nint timed_opaque(int);\n"
        (folder / f"{kernel}.c").write_text(declared + head + body)
        flags = [*FLAGS, "-DPOLYBENCH_INTER_ARRAY_PADDING_FACTOR=0", f"-D{dataset}_DATASET", f"-I{source.parent}", f"-I{options.polybench}/utilities"]
        flags.append("-DPOLYBENCH_USE_C99_PROTO" if kind == "opaque" else "-DPOLYBENCH_USE_SCALAR_LB")
        recorded(folder / "records", *flags, "-c", folder / f"{kernel}.c", "-o", folder / "kernel.o")
        run(compiler(), "-O2", INPUTS / "time_polybench.c", folder / "kernel.o", "-lm", "-o", program)
    return program


def build(case):
    suite, name, size, kind, _ = case.split("/")
    if suite == "parallel":
        return build_loops("parallel_loops.c", more=["-fopenmp"])
    return build_loops("loops.c", size if kind == "static" else None) if suite == "loops" else build_polybench(name, size, kind)


def measure():
    path = options.work / "measured.json"
    measured = json.loads(path.read_text()) if path.exists() else {}
    cases = [case for case in [*loop_cases(), *polybench_cases()] if fnmatch.fnmatch(case, options.only) and case not in measured]
    for number, case in enumerate(cases):
        if case in measured:
            continue
        suite, name, size, kind, state = case.split("/")
        program = build(case)
        extra = [options.seconds] if suite == "polybench" else [name, state, options.seconds] + ([] if kind == "static" else [size])
        place = ["env", f"OMP_NUM_THREADS={kind}"] if suite == "parallel" else ["taskset", "-c", "1"]
        samples = {}
        for line in run(*place, program, *extra).splitlines():
            *of, value = line.split()
            samples.setdefault(of[0] if of else state, []).append(float(value))
        for of, values in samples.items():
            values.sort()
            # The half that was disturbed least.
            of = f"{suite}/{name}/{size}/{kind}/{of}"
            measured[of] = {"ns": statistics.median(values[: max(1, len(values) // 2)]), "median": statistics.median(values), "samples": len(values)}
            print(f"{number + 1}/{len(cases)} {of}: {measured[of]['ns'] / 1e3:.3f} us", flush=True)
        path.write_text(json.dumps(measured, indent=0))


def parameters(case):
    suite, name, size, kind, _ = case.split("/")
    if suite != "polybench":
        threads = ["--set", f"omp.threads={kind}"] if suite == "parallel" else []
        return [] if kind == "static" else threads + ["--set", f"n={size}", "--set", f"m={math.isqrt(int(size))}"]
    header = next(options.polybench.glob(f"**/{name}/{name}.h")).read_text()
    block = re.search(rf"ifdef {size}_DATASET\n(.*?)#\s*endif", header, re.S).group(1)
    source = next(options.polybench.glob(f"**/{name}/{name}.c")).read_text()
    names = dict(re.findall(r"int (\w+) = ([A-Z_0-9]+);", source))
    values = dict(re.findall(r"define\s+(\w+)\s+(\d+)", block))
    return [part for own, macro in names.items() for part in ("--set", f"{own}={values[macro]}")]


def predict(case):
    suite, name, size, kind, state = case.split("/")
    folder = {"loops": f"loops-{size if kind == 'static' else 'opaque'}", "parallel": "parallel_loops-opaque"}.get(suite, f"polybench-{name}-{size}-{kind}")
    records = options.work / folder / "records"
    entry = "kernel_" + name.replace("-", "_") if suite == "polybench" else name
    command = [options.ergon, "predict", records, "--entry", entry, "--machine", options.machine, "--json", *parameters(case)]
    if state == "warm":
        command.append("--warm")
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=900)
    try:
        return json.loads(result.stdout)
    except ValueError:
        return {"error": result.stderr.strip()[-300:]}


def summary(label, rows):
    ratios = [row["predicted"] / row["measured"] for row in rows]
    errors = sorted(abs(ratio - 1) for ratio in ratios)
    held = sum(row["low"] <= row["measured"] <= row["high"] for row in rows)
    beyond = sum(not 0.5 <= ratio <= 2 for ratio in ratios)
    widths = statistics.median(row["high"] / row["low"] for row in rows)
    print(
        f"{label:28} {len(rows):4} cases: median {statistics.median(errors):6.1%} mean {statistics.mean(errors):6.1%} beyond 2x {beyond:3} "
        f"interval holds {held / len(rows):4.0%} median width {widths:.2f}"
    )


def compare():
    measured = json.loads((options.work / "measured.json").read_text())
    cases = [case for case in measured if fnmatch.fnmatch(case, options.only) and (options.polybench or not case.startswith("polybench"))]
    for case in cases:
        build(case)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(predict, cases))
    rows = []
    for case, answer in zip(cases, answers):
        time = answer.get("time_s")
        if not time:
            print(f"{case}: no time: {answer.get('error') or answer.get('messages') or ''}")
            continue
        row = {"case": case, "measured": measured[case]["ns"] * 1e-9, "predicted": time["value"], "low": time["low"], "high": time["high"], "bound": answer.get("bound", "?")}
        rows.append(row)
        print(f"{case:55} measured {row['measured']:.3e} predicted {row['predicted']:.3e} ratio {row['predicted'] / row['measured']:6.2f} {row['bound']}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    for suite in sorted({row["case"].split("/")[0] for row in rows}):
        own = [row for row in rows if row["case"].startswith(suite)]
        summary(suite, own)
        for part in (2, 3, 4):
            for value in sorted({row["case"].split("/")[part] for row in own}):
                summary(f"  {value}", [row for row in own if row["case"].split("/")[part] == value])
        for bound in sorted({row["bound"] for row in own}):
            summary(f"  bound by {bound}", [row for row in own if row["bound"] == bound])
    if rows:
        summary("all", rows)


{"measure": measure, "compare": compare}[options.action]()
