"""Predicted counts of CUB's and Thrust's device code against counts by hand: check_cub.py ERGON RECORDS."""
import json
import subprocess
import sys

ergon, records = sys.argv[1:3]
COMPARED = ["flops_f32", "loads_global", "stores_global", "loads_shared", "stores_shared", "barriers"]
WARP = sum(32 - distance for distance in (1, 2, 4, 8, 16))  # a step adds in the lanes that have a partner: 129


def block_reduce(n, grid, block):
    """By warps: each reduces itself, its lane 0 stores, a barrier, thread 0 adds the three other warps' sums."""
    return {"flops_f32": grid * (4 * WARP + 3), "loads_global": min(n, grid * block), "stores_global": grid,
            "loads_shared": grid * 3, "stores_shared": grid * 4, "barriers": grid * block}


def block_reduce_raking(n, grid, block):
    """All threads store; after a barrier a warp adds 4 values a lane, then itself: 32·3 + 129. The barriers of a
    warp count too: one of its 32 threads' before it goes on."""
    return {"flops_f32": grid * (32 * 3 + WARP), "loads_global": min(n, grid * block), "stores_global": grid,
            "loads_shared": grid * 128, "stores_shared": grid * 128, "barriers": grid * (128 + 32)}


def warp_reduce(n, grid, block):
    """Shuffles alone."""
    return {"flops_f32": grid * 4 * WARP, "loads_global": grid * block, "stores_global": grid * block}


def block_scan(n, grid, block):
    """Each warp scans itself, its last lane stores the sum, a barrier. Every thread loads three warps' sums, adds
    them up (2), and adds the sum before its warp (1): in the first warp too, where a select leaves the result out."""
    return {"flops_f32": grid * (4 * WARP + 128 * 3), "loads_global": grid * block, "stores_global": grid * block,
            "loads_shared": grid * 128 * 3, "stores_shared": grid * 4, "barriers": grid * block}


def transform(n, grid, block):
    """Each element once, whatever the number of elements a thread."""
    return {"flops_f32": 2 * n, "loads_global": 2 * n, "stores_global": n}


def kernel(part):
    """The mangled name of the kernel whose demangled one contains the parts: CUB's namespaces have its version."""
    shown = subprocess.run([ergon, "show", records, "--target", "nvptx", "--json"], capture_output=True, text=True)
    [name] = [each["name"] for each in json.loads(shown.stdout)["functions"]
              if each["kernel"] and all(word in each["demangled"] for word in part)]
    return name


CASES = [(kernel, formula, [({"n": n}, n, grid) for n, grid in ((1000, 8), (5000, 4), (77, 1))])
         for kernel, formula in (("block_reduce", block_reduce), ("block_reduce_raking", block_reduce_raking))]
CASES += [(kernel, formula, [({}, 0, grid) for grid in (1, 3, 8)])
          for kernel, formula in (("warp_reduce", warp_reduce), ("block_scan", block_scan))]
CASES += [(kernel(["transform_kernel<", "(int, int, Saxpy,"]), transform,
           [({"num_items": n, "num_elem_per_thread": each}, n, -(-n // (256 * each)))
            for n, each in ((100, 1), (1024, 2), (5000, 4))])]
failed = False
for entry, formula, runs in CASES:
    block = 256 if formula is transform else 128
    for values, n, grid in runs:
        sets = [word for name, value in ({"grid.x": grid, "block.x": block} | values).items()
                for word in ("--set", f"{name}={value}")]
        done = subprocess.run([ergon, "predict", "--strict", records, "--target", "nvptx", "--entry", entry, "--json", *sets],
                              capture_output=True, text=True)
        counts = json.loads(done.stdout)["counts"] if done.returncode == 0 else {}
        right = formula(n, grid, block)
        differ = [f"{name}: predicted {counts.get(name, 0)}, by hand {right.get(name, 0)}"
                  for name in COMPARED if counts.get(name, 0) != right.get(name, 0)]
        print(f"{formula.__name__} {values} {grid}: " + ("; ".join(differ) + done.stderr or "equal"))
        failed |= bool(differ)
sys.exit(failed)
