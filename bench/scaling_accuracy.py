#!/usr/bin/env python3
"""How well `ergon scale --runs` predicts the energy efficiency of runs that it was not given.

    bench/scaling_accuracy.py ERGON TABLE.csv...

For each table of runs (docs/scaling.md): every number of processors of every program left out; the same
where the table has powers of two alone; and what follows from runs at p = 1, 2 and 4 for all others.
Prints a Markdown table: cases, mean error of EE, share within 10 %, share inside of the 95 % interval.
"""
import argparse
import collections
import csv
import json
import pathlib
import subprocess
import tempfile


def scale(ergon, rows, *more):
    """The document of `ergon scale --runs` for rows of a table."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
        file.flush()
        done = subprocess.run([ergon, "scale", "--runs", file.name, "--json", *more], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr.strip())
    return json.loads(done.stdout)


def cells(cases):
    """Of (measured, predicted) pairs, as cells of the table."""
    if not cases:
        return "- | - | - | - "
    errors = [abs(predicted["value"] / measured - 1) for measured, predicted in cases]
    inside = sum(predicted["low"] <= measured <= predicted["high"] for measured, predicted in cases)
    return (f"{len(cases)} | {100 * sum(errors) / len(errors):.1f} % | "
            f"{100 * sum(error <= 0.1 for error in errors) / len(errors):.0f} % | {100 * inside / len(cases):.0f} % ")


def left_out(ergon, rows):
    if not rows:
        return []
    document = scale(ergon, rows)
    return [(case["measured"], case["predicted"]) for case in document["left_out"].get("points", [])]


def from_few(ergon, rows):
    """Programs with runs at p = 1, 2 and 4 of one node: what these say of EE at the other p."""
    few = [row for row in rows if row["p"] in ("1", "2", "4") and row.get("nodes", "1") in ("", "1")]
    if not few:
        return []
    programs = collections.defaultdict(dict)
    for row in rows:
        if row.get("energy_j"):
            programs[row["workload"], row["n"], row.get("core_mhz")][int(row["p"])] = float(row["energy_j"])
    others = sorted({int(row["p"]) for row in rows} - {1, 2, 4})
    if not others:
        return []
    cases = []
    for point in scale(ergon, few, "-p", ",".join(map(str, others)))["points"]:
        mhz = point.get("core_mhz")
        for (workload, n, clock), energies in programs.items():
            if workload == point.get("workload") and float(n) == point["n"] and (not clock or float(clock) == mhz):
                if {1, 2, 4} <= set(energies) and point["p"] in energies and "ee" in point:
                    cases.append((energies[1] / energies[point["p"]], point["ee"]))
    return cases


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ergon")
    parser.add_argument("tables", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    print("| table | each p left out: cases | error | within 10 % | inside | powers of two: cases | error | within 10 % | inside "
          "| from p = 1, 2, 4: cases | error | within 10 % | inside |")
    print("|" + " --- |" * 13)
    for table in args.tables:
        rows = list(csv.DictReader(table.open()))
        powers = [row for row in rows if int(row["p"]) & (int(row["p"]) - 1) == 0]
        print(f"| {table.stem} | {cells(left_out(args.ergon, rows))}| {cells(left_out(args.ergon, powers))}| {cells(from_few(args.ergon, rows))}|")


if __name__ == "__main__":
    main()
