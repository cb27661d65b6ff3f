#!/usr/bin/python3
"""How many kernels of a folder of records are exact, bounded, unknown, and why.

usage: exact_kernels.py RECORDS [--build DIR] [--only TEXT]

RECORDS has a folder of records for each program or translation unit. `ergon show` gives all kernels' formulas. A kernel is
  exact    its flops, loads and stores rest on parameters and launch dimensions alone,
  bounded  on branches whose share is not known (0 to 1) or loops with a known limit, too,
  unknown  on anything else that is named.
Prints Markdown.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNTED = ("flops_", "loads_", "stores_")


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
    parser.add_argument("records", type=pathlib.Path)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    tally, causes, examples, failed = collections.Counter(), collections.Counter(), {}, []
    folders = 0
    for records in sorted(each for each in options.records.iterdir() if each.is_dir()):
        if options.only not in records.name:
            continue
        shown = subprocess.run([f"{options.build}/bin/ergon", "show", records, "--target", "nvptx", "--json"],
                               capture_output=True, text=True)
        if shown.returncode:
            failed.append((records.name, shown.stderr.strip()))
            continue
        folders += 1
        for function in json.loads(shown.stdout)["functions"]:
            if not function.get("kernel"):
                continue
            kind, symbols = classify(function)
            tally[kind] += 1
            why = {unknown["symbol"]: unknown["why"] for unknown in function.get("unknowns", [])}
            for each in {cause(symbol, why.get(symbol, "")) for symbol in symbols if kind == "unknown"}:
                causes[each] += 1
                examples.setdefault(each, f"{records.name}: {function['demangled'].split('(')[0]}")
            print(f"{records.name}: {function['demangled'].split('(')[0]}: {kind} {' '.join(sorted(symbols)[:3])}",
                  file=sys.stderr, flush=True)
    total = sum(tally.values())
    print(f"{folders} folders of records, {total} kernels.\n\n| | kernels |\n| --- | --- |")
    for kind in ("exact", "bounded", "unknown"):
        print(f"| {kind} | {tally[kind]} ({tally[kind] / max(total, 1):.0%}) |")
    print("\n| kernels | cause | for instance |\n| --- | --- | --- |")
    for each, times in causes.most_common(25):
        print(f"| {times} | {each} | {examples[each]} |")
    if failed:
        print("\n| not shown | error |\n| --- | --- |")
    for title, error in failed:
        print(f"| {title} | {error[:120]} |")


if __name__ == "__main__":
    main()
