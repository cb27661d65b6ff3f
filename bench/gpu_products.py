#!/usr/bin/env python3
"""DRAM of matrix products that store in their innermost loop: predicted, and simulated warp by warp.

  bench/gpu_products.py ERGON [--plugin build/lib/ErgonPasses.so] [--machine rtx3080]

Compiles inputs/gpu_products.cu and the simulator inputs/gpu_products.cpp, and tries GPUs with few
multiprocessors and small L2, so that all warps of a launch can be run in order: the profile given, with
these numbers instead of its own.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = ("product", "product_of_rows", "product_in_columns")
# n, block, multiprocessors, L2 in KiB
LAUNCHES = [(256, (16, 16), 3, 128), (256, (32, 8), 5, 256), (256, (16, 16), 7, 512), (384, (16, 16), 7, 512), (384, (32, 4), 7, 1024),
            (512, (16, 16), 7, 1024), (512, (32, 8), 13, 2048)]
THREADS_AT_ONCE = 1536  # capability 8.6
L1_BYTES = 128 << 10


def run(words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout


parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("ergon", type=pathlib.Path)
parser.add_argument("--plugin", type=pathlib.Path, default=HERE.parent / "build/lib/ErgonPasses.so")
parser.add_argument("--machine", type=pathlib.Path, default=HERE.parent / "machine-profiles/rtx3080.json")
parser.add_argument("--cuda", default="/usr/local/cuda", help="the toolkit's folder")
options = parser.parse_args()
errors = []
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    run(["c++", "-O2", "-std=c++20", HERE / "inputs/gpu_products.cpp", "-o", folder / "simulate"])
    run(["clang++-22", f"--cuda-path={options.cuda}", "--cuda-gpu-arch=sm_86", "-Wno-unknown-cuda-version", "-O2", "-g",
         f"-fpass-plugin={options.plugin}", "-mllvm", f"-ergon-dir={folder / 'records'}", "-c", HERE / "inputs/gpu_products.cu", "-o", "/dev/null"])
    machine = json.loads(options.machine.read_text())
    print(f"{'kernel':20} {'n':>4} {'block':>7} {'L2 KiB':>7} {'simulated':>10} {'predicted':>10} {'error':>7}")
    for n, (x, y), multiprocessors, l2 in LAUNCHES:
        machine["device"]["multiprocessors"]["value"] = multiprocessors
        for cache in machine["caches"]:
            cache["bytes"] = L1_BYTES if cache["level"] == "l1" else l2 << 10
            if cache["level"] == "l2":
                cache["shared_by"] = multiprocessors
        (folder / "machine.json").write_text(json.dumps(machine))
        for kernel in KERNELS:
            words = ["--machine", folder / "machine.json", "--entry", kernel, "--target", "nvptx", "--json"]
            for value in (f"n={n}", f"grid.x={n // x}", f"grid.y={n // y}", f"block.x={x}", f"block.y={y}"):
                words += ["--set", value]
            predicted = json.loads(run([options.ergon, "predict", folder / "records", *words]))["counts"]["bytes_dram"]
            _, reads, writes = map(int, run([folder / "simulate", kernel, n, x, y, multiprocessors, THREADS_AT_ONCE // (x * y), L1_BYTES, l2 << 10]).split())
            errors.append(predicted / (reads + writes) - 1)
            print(f"{kernel:20} {n:4} {f'{x}x{y}':>7} {l2:7} {(reads + writes) / 1e6:8.2f} MB {predicted / 1e6:8.2f} MB {errors[-1]:7.1%}", flush=True)
sizes = sorted(map(abs, errors))
print(f"{len(sizes)} launches: median {sizes[len(sizes) // 2]:.1%}, largest {sizes[-1]:.1%}, {sum(each <= 0.25 for each in sizes)} within 25 %")
