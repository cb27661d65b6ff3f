"""Damages an honest sample file in one way each and expects a finding by name.

hostile_samples.py ERGON FOLDER [HONEST.csv]: without a file, an honest one is computed from a
board with two clocks. Prints a table: damage, exit status, names of the findings.
"""
import collections
import csv
import pathlib
import random
import re
import subprocess
import sys

CLASSES = ["flops_f32", "flops_f64", "int_ops", "bytes_l2", "bytes_dram"]
PRICES = [20e-12, 50e-12, 25e-12, 60e-12, 300e-12]
RATES = [8e12, 25e10, 4e12, 1e12, 3e11]  # at 1500 and 5000 MHz
CORE, MEM = [600, 800, 1000, 1200, 1400, 1600], [4000, 5000]


def honest():
    """24 workloads at 12 settings: time of a soft roofline, power of a constant and prices."""
    dice = random.Random(5)
    rows = []
    for w in range(24):
        shares = [dice.random() ** 3 if dice.random() < 0.7 else 0 for _ in RATES]
        shares[w % len(RATES)] = 1  # each class bounds some
        size = 0.05 * (1 + 9 * dice.random())
        counts = [round(s * r * size) for s, r in zip(shares, RATES)]
        for core in CORE:
            for mem in MEM:
                clocks = [1500 / core] * 4 + [5000 / mem]
                time = sum((s * size * c) ** 4 for s, c in zip(shares, clocks)) ** 0.25
                volts = 1 if core < 900 else 1 + (core - 900) * 4e-4
                watts = 30 + 0.02 * core * volts**2 + 0.002 * mem
                joules = watts * time + volts**2 * sum(c * p for c, p in zip(counts, PRICES))
                rows.append(
                    dict(workload=f"f{w % 6}/k{w}", core_mhz=core, mem_mhz=mem, core_mv="", mem_mv="",
                         time_s=time * dice.gauss(1, 0.005), energy_j=joules * dice.gauss(1, 0.01))
                    | dict(zip(CLASSES, counts)))
    return rows


def number(row, key):
    return float(row[key])


def scale(key, factor, which=lambda k, row: True):
    def change(rows):
        for k, row in enumerate(rows):
            if row[key] != "" and which(k, row):
                row[key] = number(row, key) * factor
    return change


def counts_scaled(factor, which=lambda k, row: True):
    def change(rows):
        for key in classes(rows):
            scale(key, factor, which)(rows)
    return change


def classes(rows):
    return [key for key in list(rows[0])[7:]]


def one(rows):
    """The position of a row in the middle of a workload's clocks."""
    return len(rows) // 2 + 4


def swap(a, b):
    def change(rows):
        for row in rows:
            row[a], row[b] = row[b], row[a]
    return change


def put(key, value):
    """`value(k, row)` into each row; None leaves it."""
    def change(rows):
        for k, row in enumerate(rows):
            new = value(k, row)
            if new is not None:
                row[key] = new
    return change


def keep(which):
    def change(rows):
        rows[:] = [row for k, row in enumerate(rows) if which(k, row)]
    return change


def one_scaled(key, factor):
    def change(rows):
        k = one(rows)
        rows[k][key] = number(rows[k], key) * factor
    return change


def highest(rows):
    return max(number(row, "core_mhz") for row in rows)


def halves(workloads):
    def change(rows):
        names = list(dict.fromkeys(row["workload"] for row in rows))[:workloads]
        for row in rows:
            if row["workload"] in names and number(row, "core_mhz") == highest(rows):
                row["energy_j"] = number(row, "energy_j") / 2.2
    return change


