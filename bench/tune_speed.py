#!/usr/bin/python3
"""One prediction, and `ergon tune` over many settings for many functions.

usage: tune_speed.py [--build DIR] [--functions N] [--settings N] [--rounds N] [--profile FILE]…

Compiles inputs/one_prediction.cpp with the libraries of the build and runs it on the shipped profiles and those
given. Then records a C file of --functions functions (matrix product, triangular solve, stencil, in turn, with bounds
that differ), writes a profile of --settings settings with coefficients whose errors are stated, and times
`ergon tune --all`: the whole command, with its processor time, beside python3 loading the same record with json.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

from predict_speed import KERNELS, PYTHON, ROOT, seconds


def one_prediction(build, profiles, folder):
    program = folder / "one_prediction"
    subprocess.run(["clang++-22", "-std=c++2b", "-O2", f"-I{ROOT}", ROOT / "bench/inputs/one_prediction.cpp", "-o",
                    program, build / "formats/libergon_formats.a", build / "model/libergon_model.a", "-lsimdjson"],
                   check=True)
    subprocess.run([program, *profiles], check=True)


def profile(settings):
    """A GPU's profile whose clocks go from 500 to 1500 MHz, the memory's from 3 to 5 GHz."""
    source = {"kind": "measured", "reference": "made for a benchmark", "date": "2026", "uncertainty": 0.03}
    number = lambda value: {"value": value, "source": "s"}
    memory = [3000, 4000, 4500, 5000]
    rows = [{"core_mhz": 500 + 1000 * (i // len(memory)) * len(memory) / settings, "mem_mhz": memory[i % len(memory)],
             "core_mv": 800 + 250 * (i // len(memory)) * len(memory) / settings, "source": "s"}
            for i in range(settings)]
    core = {"clock": "core", "at_mhz": 1500}
    classes = ["flops_f32", "flops_f64", "int_ops", "int_mul", "int_div", "special_f64", "div_f64", "branches"]
    return {"schema": "ergon-profile/1", "name": "many-settings", "description": "Made for a benchmark.",
            "kind": "gpu", "sources": {"s": source}, "settings": rows,
            "default_setting": {key: rows[0][key] for key in ("core_mhz", "mem_mhz")},
            "throughput": {name: {"per_s": number(1e12)} | core for name in classes} |
                          {"bytes_dram": {"per_s": number(4e11), "clock": "mem", "at_mhz": 5000}},
            "energy": {name: {"j_per_v2": number(2e-11), "rail": "core"} for name in classes} |
                      {"bytes_dram": {"j": number(1e-10)}},
            "constant_power": {"misc_w": number(40), "core_w_per_v": number(20)}}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options.add_argument("--functions", type=int, default=1000)
    options.add_argument("--settings", type=int, default=200)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--profile", action="append", default=[])
    options = options.parse_args()
    shipped = [p for p in sorted((ROOT / "machine-profiles").glob("*.json")) if p.stem != "schema"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        one_prediction(options.build, [*shipped, *options.profile], folder)
        code, records, machine = folder / "many.c", folder / "records", folder / "many-settings.json"
        code.write_text("\n".join(KERNELS[i % len(KERNELS)].format(i=i, less=i % 97) for i in range(options.functions)))
        machine.write_text(json.dumps(profile(options.settings)))
        subprocess.run(["clang-22", "-O2", "-g", f"-fpass-plugin={options.build}/lib/ErgonPasses.so", "-mllvm",
                        f"-ergon-dir={records}", "-c", code, "-o", "/dev/null"], check=True)
        tune = [options.build / "bin/ergon", "tune", records, "--all", "--set", "n=1000", "--machine"]
        commands = {f"tune --all on {machine.stem}": [*tune, machine],
                    f"tune --all --json on {machine.stem}": [*tune, machine, "--json"]}
        commands |= {f"tune --all on {p}": [*tune, p] for p in options.profile}
        commands["python3 json"] = [sys.executable, "-c", PYTHON, records]
        runs = {what: [] for what in commands}
        for _ in range(options.rounds):
            for what, command in commands.items():
                runs[what].append(seconds(command))
    print(f"{options.functions} functions, {options.settings} settings")
    for what, times in runs.items():
        wall, cpu = (statistics.median(one[k] for one in times) for k in (0, 1))
        print(f"  {what:<40} {wall:8.3f} s, processor {cpu:8.3f} s")


if __name__ == "__main__":
    main()
