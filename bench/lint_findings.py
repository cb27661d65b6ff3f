#!/usr/bin/python3
"""What `ergon lint` finds in records of others' sources: a table by rule, and every finding with its line, to be judged by hand.

usage: lint_findings.py RECORDS [--build DIR] [--list FILE.md]

RECORDS has a folder of records for each translation unit (made with -g). Runs `ergon lint` without a machine on each; what several
report is counted once. Findings in /usr are not reported by `ergon lint`. Prints Markdown.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("records", type=pathlib.Path)
    parser.add_argument("--build", default=ROOT / "build", type=pathlib.Path)
    parser.add_argument("--list", type=pathlib.Path)
    options = parser.parse_args()
    by_rule, listed = collections.Counter(), []
    seen = set()
    reports = []
    for folder in sorted(each for each in options.records.iterdir() if each.is_dir()):
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
    print(f"{len(reports)} folders of records\n\n| rule | findings |\n| --- | --- |")
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
