#!/usr/bin/python3
"""What `ergon lint` finds in source files of others: a table by rule, and every finding with its line, to be judged by hand.

usage: lint_findings.py --records DIR [--build DIR] [--list FILE.md] [-I DIR]… FILE…

Compiles each FILE (.cpp, .cc or .cu; kernels need a CUDA toolkit) at -O2 -g with the plugin into records of its own, and runs `ergon lint` without a
machine on each; what several report is counted once. Findings in /usr are not reported by `ergon lint`: headers are looked at where -I gives them. Prints Markdown.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def compile_one(file, options, records):
    """The compiler's messages; empty where it was content."""
    command = ["clang++-22", "-O2", "-g", "-w", f"-fpass-plugin={options.build}/lib/ErgonPasses.so", "-mllvm", f"-ergon-dir={records}"]
    command += [f"-I{each}" for each in options.include] + ["-c", str(file), "-o", "/dev/null"]
    if file.suffix == ".cu":
        command += subprocess.run([ROOT / "scripts/cuda-flags.sh"], check=True, capture_output=True, text=True).stdout.split()
        command += ["-isystem", "/usr/local/cuda/include/cccl"] if pathlib.Path("/usr/local/cuda/include/cccl").exists() else []
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=900)
    except subprocess.TimeoutExpired:
        return "longer than 15 minutes"
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["?"])[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--records", required=True, type=pathlib.Path)
    parser.add_argument("--build", default=ROOT / "build", type=pathlib.Path)
    parser.add_argument("--list", type=pathlib.Path)
    parser.add_argument("-I", dest="include", action="append", default=[])
    options = parser.parse_args()
    compiled, by_rule, listed = 0, collections.Counter(), []
    for file in options.files:
        records = options.records / (file.stem + file.suffix.replace(".", "-"))
        bad = compile_one(file, options, records)
        if bad:
            print(f"not compiled: {file.name}: {bad}", file=sys.stderr)
            continue
        compiled += 1
    seen = set()
    reports = []
    for folder in sorted(options.records.iterdir()):
        run = subprocess.run([options.build / "bin/ergon", "lint", folder, "--json", "--fail-on", "never"], capture_output=True, text=True)
        if run.returncode not in (0, 2) or not run.stdout:
            print(f"{folder.name}: {run.stderr.strip()}", file=sys.stderr)
            continue
        reports.append(run.stdout)
    for report in reports:
        for each in json.loads(report)["findings"]:
            place = (each["file"], each["line"], each["column"], each["rule"])
            if place not in seen:
                seen.add(place)
                by_rule[each["rule"]] += 1
                listed.append(each)
    print(f"{compiled} of {len(options.files)} files compiled\n\n| rule | findings |\n| --- | --- |")
    for rule, times in sorted(by_rule.items()):
        print(f"| {rule} | {times} |")
    if options.list:
        lines = []
        for each in sorted(listed, key=lambda e: (e["rule"], e["file"], e["line"])):
            try:
                text = open(each["file"], errors="replace").read().splitlines()[each["line"] - 1].strip()
            except (OSError, IndexError):
                text = "?"
            lines.append(f"- {each['rule']} {each['file']}:{each['line']}:{each['column']} in `{each['function'][:120]}`: {each['message']}\n  `{text}`")
        options.list.write_text("\n".join(lines) + "\n")


main()
