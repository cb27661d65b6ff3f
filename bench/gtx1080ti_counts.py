#!/usr/bin/python3
"""Predicted flops of thirty kernels against what nvprof counted on a GTX 1080 Ti.

usage: gtx1080ti_counts.py --counters gtx1080ti_counters.csv --nv-dvfs DIR --ddvfs DIR --samples DIR [--build DIR] [APP…]

The three folders are checkouts of blackjack2015/NV-DVFS-Benchmark, shashikantilager/gpu-ddvfs and NVIDIA/cuda-samples: the
repositories that the column `source` names. Sources are compiled from a copy, in which `<< <` is put together
again and what CUDA 13 no longer has is replaced; kernels stay as they are. Launches are the table's, arguments those of the
benchmark's configs/kernels/real.cfg, 1080 Ti run: ARGUMENTS below.

nvprof counts a division of single precision as 15 flops and a square root as 7, special functions apart: to what
`ergon predict` says, 14·div_f32 + 6·sqrt_f32 are added. Prints a Markdown table.
"""
import argparse
import csv
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GONE = {  # CUDA 13 has them no more; host code alone uses them
    r"<<\s+<": "<<<", r">>\s+>": ">>>",
    r"\bcudaThread(Synchronize|Exit)\b": r"cudaDevice\1",
    r"\bcg::experimental::": "cg::",
    r"\bcudaDeviceExit\b": "cudaDeviceReset",
    r"\b\w+(?:\[\w+\])?(?:\.\s*|->)(computeMode|clockRate|deviceOverlap|memoryClockRate|kernelExecTimeoutEnabled)\b": "0",
}
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


def prepared(folder, work):
    """A copy of a source's folder that today's toolkit takes."""
    copy = work / f"{len(list(work.iterdir()))}-{folder.name}"
    shutil.copytree(folder, copy)
    for path in copy.rglob("*"):
        if path.suffix in (".cu", ".cuh", ".h", ".cpp", ".hpp") and path.is_file():
            text = path.read_text(errors="replace")
            for old, new in GONE.items():
                text = re.sub(old, new, text)
            path.write_text(text)
    return copy


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
    for name in ("counters", "nv-dvfs", "ddvfs", "samples"):
        parser.add_argument("--" + name, required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("apps", nargs="*")
    return parser.parse_args()


def recorded(options):
    """Each row of the table with the records of its source, and why there are none."""
    flags = subprocess.run([ROOT / "scripts/cuda-flags.sh"], capture_output=True, text=True, check=True).stdout.split()
    toolkit = flags[0].removeprefix("--cuda-path=")
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "compatible.h").write_text("#include <algorithm>\nusing std::max;\nusing std::min;\n")
        for row in csv.DictReader(options.counters.open()):
            if options.apps and row["app"] not in options.apps:
                continue
            top, _, path = row["source"].partition("/")
            tops = {"NV-DVFS-fixed": options.nv_dvfs / "src/linux", "gpu-ddvfs": options.ddvfs,
                    "cuda-samples": options.samples}
            if top not in tops:
                yield row, None, row["source"]
                continue
            source = prepared((tops[top] / path).parent, work) / pathlib.Path(path).name
            records = source.parent / "records"
            done = subprocess.run(
                ["clang++-22", *flags, "-O2", "-g", "-Wno-everything", "-include", work / "compatible.h", f"-I{options.samples}/Common",
                 f"-I{options.nv_dvfs}/src/linux/common/inc", "-isystem", f"{toolkit}/include/cccl",
                 f"-fpass-plugin={options.build}/lib/ErgonPasses.so", "-mllvm", f"-ergon-dir={records}", "-c", source.name,
                 "-o", "/dev/null"], cwd=source.parent, capture_output=True, text=True)
            error = next((line for line in done.stderr.splitlines() if "error:" in line), "?").split("error: ")[-1]
            yield row, records if done.returncode == 0 else None, f"does not compile: {error}"


def main():
    options = command_line(__doc__.splitlines()[0])
    print("| kernel | f32 predicted | nvprof | | f64 predicted | nvprof | | |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
    for row, records, why in recorded(options):
        app = row["app"]
        if not records:
            print(f"| {app} | | {row['flop_count_sp']} | | | {row['flop_count_dp']} | | {why} |")
            continue
        prediction, done = predict(options, records, ENTRY.get(app, row["kernel"]), row["launch"], ARGUMENTS.get(app, {}))
        if done.returncode not in (0, 3):
            print(f"| {app} | | | | | | | exit {done.returncode}: {done.stderr.splitlines()[0]} |")
            continue
        cells, what = verdict(prediction, row)
        print(f"| {app} | {' | '.join(cells)} | {what} |", flush=True)


if __name__ == "__main__":
    main()
