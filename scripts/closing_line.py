#!/usr/bin/python3
"""Prints the closing line of a test run from lit's own report: `N passed, N failed, N skipped`.

usage: closing_line.py REPORT.json LIT_EXIT_STATUS

Anything but a pass, an expected failure or a lacking feature is failed: timed out, unresolved, and
passed where a failure was expected, which lit's exit status does not tell. Exits 1 where a test
failed, none ran, or lit itself failed.
"""

import collections
import json
import sys

PASSED = {"PASS", "FLAKYPASS", "XFAIL"}
SKIPPED = {"UNSUPPORTED"}


def results(report):
    """(name, code) of each test; none where lit wrote no report."""
    try:
        with open(report, encoding="utf-8") as file:
            return [(test["name"], test["code"]) for test in json.load(file)["tests"]]
    except (OSError, ValueError) as error:
        print(f"no test results: {error}")
        return []


def main():
    report, lit_status = sys.argv[1], int(sys.argv[2])
    count = collections.Counter()
    for name, code in results(report):
        kind = "passed" if code in PASSED else "skipped" if code in SKIPPED else "failed"
        count[kind] += 1
        if kind == "failed":
            print(f"{code}: {name}")
    if lit_status and not count["failed"]:
        print(f"lit ended with status {lit_status} and reported no failed test")
    elif not count["passed"] + count["failed"]:
        print("no test ran")
    print(f"{count['passed']} passed, {count['failed']} failed"
          + (f", {count['skipped']} skipped" if count["skipped"] else ""))
    return 0 if count["passed"] and not count["failed"] and not lit_status else 1


if __name__ == "__main__":
    sys.exit(main())
