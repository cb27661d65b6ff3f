#!/usr/bin/python3
"""Predicted beside measured, on a GPU that was calibrated: gpu_accuracy.py ERGON RECORDS OUT [PROFILE]

OUT is what PACK/run.sh left (scripts/calibrate-gpu.sh): gpu.json, the profile (or PROFILE); workloads.jsonl, what a
launch of each kernel took; runs/, run records with the energies; counters.csv, where a profiler counted, a row a
workload with its metrics by name. Calibration saw none of the kernels, and nothing is run here: time
and energy follow from the records and the profile. Errors are predicted/measured - 1; the last lines have the median and the largest of
their sizes. Exit status 1 where a kernel cannot be predicted, which is named with the reason.
"""
import csv
import json
import pathlib
import statistics
import subprocess
import sys

if len(sys.argv) not in (4, 5):
    sys.exit(__doc__)
ergon, records, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
profile = sys.argv[4] if len(sys.argv) == 5 else str(out / "gpu.json")


def listed():
    """The kernels of the records: mangled and demangled names."""
    done = subprocess.run([ergon, "show", records, "--target", "nvptx", "--json"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr.strip())
    return [(each["name"], each["demangled"]) for each in json.loads(done.stdout)["functions"] if each["kernel"]]


def entry(kernels, how):
    """Mangled names of those whose demangled names begin like that, or have all parts that bars are between."""
    parts = how.split("|")
    return [name for name, demangled in kernels
            if (demangled.removeprefix("void ").startswith(how) if len(parts) == 1 else all(part in demangled for part in parts))]


def energies():
    """Joules by region, of one GPU's meter."""
    result = {}
    for path in sorted((out / "runs").glob("run-*.json")):
        for region in json.loads(path.read_text()).get("regions", []):
            for name, joules in region.get("energy_j", {}).items():
                if name.startswith("nvml/") and region["path"]:
                    result[region["path"][-1]] = joules
    return result


def predict(name, sets):
    words = [ergon, "predict", records, "--target", "nvptx", "--entry", name, "--machine", profile, "--json"]
    for each in sets.items():
        words += ["--set", "{}={}".format(*each)]
    done = subprocess.run(words, capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip() or done.stdout[:200]


def counted(row):
    """Counts of Ergon's classes from a profiler's metrics of a launch."""
    def of(name):
        return float(row[name])

    def flops(letter):
        name = "smsp__sass_thread_inst_executed_op_{}{}_pred_on.sum"
        return sum(of(name.format(letter, each)) * times for each, times in (("add", 1), ("mul", 1), ("fma", 2)))

    return {"flops_f32": flops("f"), "flops_f64": flops("d"), "flops_f16": flops("h"),
            "bytes_dram": of("dram__bytes_read.sum") + of("dram__bytes_write.sum"), "bytes_l2": 32 * of("lts__t_sectors.sum"),
            "int_ops": of("smsp__sass_thread_inst_executed_op_integer_pred_on.sum")}


def print_counters(predictions):
    """Predicted by counted, of each workload and class."""
    path = out / "counters.csv"
    if not path.exists():
        return
    classes, ratios = ("flops_f32", "flops_f64", "flops_f16", "bytes_dram", "bytes_l2", "int_ops"), {}
    print(f"\n{'predicted / counted':<22}" + "".join(f"{each:>12}" for each in classes))
    for row in csv.DictReader(path.open()):
        found = predictions.get(row["workload"])
        if found is None:
            continue
        line = f"{row['workload']:<22}"
        for name, number in counted(row).items():
            value = found["counts"].get(name, 0)
            if number:
                ratios.setdefault(name, []).append(value / number)
            line += f"{value / number:>12.3f}" if number else f"{'-' if not value else 'none':>12}"
        print(line)
    for name, each in ratios.items():
        errors = [abs(ratio - 1) for ratio in each]
        print(f"{name}: |predicted/counted - 1| of {len(each)} kernels: median {statistics.median(errors) * 100:.1f} %, "
              f"largest {max(errors) * 100:.1f} %")


def main():
    kernels, joules, failed, predictions = listed(), energies(), False, {}
    errors = {"time": [], "energy": []}
    print(f"{'kernel':<22}{'ms':>10}{'predicted':>11}{'error':>8}{'J':>11}{'predicted':>11}{'error':>8}  bound")
    for line in (out / "workloads.jsonl").read_text().splitlines():
        run = json.loads(line)
        names = entry(kernels, run["kernel"])
        found = predict(names[0], run["sets"]) if len(names) == 1 else f"{len(names)} kernels have such a name"
        if isinstance(found, str):
            print(f"{run['name']:<22}not predicted: {found}")
            failed = True
            continue
        predictions[run["name"]] = found
        row = f"{run['name']:<22}"
        energy = joules[run["name"]] / run["launches"] if run["name"] in joules else None
        for what, measured, key, scale in (("time", run["time_s"], "time_s", 1e3), ("energy", energy, "energy_j", 1)):
            value = (found.get(key) or {}).get("value")
            cells = [f"{each * scale:.4g}" if each else "-" for each in (measured, value)]
            if measured and value:
                errors[what].append(abs(value / measured - 1))
                cells.append(f"{(value / measured - 1) * 100:.1f}%")
            row += "{:>{}}{:>11}{:>8}".format(cells[0], 10 if what == "time" else 11, cells[1], *cells[2:] or "-")
        print(f"{row}  {found.get('bound')}")
    for what, each in errors.items():
        if each:
            print(f"{what}: |predicted/measured - 1| of {len(each)} kernels: median {statistics.median(each) * 100:.1f} %, "
                  f"mean {statistics.mean(each) * 100:.1f} %, largest {max(each) * 100:.1f} %")
        else:
            print(f"{what}: not measured, or not predicted")
    print_counters(predictions)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
