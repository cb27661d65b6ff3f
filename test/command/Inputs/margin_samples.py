"""Damages an honest sample file in one way each, by less and by more than its finding allows.

margin_samples.py ERGON FOLDER: prints a table: finding, names of what was found just inside and
just outside of its limit. Inside nothing may be found, outside the finding must be.
"""
import pathlib
import re
import sys

from hostile_samples import (CLASSES, counts_scaled, highest, honest, keep, number, one, put, rounded, run, scale,
                             write)


def clocks(*mhz):
    """Fewer core clocks."""
    return keep(lambda k, row: row["core_mhz"] in mhz)


def some(factor, key="energy_j", position=one):
    """One row's `key` times a factor."""
    def change(rows):
        row = rows[position(rows)]
        row[key] = number(row, key) * factor
    return change


def at_highest(rows):
    """A row in the middle that is at the highest core clock."""
    return next(k for k in range(len(rows) // 2, len(rows)) if rows[k]["core_mhz"] == highest(rows))


def longer(factor, position=one):
    """One row takes that many times as long, at the same power."""
    def change(rows):
        for key in ("time_s", "energy_j"):
            some(factor, key, position)(rows)
    return change


def before(rows, row):
    """The row at the next lower core clock."""
    return max((r for r in rows if (r["workload"], r["mem_mhz"]) == (row["workload"], row["mem_mhz"])
                and r["core_mhz"] < row["core_mhz"]), key=lambda r: r["core_mhz"])


def watts(row):
    return number(row, "energy_j") / number(row, "time_s")


def power_over_before(share):
    """At the highest clock the power is this share of that at the clock below."""
    def change(rows):
        row = rows[at_highest(rows)]
        row["energy_j"] = watts(before(rows, row)) * share * row["time_s"]
    return change


def time_over_before(factor):
    """At the highest clock the time is this share of that at the clock below, at the row's power."""
    def change(rows):
        row = rows[at_highest(rows)]
        longer(factor * before(rows, row)["time_s"] / row["time_s"], at_highest)(rows)
    return change


def joules_per_unit(value):
    """The median energy of a counted operation or byte."""
    def change(rows):
        units = sorted(number(row, "energy_j") / sum(number(row, c) for c in CLASSES) for row in rows)
        counts_scaled(units[len(units) // 2] / value)(rows)
    return change


def thousandths(factor):
    """Times and energies in a smaller unit: prices are as much higher, that of main memory fitted as 0.227 nJ before."""
    def change(rows):
        for key in ("time_s", "energy_j"):
            scale(key, factor)(rows)
    return change


def cycles(share):
    """A class of cycles: this share of time times clock, in no row more."""
    def change(rows):
        for k, row in enumerate(rows):
            row["sm_active_cycles"] = number(row, "time_s") * row["core_mhz"] * 1e6 * share / (1 + k % 5)
    return change


def same_work(extent):
    """Counts of integer operations differ by this factor between the clocks of each workload."""
    def change(rows):
        low = min(row["core_mhz"] for row in rows)
        put("int_ops", lambda k, row: number(row, "int_ops") * extent ** ((row["core_mhz"] - low) / (highest(rows) - low)))(rows)
    return change


def f64_rate(factor):
    """The highest rate of f64 over that of f32."""
    def change(rows):
        most = [max(number(row, c) / row["time_s"] for row in rows) for c in ("flops_f32", "flops_f64")]
        scale("flops_f64", factor * most[0] / most[1])(rows)
    return change


def falls(share):
    """In this share of the steps to the next core clock, power falls by 4 %: it is as much below in turn."""
    def change(rows):
        steps = 0
        for row in rows:
            if row["core_mhz"] == min(r["core_mhz"] for r in rows):
                continue
            steps += share
            if steps >= 1:
                steps -= 1
                row["energy_j"] = watts(before(rows, row)) * 0.96 * row["time_s"]
    return change


def repeat(factor):
    """A second run of one row, with another time and energy."""
    def change(rows):
        row = rows[one(rows)]
        rows.append(dict(row, time_s=row["time_s"] * factor, energy_j=row["energy_j"] * factor))
    return change


def all_watts(largest=None, least=None):
    """Energies so that the highest, or the lowest, power is this."""
    def change(rows):
        powers = [watts(row) for row in rows]
        scale("energy_j", largest / max(powers) if largest else least / min(powers))(rows)
    return change


def voltage(step):
    """Voltages that rise with the clock, but once fall by a share."""
    def change(rows):
        put("core_mv", lambda k, row: (700 + row["core_mhz"] / 4) * (1 - step if row["core_mhz"] == 1200 else 1))(rows)
        at = {row["core_mhz"]: row["core_mv"] for row in rows}
        put("core_mv", lambda k, row: at[1000] * (1 - step) if row["core_mhz"] == 1200 else None)(rows)
    return change


NONE = keep(lambda k, row: True)
TWO, THREE = clocks(1000, 1200), clocks(1000, 1200, 1400)
# Finding; what is changed before; the change inside and outside of the limit.
MARGINS = [
    # The trend of the other clocks is itself bent.
    ("power-off-trend", NONE, some(1.5), some(1.85)),
    ("time-off-trend", NONE, longer(2.3), longer(2.9)),
    ("power-falls", NONE, power_over_before(0.76), power_over_before(0.62)),
    ("power-off-others", THREE, some(1.8, position=at_highest), some(2.2, position=at_highest)),
    ("power-off-others", TWO, some(1.8, position=at_highest), some(2.2, position=at_highest)),
    ("time-off-clocks", THREE, time_over_before(1.5), time_over_before(1.7)),
    ("time-off-clocks", TWO, time_over_before(1.5), time_over_before(1.7)),
    ("time-off-clocks", TWO, time_over_before(1 / 1.2 / 2.4), time_over_before(1 / 1.2 / 2.8)),
    ("power-without-order", NONE, falls(0.17), falls(0.25)),
    ("coarse-values", NONE, rounded("energy_j", 0.045), rounded("energy_j", 0.055)),
    ("counts-too-low", NONE, joules_per_unit(0.9e-6), joules_per_unit(1.1e-6)),
    ("counts-too-high", NONE, joules_per_unit(1.1e-15), joules_per_unit(0.9e-15)),
    ("time-against-cycles", NONE, cycles(0.022), cycles(0.018)),
    ("price-high", NONE, thousandths(40), thousandths(48)),
    ("counts-vary", NONE, same_work(1.9), same_work(2.1)),
    ("count-outlier", NONE, some(1.9, "int_ops"), some(2.1, "int_ops")),
    ("swapped-classes", NONE, f64_rate(1.45), f64_rate(1.55)),
    ("repeats-differ", NONE, repeat(1.18), repeat(1.23)),
    ("power-above-a-board", NONE, all_watts(largest=1480), all_watts(largest=1520)),
    ("power-too-high", NONE, None, all_watts(largest=20200)),
    ("power-small", NONE, all_watts(least=0.31), all_watts(least=0.29)),
    ("power-too-low", NONE, None, all_watts(least=0.9e-4)),
    ("voltage-falls", NONE, voltage(0.008), voltage(0.012)),
    ("clock-too-high", NONE, scale("core_mhz", 9990 / 1600), scale("core_mhz", 10010 / 1600)),
]
# What is said in any case: counts that are too low give high prices, records have no class of cycles, and cycles and
# changed counts explain no energy.
ALSO = {"counts-too-low": {"price-high"},
        "time-against-cycles": {"class-not-counted", "price-zero"}, "counts-vary": {"price-zero"}}


def found(ergon, folder, name, prepare, change):
    rows = honest()
    prepare(rows)
    change(rows)
    path = folder / f"{name}.csv"
    write(path, rows)
    status, said = run(ergon, path)
    names = set(re.findall(r"\[([a-z0-9-]+)\]$", said, re.M))
    return names if names or status == 0 else {said.strip()[:120]}


def main():
    ergon, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    results = []
    for k, (finding, prepare, inside, outside) in enumerate(MARGINS):
        also = ALSO.get(finding, set())
        within = found(ergon, folder, f"{k}-inside", prepare, inside) - also if inside else set()
        beyond = found(ergon, folder, f"{k}-outside", prepare, outside)
        results.append(not within and finding in beyond)
        print("ok   " if results[-1] else "WRONG", f"{finding:<20} inside: {', '.join(sorted(within)) or 'nothing':<30} "
              f"outside: {', '.join(sorted(beyond))}")
    print(results.count(False), "wrong")
    sys.exit(not all(results))


if __name__ == "__main__":
    main()
