#!/usr/bin/python3
"""Predicted flops of thirty kernels against what nvprof counted on a GTX 1080 Ti.

usage: device_count_accuracy.py RECORDS COUNTERS [--build DIR] [APP…]

RECORDS has a folder APP with the records of each row of the table COUNTERS, whose columns are app, kernel, launch, flop_count_sp and
flop_count_dp. Launches are the table's, arguments those of the run that was counted: ARGUMENTS below.

nvprof counts a division of single precision as 15 flops and a square root as 7, special functions apart: to what
`ergon predict` says, 14·div_f32 + 6·sqrt_f32 are added. Prints a Markdown table.
"""
import argparse
import csv
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What each kernel was called with; `w` is its number of threads in x.
ARGUMENTS = {
    "BlackScholes": {"optN": 28672000},
    "SobolQRNG": {"n_vectors": 131072, "n_dimensions": 1000},
    "backpropBackward": {"hid": 16, "in": 524288},
    "backpropForward": {"in": 524288, "hid": 16},
    "cfd": {"nelr": 232704},
    "convolutionSeparable": {"imageW": 10240, "imageH": 10240, "pitch": 10240},
    "eigenvalues": {"n": 512, "lg_eig_count": 0, "ug_eig_count": 512},
    "nn": {"numRecords": 8388608},
    "fastWalshTransform": {"stride": 67108864},
    "gaussian": {"Size": 8192, "j1": 8192, "t": 0},  # of several launches that nvprof averages, the first
    "histogram": {"dataCount": 67108864},
    "hotspot": {"iteration": 4, "grid_cols": 512, "grid_rows": 512, "border_cols": 4, "border_rows": 4},
    "matrixMulGlobal": {"wA": 2048, "wB": 2048},
    "matrixMulShared": {"wA": 2048, "wB": 2048},
    "mergeSort": {"arrayLength": 1024},
    "quasirandomGenerator": {"seed": 0, "N": 33554432},
    "reduction": {"n": 67108864},
    "scalarProd": {"vectorN": 65536, "elementN": 4096},
    "scanScanExclusiveShared": {"size": 256},
    "srad": {"cols": 4096, "rows": 8192},
    "stereoDisparity": {"width": 640, "height": 533},
    "transpose": {"width": 8192, "height": 8192},
    "vectorAdd": {"numElements": 67108864},
}
ENTRY = {"reduction": "reduce2_float"}


def evaluated(command, launch, arguments, flag=()):
    """The JSON of a command for a launch, with those of the arguments that the kernel has, and how it ended."""
    sets = {f"{kind}.{axis}": size for kind, text in zip(("grid", "block"), re.findall(r"\((.*?)\)", launch))
            for axis, size in zip("xyz", text.split())} | arguments
    while True:
        words = [word for name, value in sets.items() for word in (*flag, f"{name}={value}")]
        done = subprocess.run([*command, *words], capture_output=True, text=True)
        unknown = re.search(r"has nothing called \"(.*?)\"", done.stderr)
        if not unknown or unknown[1] not in sets:
            break
        del sets[unknown[1]]  # the optimizer removed the argument
    return (json.loads(done.stdout) if done.stdout.startswith("{") else {}), done


def predict(options, records, entry, launch, arguments):
    """`ergon predict`: its JSON, and how it ended."""
    return evaluated([f"{options.build}/bin/ergon", "predict", records, "--target", "nvptx", "--entry", entry, "--json"],
                     launch, arguments, ["--set"])


def verdict(prediction, row):
    """Predicted and counted for each precision, and what to say of them."""
    counts, needs = prediction.get("counts", {}), prediction.get("needs", {})
    cells, worst = [], 0
    for kind, column in (("f32", "flop_count_sp"), ("f64", "flop_count_dp")):
        counted = float(row[column])
        names = [f"flops_{kind}"] + ([f"div_{kind}", f"sqrt_{kind}"] if kind == "f32" else [])
        if any(name in needs for name in names):
            cells += ["?", f"{counted:.0f}", ""]
            continue
        predicted = counts.get(names[0], 0)
        if kind == "f32":
            predicted += 14 * counts.get("div_f32", 0) + 6 * counts.get("sqrt_f32", 0)
        off = (predicted - counted) / counted if counted else float(predicted != 0)
        worst = max(worst, abs(off))
        cells += [f"{predicted:.0f}", f"{counted:.0f}", f"{off:+.2%}" if counted or predicted else ""]
    open_symbols = sorted({symbol for name in needs if name.startswith(("flops_f", "div_f32", "sqrt_f32"))
                           for symbol in needs[name]})
    if open_symbols:
        return cells, "unknown: " + ", ".join(f"`{symbol}`" for symbol in open_symbols[:3]) + (
            f" and {len(open_symbols) - 3} more" if len(open_symbols) > 3 else "")
    return cells, "equal" if worst == 0 else "within 1 %" if worst <= 0.01 else "**off**"


def command_line(about):
    parser = argparse.ArgumentParser(description=about)
    for name in ("records", "counters"):
        parser.add_argument(name, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("apps", nargs="*")
    return parser.parse_args()


def recorded(options):
    """Each row of the table with its records, or none."""
    with options.counters.open() as file:
        for row in csv.DictReader(file):
            if not options.apps or row["app"] in options.apps:
                folder = options.records / row["app"]
                yield row, folder if folder.is_dir() else None


def main():
    options = command_line(__doc__.splitlines()[0])
    print("| kernel | f32 predicted | nvprof | | f64 predicted | nvprof | | |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
    for row, records in recorded(options):
        app = row["app"]
        if not records:
            print(f"| {app} | | {row['flop_count_sp']} | | | {row['flop_count_dp']} | | no records |")
            continue
        prediction, done = predict(options, records, ENTRY.get(app, row["kernel"]), row["launch"], ARGUMENTS.get(app, {}))
        if done.returncode not in (0, 3):
            print(f"| {app} | | | | | | | exit {done.returncode}: {done.stderr.splitlines()[0]} |")
            continue
        cells, what = verdict(prediction, row)
        print(f"| {app} | {' | '.join(cells)} | {what} |", flush=True)


if __name__ == "__main__":
    main()