def halves_upper(rows):
    """In one workload, at all of the upper clocks."""
    name = rows[0]["workload"]
    clocks = sorted({number(row, "core_mhz") for row in rows})
    for row in rows:
        if row["workload"] == name and number(row, "core_mhz") >= clocks[len(clocks) // 2]:
            row["energy_j"] = number(row, "energy_j") / 2.2


def other_workloads(rows):
    energies = [row["energy_j"] for row in rows]
    random.Random(3).shuffle(energies)
    for row, energy in zip(rows, energies):
        row["energy_j"] = energy


def other_clocks(rows):
    """Energies and times in disorder within each workload."""
    dice = random.Random(4)
    of = collections.defaultdict(list)
    for row in rows:
        of[row["workload"]].append(row)
    for group in of.values():
        pairs = [row["energy_j"] for row in group]
        dice.shuffle(pairs)
        for row, value in zip(group, pairs):
            row["energy_j"] = value


def contradict(rows):
    rows.append(dict(rows[0], energy_j=number(rows[0], "energy_j") * 1.5))


def first_of_workload(key):
    """`key` of each workload's first row in all of its rows."""
    def change(rows):
        first = {}
        for row in rows:
            row[key] = first.setdefault(row["workload"], row[key])
    return change


def workloads(count):
    def change(rows):
        names = list(dict.fromkeys(row["workload"] for row in rows))[:count]
        rows[:] = [row for row in rows if row["workload"] in names]
    return change


def renamed(old, new):
    def change(rows):
        rows[:] = [{new if key == old else key: value for key, value in row.items()} for row in rows]
    return change


def text(pattern, new):
    """A change of the text of the file."""
    def change(lines):
        return re.sub(pattern, new, lines, flags=re.M)
    change.of_text = True
    return change


def no_effect(rows):
    """The highest core clock is that of the one below: time and energy are the same."""
    clocks = sorted({number(row, "core_mhz") for row in rows})[-2:]
    at = {(r["workload"], r["mem_mhz"]): r for r in rows if number(r, "core_mhz") == clocks[0]}
    for row in rows:
        below = at.get((row["workload"], row["mem_mhz"]))
        if below and number(row, "core_mhz") == clocks[1]:
            row["time_s"] = number(below, "time_s") * 1.001
            row["energy_j"] = number(below, "energy_j") * 1.001


def rounded(key, share):
    def change(rows):
        values = sorted(number(row, key) for row in rows)
        step = values[len(values) // 2] * share
        for row in rows:
            row[key] = max(1, round(number(row, key) / step)) * step
    return change


def milli_some(rows):
    """Two rows of one workload in ms."""
    for k in (one(rows), one(rows) + 1):
        rows[k]["time_s"] = number(rows[k], "time_s") * 1000


def lose_core_voltage(rows):
    for row in rows:
        del row["core_mv"]


REFUSED = None  # by the reader: one line with the place
CASES = [
    ("swapped clocks", swap("core_mhz", "mem_mhz"), "swapped-clocks"),
    ("swapped time and energy", swap("time_s", "energy_j"), "swapped-columns"),
    ("time in ms", scale("time_s", 1e3), "power-small"),
    ("time in us", scale("time_s", 1e6), "power-too-low|power-small"),
    ("time in ms and energy in mJ", lambda rows: [scale(k, 1e3)(rows) for k in ("time_s", "energy_j")],
     "price-high"),
    ("energy in mJ", scale("energy_j", 1e3), "power-too-high"),
    ("energy in kJ", scale("energy_j", 1e-3), "power-small"),
    ("core clock in GHz", scale("core_mhz", 1e-3), "units"),
    ("core clock in kHz", scale("core_mhz", 1e3), "units"),
    ("core clock in Hz", scale("core_mhz", 1e6), "units"),
    ("memory clock in GHz", scale("mem_mhz", 1e-3), "units"),
    ("core clocks x10", scale("core_mhz", 10), "clock-too-high"),
    ("one core clock x10", one_scaled("core_mhz", 10), "units|time-off-trend"),
    ("one energy x3", one_scaled("energy_j", 3), "power-off-trend"),
    ("one energy /3", one_scaled("energy_j", 1 / 3), "power-off-trend|power-falls"),
    ("one time x10", one_scaled("time_s", 10), "power-off-trend"),
    ("one energy and time x5", lambda rows: [one_scaled(k, 5)(rows) for k in ("energy_j", "time_s")],
     "time-off-trend"),
    ("one energy in mJ", one_scaled("energy_j", 1000), "power-off|power-too-high"),
    ("two rows in ms", milli_some, "power-off"),
    ("energies constant", put("energy_j", lambda k, row: 7.5), "constant-energies"),
    ("times constant", put("time_s", lambda k, row: 0.25), "constant-times"),
    ("energy of one clock at all", first_of_workload("energy_j"), "energies-same-at-clocks"),
    ("time of one clock at all", first_of_workload("time_s"), "times-same-at-clocks"),
    ("energy from a rated power", put("energy_j", lambda k, row: number(row, "time_s") * 180),
     "constant-power"),
    ("power halves at the highest clock", halves(1), "power-falls"),
    ("power halves at upper clocks", halves_upper, "power-falls"),
    ("energies of other workloads", other_workloads, "power-without-order"),
    ("energies of other clocks", other_clocks, "power-off-trend|power-without-order"),
    ("repeat that contradicts", contradict, "repeats-differ"),
    ("row twice", lambda rows: rows.append(dict(rows[3])), "duplicate-rows"),
    ("fewer workloads than classes", workloads(3), "fewer-workloads-than-classes"),
    ("one workload", workloads(1), "few-workloads"),
    ("one setting", keep(lambda k, row: row["core_mhz"] == 1000 and row["mem_mhz"] == 4000),
     "one-setting"),
    ("class that no record counts", renamed("flops_f64", "f64_lane_ops"), "class-not-counted"),
    ("class always 0", put("int_ops", lambda k, row: 0), "zero-classes"),
    ("class always blank", put("int_ops", lambda k, row: ""), "blank-classes"),
    ("some counts blank", put("int_ops", lambda k, row: "" if k % 5 == 0 else None), "blank-counts"),
    ("counts in millions", counts_scaled(1e-6), "counts-too-low"),
    ("counts times a million", counts_scaled(1e6), "counts-too-high"),
    ("rates for counts", lambda rows: [put(key, lambda k, row, key=key:
                                           number(row, key) / number(row, "time_s"))(rows)
                                       for key in classes(rows)], "counts-vary"),
    ("counts cut to 32 bits", lambda rows: [put(key, lambda k, row, key=key:
                                                int(number(row, key)) % 2**32)(rows)
                                            for key in classes(rows)], "counts-cut-off"),
    ("counts stop at 2^32 - 1", lambda rows: [put(key, lambda k, row, key=key:
                                                  min(int(number(row, key)), 2**32 - 1))(rows)
                                              for key in classes(rows)], "counts-saturated"),
    ("f32 and f64 swapped", swap("flops_f32", "flops_f64"), "swapped-classes"),
    ("one count x1000", one_scaled("int_ops", 1000), "count-outlier"),
    ("one count x10", one_scaled("int_ops", 10), "count-outlier"),
    ("one count /1000", one_scaled("int_ops", 1e-3), "count-outlier"),
    ("one count 0", one_scaled("int_ops", 0), "count-outlier"),
    ("one of two counts x10", lambda rows: [change(rows) for change in (
        keep(lambda k, row: row["core_mhz"] in (1000, 1200) and row["mem_mhz"] == 4000),
        one_scaled("int_ops", 10))], "count-outlier"),
    ("class copied", put("int_ops", lambda k, row: number(row, "flops_f32") * 2),
     "proportional-classes"),
    ("negative count", one_scaled("bytes_l2", -1), REFUSED),
    ("negative energy", one_scaled("energy_j", -1), REFUSED),
    ("count of 1e25", put("bytes_l2", lambda k, row: 1e25 if k == 7 else None), REFUSED),
    ("count of 1e308", put("flops_f32", lambda k, row: 1e308 if k == 7 else None), REFUSED),
    ("time of 1e10 s", put("time_s", lambda k, row: 1e10 if k == 7 else None), REFUSED),
    ("energy of 1e300 J", put("energy_j", lambda k, row: 1e300 if k == 7 else None), REFUSED),
    ("energy 0", one_scaled("energy_j", 0), REFUSED),
    ("time 0", one_scaled("time_s", 0), REFUSED),
    ("nan", one_scaled("energy_j", float("nan")), REFUSED),
    ("inf", one_scaled("time_s", float("inf")), REFUSED),
    ("time blank", put("time_s", lambda k, row: "" if k == 7 else None), REFUSED),
    ("energies partly blank", put("energy_j", lambda k, row: "" if k == 7 else None),
     "energy-partly"),
    ("voltage in V", put("core_mv", lambda k, row: 0.9), "units"),
    ("voltage falls with the clock", put("core_mv", lambda k, row: 1500 - number(row, "core_mhz") / 4),
     "voltage-falls"),
    ("voltage partly blank", put("core_mv", lambda k, row: 900 if k % 2 else ""), "voltage-partly"),
    ("no voltage column", lose_core_voltage, REFUSED),
    ("highest clock without effect", no_effect, "clock-without-effect|cycles-differ"),
    ("energies of few steps", rounded("energy_j", 0.5), "coarse-values"),
    ("times of few steps", rounded("time_s", 0.25), "coarse-values"),
    ("names with blanks", put("workload", lambda k, row: row["workload"].replace("/", " /" if k % 2 else "/")),
     "names-alike"),
    ("names in other case", put("workload", lambda k, row: row["workload"].upper() if k % 2 else None),
     "names-alike"),
    ("decimal commas", text(r"(\d)\.(\d)", r"\1,\2"), REFUSED),
    ("quoted decimal commas", text(r"(\d+)\.(\d+)", r'"\1,\2"'), REFUSED),
    ("semicolons", text(",", ";"), REFUSED),
    ("thousands separators", text(r"\b(\d\d)(\d{9})\b", r"\1'\2"), REFUSED),
    ("header with blanks", text("core_mhz,", "core mhz,"), REFUSED),
    ("header in capitals", text("time_s", "Time_S"), REFUSED),
    ("column twice", text("int_ops", "flops_f32"), REFUSED),
    ("trailing commas", text("$", ","), REFUSED),
    ("no header", text(r"\Aworkload.*\n", ""), REFUSED),
]


def write(path, rows):
    with open(path, "w", newline="") as file:
        out = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


def run(ergon, path):
    done = subprocess.run([ergon, "fit", path, "-o", path.with_suffix(".json"), "--kind", "gpu",
                           "--reference", "made up"], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stderr


def main():
    ergon, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    base = honest()
    if len(sys.argv) > 3:
        with open(sys.argv[3], newline="") as file:
            base = list(csv.DictReader(file))
    path = folder / "honest.csv"
    write(path, base)
    status, said = run(ergon, path)
    print(f"honest: {status} {said}")
    usual = set(re.findall(r"\[([a-z-]+)\]$", said, re.M))
    wrong = int(len(sys.argv) == 3 and (status != 0 or said != ""))
    for name, change, expected in CASES:
        path = folder / (re.sub(r"\W+", "-", name) + ".csv")
        rows = [dict(row) for row in base]
        try:
            if not hasattr(change, "of_text"):
                change(rows)
            write(path, rows)
            if hasattr(change, "of_text"):
                path.write_text(change(path.read_text()))
        except (KeyError, IndexError):
            continue
        status, said = run(ergon, path)
        names = set(re.findall(r"\[([a-z-]+)\]$", said, re.M))
        if expected is REFUSED:
            good = status == 2 and len(said.splitlines()) == 1 and path.name in said
        else:
            good = bool(names & set(expected.split("|"))) and status in (0, 2)
        wrong += not good
        print(f"{'ok   ' if good else 'WRONG'} {name:<36} {status} "
              f"{expected or 'refused'} <- {', '.join(sorted(names - usual)) or said.strip()[-110:]}")
    print(f"{wrong} wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
