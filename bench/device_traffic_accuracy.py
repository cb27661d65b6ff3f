#!/usr/bin/python3
"""Predicted sectors at L2 and DRAM of thirty kernels over what nvprof counted on a GTX 1080 Ti.

usage: device_traffic_accuracy.py RECORDS COUNTERS [--build DIR] [APP…]

Records, launches and arguments are as for device_count_accuracy.py, the table also has the columns of sectors (l2_read_transactions, …); MORE below is what a count of flops does not ask for. Predictions are
for the profile gtx1080ti. A cell is predicted over counted, of the middle where there are bounds; what is data, and has
no value, is left out of it and named. Prints a Markdown table and the medians of the errors.
"""
import statistics

import device_count_accuracy as counts

COLUMNS = {"L2 read": ["l2_read"], "L2 write": ["l2_write"], "DRAM read": ["dram_read"], "DRAM write": ["dram_write"],
           "L2": ["l2_read", "l2_write"], "DRAM": ["dram_read", "dram_write"]}
MORE = {
    # A warp's threads count log2 of 16 rows together.
    "backpropForward": {"trips@./backprop_cuda_kernel.cu:45:4": 4},
    # 9143 blocks, each of which writes 256 - 2·border of the columns: 73143 = cols/8 + 9143 sectors.
    "pathfinder": {"iteration": 100, "cols": 512000, "startStep": 0, "border": 100},
}
# Counters that are not of the source that the table names, or of several launches.
APART = {"matrixMulGlobal": "another kernel: this source uses shared memory, the counters have none",
         "gaussian": "nvprof averages several launches"}


def total(prediction, kinds):
    return [sum(prediction["traffic"][kind + "s"][side] for kind in kinds) for side in (0, 1)]


def main():
    options = counts.command_line(__doc__.splitlines()[0])
    errors = {name: [] for name in COLUMNS}
    print(f"| kernel | {' | '.join(COLUMNS)} | |\n| --- |{' --- |' * (len(COLUMNS) + 1)}")
    for row, records in counts.recorded(options):
        app = row["app"]
        empty = f"| {app} |{' |' * len(COLUMNS)}"
        if not records:
            print(empty, "no records |")
            continue
        prediction, done = counts.evaluated(
            [f"{options.build}/test/tools/ergon_warp_requests", records, counts.ENTRY.get(app, row["kernel"]), "--machine=gtx1080ti"],
            row["launch"], counts.ARGUMENTS.get(app, {}) | MORE.get(app, {}))
        if done.returncode:
            print(empty, done.stderr.strip(), "|")
            continue
        cells = []
        for name, kinds in COLUMNS.items():
            counted = sum(float(row[kind + "_transactions"]) for kind in kinds)
            low, high = total(prediction, kinds)
            ratio = (low + high) / 2 / counted
            cells.append(f"{ratio:.3f}" + (f" ({low / counted:.3f} to {high / counted:.3f})" if low != high else ""))
            if app not in APART:
                errors[name].append(abs(ratio - 1))
        said = [APART[app]] if app in APART else []
        said += sorted({text.split(" depends on ")[-1] for text in prediction.get("open", [])})
        print(f"| {app} | {' | '.join(cells)} | {', '.join(said)} |", flush=True)
    print(f"\nMedian error over {len(errors['L2'])} kernels: "
          + ", ".join(f"{name} {statistics.median(each):.2%}" for name, each in errors.items() if each))


if __name__ == "__main__":
    main()
