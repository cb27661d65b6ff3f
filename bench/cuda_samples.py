#!/usr/bin/python3
"""How many kernels of a folder of CUDA sources are exact, bounded, unknown; and what the plugin costs there.

usage: cuda_samples.py FOLDER --records DIR [--build DIR] [--plain] [--device] [--only TEXT] [-I DIR]…

Compiles each .cu below FOLDER for device and host at -O2, with the plugin, and reads all kernels' formulas with
`ergon show`. A kernel is
  exact    its flops, loads and stores rest on parameters and launch dimensions alone,
  bounded  on branches whose share is not known (0 to 1) or loops with a known limit, too,
  unknown  on anything else that is named.
--device compiles for the device alone, and to LLVM IR: enough for the table, in a fraction of the time.
--plain compiles each also without the plugin and prints the ratio of user times. Prints Markdown.
"""
import argparse
import collections
import json
import pathlib
import re
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNTED = ("flops_", "loads_", "stores_")


def compile_one(command, folder):
    """Exit status (124 after ten minutes), messages and user seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=600)
        status, text = done.returncode, done.stderr
    except subprocess.TimeoutExpired:
        status, text = 124, ""
    return status, text, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def names(formula):
    """The unknowns that a formula rests on."""
    return set(re.findall(r"`([^`]*)`", formula))


def classify(function):
    """exact, bounded or unknown, and the symbols that make it so."""
    symbols = set()
    for name, formula in function["counts"].items():
        if name.startswith(COUNTED):
            symbols |= names(formula)
    why = {unknown["symbol"]: unknown["why"] for unknown in function.get("unknowns", [])}
    open_calls = set(function.get("open_calls", {}))
    limited = all(symbol.startswith("taken@") or "at most" in why.get(symbol, "") for symbol in symbols)
    if open_calls or not limited:
        return "unknown", {symbol for symbol in symbols if not symbol.startswith("taken@")} | open_calls
    return ("bounded" if symbols else "exact"), symbols


def cause(symbol, why):
    """What a symbol is of a kind with."""
    if symbol.startswith("formula:"):
        return "formula: too large"
    if symbol.startswith(("call:", "recursion:", "launch:")):
        return symbol
    return symbol.partition("@")[0] + ": " + re.sub(r".*: ", "", re.sub(r"at most .*", "at most …", why))[:90]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--records", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--device", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("-I", action="append", default=[], dest="include", type=lambda text: pathlib.Path(text).resolve())
    options = parser.parse_args()
    flags = subprocess.run([ROOT / "scripts/cuda-flags.sh"], capture_output=True, text=True, check=True).stdout.split()
    toolkit = flags[0].removeprefix("--cuda-path=")
    base = ["clang++-22", *flags, "-std=c++17", "-O2", "-g", "-Wno-everything", "-isystem", f"{toolkit}/include/cccl"]
    if options.device:
        base += ["--cuda-device-only", "-emit-llvm"]
    tally, causes, examples, failed, seconds = (collections.Counter(), collections.Counter(), {}, [], [])
    rows = 0
    for path in sorted(options.folder.rglob("*.cu")):
        title = str(path.relative_to(options.folder))
        if options.only not in title:
            continue
        records = options.records / title.replace("/", "_")
        includes = [f"-I{folder}" for folder in (*options.include, path.parent, path.parent / "inc")]
        command = [*base, *includes, "-c", path.name, "-o", "/dev/null"]
        plugin = [f"-fpass-plugin={options.build}/lib/ErgonPasses.so", "-mllvm", f"-ergon-dir={records}"]
        status, text, used = compile_one(command + plugin, path.parent)
        if status:
            error = next((line.split("error: ")[-1] for line in text.splitlines() if "error: " in line), text[-200:])
            failed.append((title, status, error))
            print(f"{title}: {status} {error}", file=sys.stderr, flush=True)
            if status in (124, 134, 139) or "PLEASE submit" in text:
                print(f"CRASH OR HANG: {title}", file=sys.stderr)
            continue
        if options.plain:
            seconds.append((used, compile_one(command, path.parent)[2], title))
        shown = subprocess.run([f"{options.build}/bin/ergon", "show", records, "--target", "nvptx", "--json"],
                               capture_output=True, text=True)
        if shown.returncode:
            failed.append((title, shown.returncode, f"ergon show: {shown.stderr.strip()}"))
            print(failed[-1], file=sys.stderr, flush=True)
            continue
        rows += 1
        for function in json.loads(shown.stdout)["functions"]:
            if not function.get("kernel"):
                continue
            kind, symbols = classify(function)
            tally[kind] += 1
            why = {unknown["symbol"]: unknown["why"] for unknown in function.get("unknowns", [])}
            for each in {cause(symbol, why.get(symbol, "")) for symbol in symbols if kind == "unknown"}:
                causes[each] += 1
                examples.setdefault(each, f"{title}: {function['demangled'].split('(')[0]}")
            print(f"{title}: {function['demangled'].split('(')[0]}: {kind} {' '.join(sorted(symbols)[:3])}", file=sys.stderr,
                  flush=True)
    total = sum(tally.values())
    print(f"{rows} translation units compile, {len(failed)} do not; {total} kernels.\n\n| | kernels |\n| --- | --- |")
    for kind in ("exact", "bounded", "unknown"):
        print(f"| {kind} | {tally[kind]} ({tally[kind] / max(total, 1):.0%}) |")
    print("\n| kernels | cause | for instance |\n| --- | --- | --- |")
    for each, times in causes.most_common(25):
        print(f"| {times} | {each} | {examples[each]} |")
    if seconds:
        ratios = sorted((used / plain, title) for used, plain, title in seconds)
        print(f"\nUser time with the plugin over without: {sum(s[0] for s in seconds) / sum(s[1] for s in seconds):.3f} in "
              f"all, median {ratios[len(ratios) // 2][0]:.3f}, worst {ratios[-1][0]:.3f} ({ratios[-1][1]})")
    print("\n| does not compile | error |\n| --- | --- |")
    for title, status, error in failed:
        print(f"| {title} | {error[:120]} |")


if __name__ == "__main__":
    main()
