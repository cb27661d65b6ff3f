"""Predictions of host functions of launches.cu against counts by hand.

launch_counts.py ERGON RECORDS: for each case below, `ergon predict` with the values must give the counts. A count that
is not named must not be there; only the classes of COMPARED are looked at.
"""
import json
import subprocess
import sys

ergon, records = sys.argv[1:3]
COMPARED = ["flops_f32", "flops_f64", "loads_global", "stores_global", "loads_shared", "stores_shared", "loads_generic",
            "stores_generic", "barriers", "launches", "h2d_bytes", "d2h_bytes", "d2d_bytes"]


def times(count, counts):
    return {name: count * value for name, value in counts.items()}


def plus(*parts):
    return {name: sum(part.get(name, 0) for part in parts) for name in COMPARED}


def blocks(n, each):
    return -(-n // each)


LAUNCH = {"launches": 1}
SAXPY = {"flops_f32": 2, "loads_global": 2, "stores_global": 1}  # one element
SCALE = {"flops_f32": 1, "loads_global": 1, "stores_global": 1}
SCALE64 = {"flops_f64": 1, "loads_global": 1, "stores_global": 1}


def matmul(n):
    """Each of n² threads: n/16 tiles of 2 loads and 2 stores to shared memory, 16 steps of 2 loads and 2 flops, 2 barriers."""
    threads, tiles = n * n, n // 16
    return {"flops_f32": threads * n * 2, "loads_global": threads * tiles * 2, "stores_global": threads,
            "stores_shared": threads * tiles * 2, "loads_shared": threads * n * 2, "barriers": threads * tiles * 2,
            "launches": 1}


def pairs(n):
    """⌈n/256⌉ blocks of 128 threads: each adds two numbers, of which those below n are loaded; half of them add two more."""
    threads = blocks(n, 256) * 128
    return {"flops_f32": threads + threads // 2, "loads_global": n, "stores_shared": threads, "barriers": threads,
            "loads_shared": 2 * (threads // 2), "stores_global": threads // 2, "launches": 1}


CASES = {
    # 4 bytes an element: twice to the device, once back.
    "run_saxpy": ({"n": [1, 1000, 4096]},
                  lambda n: plus(times(n, SAXPY), LAUNCH, {"h2d_bytes": 8 * n, "d2h_bytes": 4 * n})),
    "run_stride": ({"n": [1, 1000, 70001]}, lambda n: plus(times(n + n // 2, SAXPY), times(2, LAUNCH))),
    "run_matmul": ({"n": [16, 64, 256]}, matmul),
    "run_scale": ({"width": [1, 100], "height": [7, 64]},
                  lambda width, height: plus(times(width * height, SCALE), times(width * height, SCALE64), times(2, LAUNCH))),
    # Row i has i + 1 blocks of 64 threads: columns 0 … 63, of which n - i are inside, and rows 0 … i, all inside.
    "run_triangle": ({"n": [1, 10, 90]},
                     lambda n: plus(times(sum(min(64, n - i) * (i + 1) for i in range(n)), SCALE), times(n, LAUNCH))),
    "run_cube": ({"n": [1, 6, 20]}, lambda n: plus(times(n ** 3, SCALE64), LAUNCH)),
    "run_pairs": ({"n": [1, 256, 1000]}, pairs),
    # n blocks of 2 threads: 2·n threads, n inside.
    "run_direct": ({"n": [1, 50]}, lambda n: plus(times(n, SAXPY), LAUNCH)),
    "run_pointer": ({"n": [1, 50]}, lambda n: plus(times(n, SAXPY), LAUNCH)),
    # t = 0 … steps - 1: n - t elements, for at least one thread of the ⌈n/64⌉ blocks.
    "run_steps": ({"steps": [1, 5], "n": [5, 500]},
                  lambda steps, n: plus(times(sum(n - t for t in range(steps)), SAXPY), times(steps, LAUNCH))),
    # n threads, m multiplications each.
    "run_batch": ({"n": [1, 100], "m": [0, 3]}, lambda n, m: plus(times(n * m, SCALE), LAUNCH)),
    # Two kernels over n elements at each of the launches.
    "run_graph": ({"reps": [1, 4], "n": [1, 300]}, lambda reps, n: plus(times(2 * reps * n, SAXPY), times(reps, LAUNCH))),
    "run_extended": ({"n": [1, 300]}, lambda n: plus(times(n, SAXPY), LAUNCH)),
    # The block is one of 64 threads in x and 1 in y and z, as is the grid in y and z; all n elements are inside.
    "run_stepper": ({"s->n": [1, 200], "s->count": [0, 3], "s->grid.x": [4], "s->grid.y": [1], "s->grid.z": [1],
                     "s->block.x": [64], "s->block.y": [1], "s->block.z": [1]},
                    lambda **s: plus(times(s["s->n"] * s["s->count"], SAXPY), times(s["s->count"], LAUNCH))),
    "run_range": ({"r->first": [0, 10], "r->past": [11, 300]},
                  lambda **r: plus(times(r["r->past"] - r["r->first"], SCALE), LAUNCH)),
    # All n elements, the first half of them, and of a block of 5·1·3 threads those below 2 along each axis, 2·1·2.
    "run_dims": ({"n": [2, 301]}, lambda n: plus(times(n + n // 2, SAXPY), times(4, SCALE64), times(3, LAUNCH))),
}


def combinations(ranges):
    names = list(ranges)
    rows = [[]]
    for name in names:
        rows = [row + [value] for row in rows for value in ranges[name]]
    return [dict(zip(names, row)) for row in rows]


skipped = set(sys.argv[3:])
failed = False
for entry, (ranges, right) in CASES.items():
    if entry in skipped:
        continue
    for values in combinations(ranges):
        sets = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
        done = subprocess.run([ergon, "predict", "--strict", records, "--entry", entry, "--json", *sets], capture_output=True, text=True)
        if done.returncode:
            print(f"{entry} {values}: exit status {done.returncode}: {done.stderr.strip()}")
            failed = True
            continue
        counts, wanted = json.loads(done.stdout)["counts"], right(**values)
        differ = [f"{name}: predicted {counts.get(name, 0)}, by hand {wanted.get(name, 0)}"
                  for name in COMPARED if counts.get(name, 0) != wanted.get(name, 0)]
        print(f"{entry} {values}: " + ("; ".join(differ) or "equal"))
        failed |= bool(differ)
sys.exit(failed)
