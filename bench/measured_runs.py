#!/usr/bin/env python3
"""What measured runs of a program add: errors of time and energy over a sweep's settings, intervals and choices.

    bench/measured_runs.py ERGON SAMPLES.csv --runs "2000/5500" "2000/5500 1600/4000"     families left out, one at a time
    bench/measured_runs.py ERGON KERNELS.csv --fitted-on MICROBENCHMARKS.csv --runs …      one board, other programs

Each family (the part of a workload's name up to the first `/`) is predicted by a profile that was fitted without it. --runs gives sets of settings at which a run
of each workload is known; no run stands first. Errors are means of |predicted/measured - 1| over all rows, the measured ones too; intervals are of the others.
A choice's loss is the energy at the setting that `ergon evaluate` chooses over the least measured one, less 1; `fixed` is the setting that loses least for the
workloads of the other families.
"""
import argparse
import concurrent.futures
import csv
import json
import pathlib
import statistics
import subprocess
import tempfile

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("ergon")
parser.add_argument("samples", type=pathlib.Path)
parser.add_argument("--fitted-on", type=pathlib.Path)
parser.add_argument("--runs", nargs="+", required=True)
options = parser.parse_args()


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def family(row):
    return row["workload"].split("/")[0]


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def answers(profile, samples, folder):
    """For each set of runs: the document, and each row with its relative errors."""
    result = []
    for number, runs in enumerate(["", *options.runs]):
        known = [word for setting in runs.split() for word in ("--measured-at", setting)] or ["--time", "predicted"]
        residuals = folder / f"{number}.csv"
        document = json.loads(run(options.ergon, "evaluate", profile, samples, *known, "--json", "--residuals", residuals))
        result.append((document, read(residuals)))
    return result


def fold(rows, name, folder):
    folder.mkdir()
    write(folder / "fitted.csv", [row for row in rows if family(row) != name])
    write(folder / "left.csv", [row for row in rows if family(row) == name])
    run(options.ergon, "fit", folder / "fitted.csv", "-o", folder / "profile.json", "--time")
    return answers(folder / "profile.json", folder / "left.csv", folder)


def losses(rows, chosen):
    """By workload: what the row of `chosen(rows of it)` needs over the least."""
    workloads = {}
    for row in rows:
        workloads.setdefault(row["workload"], []).append(row)
    least = {name: min(float(row["energy_j"]) for row in of) for name, of in workloads.items()}
    return {name: float(chosen(of)["energy_j"]) / least[name] - 1 for name, of in workloads.items() if len(of) > 1}


def setting(row):
    return row["core_mhz"], row["mem_mhz"]


def fixed_losses(rows):
    by_setting = {}
    for key in {setting(row) for row in rows}:
        by_setting[key] = losses(rows, lambda of, key=key: next((row for row in of if setting(row) == key), max(of, key=lambda row: float(row["energy_j"]))))
    families = {row["workload"]: family(row) for row in rows}
    apart = len(set(families.values())) > 1
    result = {}
    for name in families:
        others = [other for other in families if (families[other] != families[name] if apart else other != name)]
        best = min(by_setting, key=lambda key: sum(by_setting[key][other] for other in others))
        result[name] = by_setting[best][name]
    return result


def percent(value):
    return f"{100 * value:.2f}"


def main():
    rows = read(options.samples)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        if options.fitted_on:
            run(options.ergon, "fit", options.fitted_on, "-o", scratch / "profile.json", "--time")
            folds = [answers(scratch / "profile.json", options.samples, scratch)]
        else:
            names = sorted({family(row) for row in rows})
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                folds = list(pool.map(lambda name: fold(rows, name, scratch / name), names))
    print("| runs | time | energy | worst workload's energy | times inside, width | energies inside, width | choice loses, most |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for number, runs in enumerate(["none", *options.runs]):
        residuals = [row for of in folds for row in of[number][1]]
        errors = {what: [abs(float(row[f"{what}_error"])) for row in residuals] for what in ("time", "energy")}
        by_workload = {}
        for row in residuals:
            by_workload.setdefault(row["workload"], []).append(abs(float(row["energy_error"])))
        worst = max(by_workload, key=lambda name: statistics.mean(by_workload[name]))
        choices = [of[number][0]["choice"][0] for of in folds]
        swept = sum(one["workloads"] for one in choices)
        lost = sum(one["workloads"] * one["model"]["mean_loss"] for one in choices) / swept
        most = max(one["model"]["max_loss"] for one in choices)
        inside = "– | –"
        if found := [of[number][0]["intervals"] for of in folds if "intervals" in of[number][0]]:
            total = sum(one["rows"] for one in found)
            share = {what: sum(one["rows"] * one[f"{what}_inside"] for one in found) / total for what in ("time", "energy")}
            width = {what: statistics.median(one[f"{what}_width"] for one in found) for what in ("time", "energy")}
            inside = " | ".join(f"{percent(share[what])} %, {width[what]:.2f}" for what in ("time", "energy"))
        print(
            f"| {runs} | {percent(statistics.mean(errors['time']))} | {percent(statistics.mean(errors['energy']))} "
            f"| {percent(statistics.mean(by_workload[worst]))} {worst.split('/')[0]} | {inside} "
            f"| {percent(lost)}, {percent(most)} |"
        )
    print()
    fast, fixed = losses(rows, lambda of: min(of, key=lambda row: float(row["time_s"]))), fixed_losses(rows)
    print(f"Fastest loses {percent(statistics.mean(fast.values()))}; the best fixed setting of the others {percent(statistics.mean(fixed.values()))}.")


main()
