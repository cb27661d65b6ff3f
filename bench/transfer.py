#!/usr/bin/env python3
"""What a few runs on one board and a profile of another say of the first board's other programs.

    bench/transfer.py FOLDER      FOLDER has the sweeps: gtx1080ti_kernels.csv, rtx8000_kernels.csv, …

P = constant + clock·f·V² + Σ price·rate·V², V flat up to 0.6 of the highest clock and 1.3 at it. The source's coefficients are fitted to
all of its sweep (relative errors, families alike), then scaled to the target by its data sheet, as the law of docs/decisions/0044 does:
power by TDP, prices by TDP over peak rate. A few runs of the target move them: least squares with rows (price − s·prior)/(0.4·prior) and
(s − 1)/0.4 beside the runs' (predicted/measured − 1)/0.1; no coefficient is below 0. Prints mean |predicted/measured − 1| of energy, from
measured time, over all settings of those families that gave no run (of the other rows where families are ten or fewer): means of 40 draws
of runs at the highest clocks.
"""
import csv
import pathlib
import random
import sys

# TDP in W; peak lane operations a second of f32 and f64, bytes a second of main memory.
SHEETS = {"gtx1080ti": (250, 5.67e12, 0.177e12, 484e9), "rtx8000": (260, 8.15e12, 0.255e12, 672e9),
          "v100": (300, 7.85e12, 3.92e12, 900e9)}
SPREAD, COMMON, NOISE, DRAWS = 0.4, 0.4, 0.1, 40


def load(folder, name):
    board = name.split("_")[0]
    rows = []
    with open(folder / f"{name}.csv", newline="") as file:
        for row in csv.DictReader(file):
            # nvprof counts flops, two for a fused operation; the others count lanes.
            f32 = float(row["f32_lane_ops"]) if "f32_lane_ops" in row else float(row["flops_f32"]) / 2
            f64 = float(row["f64_lane_ops"]) if "f64_lane_ops" in row else float(row["flops_f64"]) / 2
            time = float(row["time_s"])
            rows.append((row["workload"].split("/")[0], float(row["core_mhz"]), float(row["mem_mhz"]),
                         float(row["energy_j"]) / time, f32 / time, f64 / time, float(row["bytes_dram"]) / time))
    top = max(row[1] for row in rows)
    result = []
    for family, core, mem, watts, f32, f64, dram in rows:
        share = core / top
        volts = (1 + 0.3 * max(0, share - 0.6) / 0.4) ** 2
        tdp, *peak = SHEETS[board]
        # Each column relative to what the data sheet expects of it: the coefficients of boards are alike then.
        columns = [tdp, tdp * share * volts, tdp * f32 / peak[0] * volts, tdp * f64 / peak[1] * volts, tdp * dram / peak[2]]
        result.append((family, core, mem, watts, columns))
    return result


def plain_columns(row, source, target):
    """The row's columns where prices and watts are the source's own."""
    a, b = SHEETS[source], SHEETS[target]
    c = row[4]
    return [c[0] * a[0] / b[0], c[1] * a[0] / b[0]] + [
        x * (a[0] / a[k]) / (b[0] / b[k]) for k, x in enumerate(c[2:], 1)]


def nnls(gram, rhs):
    """Coordinate descent."""
    x = [0.0] * len(rhs)
    for _ in range(20000):
        most = 0.0
        for k, row in enumerate(gram):
            if row[k] <= 0:
                continue
            new = max(0.0, x[k] + (rhs[k] - sum(a * b for a, b in zip(row, x))) / row[k])
            most = max(most, abs(new - x[k]))
            x[k] = new
        if most < 1e-10:
            break
    return x


