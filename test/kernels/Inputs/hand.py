"""Predicted counts of kernels against formulas written by hand.

hand.py ERGON RECORDS: for each case below, `ergon predict` with the values must give the counts.
A count that is not named must not be there; only the classes of COMPARED are looked at.
"""
import json
import math
import subprocess
import sys

ergon, records = sys.argv[1:3]
wanted = set(sys.argv[3:])
COMPARED = ["flops_f32", "flops_f64", "loads_global", "stores_global", "loads_shared",
            "stores_shared", "loads_generic", "stores_generic", "loads_local", "barriers", "atomics"]


def saxpy(n, grid, block):
    """One thread an element, as far as there are threads."""
    runs = min(n, grid * block)
    return {"flops_f32": 2 * runs, "loads_global": 2 * runs, "stores_global": runs}


def stride(n, grid, block):
    """Each element once, whatever the launch."""
    return {"flops_f32": 2 * n, "loads_global": 2 * n, "stores_global": n}


def matmul(n, grid, block):
    """n a multiple of 16: each of n² threads runs n/16 tiles: 2 loads from global memory to shared
    memory, 16 steps with 2 loads from shared memory and 2 flops, and 2 barriers."""
    threads, tiles = n * n, n // 16
    return {"flops_f32": threads * n * 2, "loads_global": threads * tiles * 2,
            "stores_global": threads, "stores_shared": threads * tiles * 2,
            "loads_shared": threads * n * 2, "barriers": threads * tiles * 2}


def ragged(n, grid, block):
    """Any n: ⌈n/16⌉² blocks of 256 threads, ⌈n/16⌉ tiles. A thread loads from global memory what is
    inside; row < n and t·16 + x < n: n rows and n columns of A, each for ⌈n/16⌉ blocks, so n²·⌈n/16⌉ for
    each of A and B. What is outside is 0 in shared memory, so all else runs in all threads."""
    blocks = math.ceil(n / 16)
    threads = blocks * blocks * 256
    return {"flops_f32": threads * blocks * 16 * 2, "loads_global": 2 * n * n * blocks,
            "stores_global": n * n, "stores_shared": threads * blocks * 2,
            "loads_shared": threads * blocks * 16 * 2, "barriers": threads * blocks * 2}


def stencil(n, grid, block):
    """The (n-2)² inner points: 4 additions, 1 multiplication, 5 loads, 1 store."""
    inner = max(0, n - 2) ** 2
    return {"flops_f64": 5 * inner, "loads_global": 5 * inner, "stores_global": inner}


def reduce256(n, grid, block):
    """256 threads a block: a guarded load, a store to shared memory; then 8 rounds with s = 128, 64 … 1,
    each with s additions, 2·s loads and s stores of shared memory, all threads at 9 barriers;
    thread 0 loads the sum and stores it."""
    half = sum(2 ** k for k in range(8))
    return {"flops_f32": grid * half, "loads_global": min(n, grid * 256), "stores_global": grid,
            "loads_shared": grid * (2 * half + 1), "stores_shared": grid * (256 + half),
            "barriers": grid * 256 * 9}


# kernel, formula, then (n, launch) three times
CASES = [
    ("saxpy", saxpy, [(1000, (8, 1), (128, 1)), (1024, (8, 1), (128, 1)), (5000, (8, 1), (128, 1))]),
    ("stride", stride, [(1000, (4, 1), (64, 1)), (100, (4, 1), (64, 1)), (12345, (7, 1), (96, 1))]),
    ("matmul", matmul, [(n, (n // 16, n // 16), (16, 16)) for n in (16, 64, 256)]),
    ("ragged", ragged, [(n, (-(-n // 16),) * 2, (16, 16)) for n in (16, 50, 100)]),
    ("stencil", stencil, [(n, (-(-n // 16), -(-n // 8)), (16, 8)) for n in (3, 20, 101)]),
    ("reduce256", reduce256, [(1000, (4, 1), (256, 1)), (1024, (4, 1), (256, 1)), (10, (1, 1), (256, 1))]),
]

failed = False
for kernel, formula, runs in CASES:
    if wanted and kernel not in wanted:
        continue
    for n, grid, block in runs:
        values = {"n": n, "grid.x": grid[0], "grid.y": grid[1], "block.x": block[0], "block.y": block[1]}
        sets = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
        done = subprocess.run([ergon, "predict", "--strict", records, "--target", "nvptx", "--entry", kernel, "--json", *sets],
                              capture_output=True, text=True)
        if done.returncode:
            print(f"{kernel} n={n}: exit status {done.returncode}: {done.stderr.strip()}")
            failed = True
            continue
        counts = json.loads(done.stdout)["counts"]
        right = formula(n, grid[0] * grid[1], block[0] * block[1])
        differ = [f"{name}: predicted {counts.get(name, 0)}, by hand {right.get(name, 0)}"
                  for name in COMPARED if counts.get(name, 0) != right.get(name, 0)]
        print(f"{kernel} n={n}: " + ("; ".join(differ) or "equal"))
        failed |= bool(differ)
sys.exit(failed)
