#!/usr/bin/env python3
"""How well fits predict measured runs, and what the settings they choose lose.

    bench/fit_accuracy.py ERGON SAMPLES.csv...   [--write FOLDER]

For each file: `ergon fit --time`, then `ergon evaluate --leave-out` with measured and with predicted
time: every figure but that of settings is of families that a fit did not see. Prints a Markdown table.
With --write, profiles and residuals are left in FOLDER.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile
import time


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{command[0]}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def percent(value):
    return f"{100 * value:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ergon")
    parser.add_argument("samples", nargs="+", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.write or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        print("Mean absolute percentage errors; in brackets by the formula alone, without the correction.\n")
        print("| samples | energy: settings left out | workloads left out | families left out | worst workload | time: families left out (median) "
              "| energies inside, width | with predicted time | times inside, width | choice loses | with predicted time | fastest | slowest | fixed | seconds |")
        print("|" + " --- |" * 15)
        for samples in args.samples:
            profile = folder / (samples.stem + ".json")
            start = time.perf_counter()
            fit = run(args.ergon, "fit", samples, "-o", profile, "--time", "--json",
                      "--residuals", folder / (samples.stem + "-residuals.csv"))
            seconds = time.perf_counter() - start
            errors = fit["energy_error"]

            def both(key):
                return f"{percent(errors[key]['mean'])} ({percent(errors[key]['formula_alone_mean'])})"
            left_out = [run(args.ergon, "evaluate", samples, "--leave-out", "--json", "--time", time) for time in ("measured", "predicted")]
            measured, predicted = (each["choice"][0] for each in left_out)
            inside = [each["intervals"] for each in left_out]

            def held(intervals, what):
                return f"{percent(intervals[what + '_inside'])} %, {intervals[what + '_width']:.2f}"
            worst = fit["workloads"][0]
            times = fit["time_error"].get("by_family", fit["time_error"]["in_sample"])
            print(f"| {samples.stem} | {both('by_setting')} | {both('by_workload')} | {both('by_family')} "
                  f"| {percent(worst['energy_error'])} {worst['workload']} "
                  f"| {percent(times['mean'])} ({percent(times['median'])}) "
                  f"| {held(inside[0], 'energy')} | {held(inside[1], 'energy')} | {held(inside[1], 'time')} "
                  f"| {percent(measured['model']['mean_loss'])} | {percent(predicted['model']['mean_loss'])} "
                  f"| {percent(measured['fastest']['mean_loss'])} | {percent(measured['slowest']['mean_loss'])} | {percent(measured['fixed']['mean_loss'])} "
                  f"| {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