def solve(rows, weights, prior=None):
    """Coefficients by rows; with `prior` a common scale is the last unknown."""
    size = 5 + (prior is not None)
    gram, rhs = [[0.0] * size for _ in range(size)], [0.0] * size

    def add(columns, target, weight):
        for i, a in enumerate(columns):
            if a:
                rhs[i] += weight * a * target
                for j, b in enumerate(columns):
                    gram[i][j] += weight * a * b
    for row, weight in zip(rows, weights):
        add([c / row[3] for c in row[4]] + [0.0] * (size - 5), 1.0, weight / NOISE ** 2)
    if prior:
        for k, p in enumerate(prior):
            spread = SPREAD * max(p, 0.02)  # a price of 0 is not known to be 0
            columns = [0.0] * size
            columns[k], columns[5] = 1 / spread, -p / spread
            add(columns, 0.0, 1.0)
        add([0.0] * 5 + [1.0], 1.0, 1 / COMMON ** 2)
    return nnls(gram, rhs)[:5]


def family_weights(rows):
    count = {}
    for row in rows:
        count[row[0]] = count.get(row[0], 0) + 1
    return [1 / count[row[0]] for row in rows]


def error(rows, predict):
    sums = {}
    for row in rows:
        sums.setdefault(row[0], []).append(abs(predict(row) / row[3] - 1))
    return 100 * sum(e for v in sums.values() for e in v) / sum(len(v) for v in sums.values())


def dot(x, columns):
    return sum(a * b for a, b in zip(x, columns))


def main():
    folder = pathlib.Path(sys.argv[1])
    boards = {name: load(folder, name) for name in
              ("gtx1080ti_kernels", "rtx8000_kernels", "rtx8000_microbenchmarks", "v100_microbenchmarks")}
    print("| from | to | runs | source unchanged | by data sheet | data sheet and one factor | prior and runs | runs alone | mean power of the runs | all others' runs |")
    print("|" + " --- |" * 10)
    for source, target in [("gtx1080ti_kernels", "rtx8000_kernels"), ("rtx8000_kernels", "gtx1080ti_kernels"),
                           ("v100_microbenchmarks", "rtx8000_kernels"), ("v100_microbenchmarks", "gtx1080ti_kernels"),
                           ("gtx1080ti_kernels", "v100_microbenchmarks"), ("rtx8000_microbenchmarks", "v100_microbenchmarks"),
                           ("v100_microbenchmarks", "rtx8000_microbenchmarks")]:
        prior = solve(boards[source], family_weights(boards[source]))
        rows = boards[target]
        families = sorted({row[0] for row in rows})
        full = {}
        for family in families:
            rest = [row for row in rows if row[0] != family]
            full[family] = solve(rest, family_weights(rest))
        names = source.split("_")[0], target.split("_")[0]
        default = max((row[1], row[2]) for row in rows)
        for runs in (1, 3, 5, 10):
            dice = random.Random(runs)
            sums = [0.0] * 7
            for _ in range(DRAWS):
                given = dice.sample([row for row in rows if (row[1], row[2]) == default], runs)
                seen = {row[0] for row in given}
                if len(seen) == len(families):
                    seen = set()
                left = [row for row in rows if row[0] not in seen] if len(families) > 10 else [
                    row for row in rows if all(row is not g for g in given)]
                ones = [1.0] * runs
                moved, alone = solve(given, ones, prior), solve(given, ones)
                factor = sum(row[3] / dot(prior, row[4]) for row in given) / runs
                mean = sum(row[3] for row in given) / runs
                for k, predict in enumerate([
                        lambda row: dot(prior, plain_columns(row, *names)), lambda row: dot(prior, row[4]),
                        lambda row: factor * dot(prior, row[4]), lambda row: dot(moved, row[4]),
                        lambda row: dot(alone, row[4]), lambda row: mean, lambda row: dot(full[row[0]], row[4])]):
                    sums[k] += error(left, predict) / DRAWS
            print(f"| {source} | {target} | {runs} | " + " | ".join(f"{s:.1f}" for s in sums) + " |", flush=True)


if __name__ == "__main__":
    main()
