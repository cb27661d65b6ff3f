#!/usr/bin/env python3
"""How well fits predict measured runs, and what the settings they choose lose.

    bench/fit_accuracy.py ERGON SAMPLES.csv...   [--write FOLDER]

For each file: `ergon fit --time`, then `ergon evaluate` with measured and with predicted
time. Prints a Markdown table. With --write, profiles and residuals are left in FOLDER.
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
        print("| samples | energy: settings left out | workloads left out | worst workload | time: workloads left out (median) "
              "| choice loses | with predicted time | fastest loses | slowest loses | seconds |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
        for samples in args.samples:
            profile = folder / (samples.stem + ".json")
            start = time.perf_counter()
            fit = run(args.ergon, "fit", samples, "-o", profile, "--time", "--json",
                      "--residuals", folder / (samples.stem + "-residuals.csv"))
            seconds = time.perf_counter() - start
            errors = fit["energy_error"]

            def both(key):
                return f"{percent(errors[key]['mean'])} ({percent(errors[key]['formula_alone_mean'])})"
            measured = run(args.ergon, "evaluate", profile, samples, "--json")["choice"][0]
            predicted = run(args.ergon, "evaluate", profile, samples, "--json", "--time", "predicted")["choice"][0]
            worst = fit["workloads"][0]
            times = fit["time_error"].get("by_workload", fit["time_error"]["in_sample"])
            print(f"| {samples.stem} | {both('by_setting')} | {both('by_workload')} "
                  f"| {percent(worst['energy_error'])} {worst['workload']} "
                  f"| {percent(times['mean'])} ({percent(times['median'])}) "
                  f"| {percent(measured['model']['mean_loss'])} | {percent(predicted['model']['mean_loss'])} "
                  f"| {percent(measured['fastest']['mean_loss'])} | {percent(measured['slowest']['mean_loss'])} "
                  f"| {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
