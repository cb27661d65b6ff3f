"""Predicted requests of warps against the addresses of all lanes.

check_warps.py PREDICTED RECORDS PROGRAM [KERNEL…]: for each case below PREDICTED (ergon_warp_requests), given the launch and the
kernel's integers, must give the requests, accesses of threads, sectors, lines and passes that PROGRAM (shim_main.cpp with
SHIM_TRACE) counts, in each space for loads, stores and atomics of each width. Of what UNKNOWN names the addresses are data:
what was counted must lie between the bounds.
"""
import json
import subprocess
import sys

predicted, records, program = sys.argv[1:4]
wanted = set(sys.argv[4:])


def line(n, block=128):
    """As many blocks as n threads need."""
    return f"{-(-n // block)}x1x1", f"{block}x1x1"


def plane(n, x=16, y=16):
    return f"{-(-n // x)}x{-(-n // y)}x1", f"{x}x{y}x1"


# kernel: the names of its integers; then (grid, block), values for each case
CASES = {
    # device_kernels.cu
    "saxpy": ("n", [(line(n), [n]) for n in (1, 1000, 1500)] + [(("5x1x1", "100x1x1"), [450])]),
    "daxpy": ("n", [(("4x1x1", "64x1x1"), [n]) for n in (100, 256, 3456)]),
    "haxpy": ("n", [(line(n), [n]) for n in (1, 1000, 1500)]),
    "arrays_of_structs": ("n", [(line(n), [n]) for n in (1, 1000, 1500)]),
    "structs_of_arrays": ("n", [(line(n), [n]) for n in (1, 1000, 1500)]),
    "black_scholes": ("n", [(line(n, 96), [n]) for n in (1, 1000, 1500)]),
    "stencil_2d": ("n", [(plane(n, 16, 8), [n]) for n in (3, 20, 101)] + [(plane(50, 7, 5), [50])]),
    "stencil_3d": ("n m", [((f"{-(-n // 8)}x{-(-n // 4)}x{-(-m // 2)}", "8x4x2"), [n, m])
                           for n, m in ((3, 3), (10, 7), (25, 33))]),
    "jacobi_3d": ("n", [(plane(n, 16, 4), [n]) for n in (3, 18, 33)]),
    "transpose": ("n", [(plane(n), [n]) for n in (16, 50, 100)]),
    "convolution": ("n", [(line(n), [n]) for n in (9, 1000, 1500)]),
    "convolution_rows": ("pitch", [((f"{x}x{y}x1", "16x4x1"), [64 * x]) for x, y in ((1, 1), (3, 2), (5, 4))]),
    "matmul": ("n", [(plane(n), [n]) for n in (16, 48, 80)]),
    "matmul_ragged": ("n", [(plane(n), [n]) for n in (16, 50, 75)]),
    "spmv_ell": ("rows width", [(line(n), [n, w]) for n, w in ((1, 1), (100, 7), (1000, 20))]),
    "n_body": ("n", [(line(n, block), [n]) for n, block in ((64, 64), (256, 64), (192, 96))]),
    "reduce": ("n", [((f"{grid}x1x1", f"{block}x1x1"), [n])
                     for n, grid, block in ((1000, 4, 256), (77, 1, 64), (1500, 8, 512))]),
    "reduce_fixed<128>": ("n", [(("4x1x1", "128x1x1"), [n]) for n in (100, 512, 2000)]),
    "dot": ("n", [((f"{grid}x1x1", f"{block}x1x1"), [n])
                  for n, grid, block in ((1000, 2, 64), (100, 1, 128), (3000, 3, 256))]),
    "histogram": ("n", [((f"{grid}x1x1", f"{block}x1x1"), [n])
                        for n, grid, block in ((100, 1, 64), (1000, 3, 128), (1500, 2, 96))]),
    "butterfly": ("n half", [(line(n // 2), [n, half]) for n, half in ((16, 1), (1024, 64), (2000, 8), (3000, 50))]),
    "bitonic": ("", [((f"{grid}x1x1", "256x1x1"), []) for grid in (1, 2)]),
    # suite_kernels.cu
    "scalar_products": ("vectors elements", [((f"{grid}x1x1", f"{block}x1x1"), [v, e])
                                             for grid, block, v, e in ((4, 64, 10, 300), (7, 96, 5, 256), (3, 256, 7, 700))]),
    "tiles_of_rows": ("rows columns", [((f"{grid}x1x1", "64x1x1"), [r, c]) for grid, r, c in ((4, 10, 100), (8, 8, 64), (3, 50, 333))]),
    "triangle": ("n", [(line(n, 64), [n]) for n in (1, 100, 300)]),
    "eliminate_column": ("n k", [(line(n), [n, k]) for n, k in ((100, 0), (100, 50), (257, 255))]),
    "eliminate_rest": ("n k", [(plane(n), [n, k]) for n, k in ((40, 0), (40, 25), (65, 63))]),
    "diagonal": ("n offset", [(("1x1x1", "16x1x1"), [n, o]) for n, o in ((16, 0), (48, 16), (64, 48))]),
    "wavefront": ("columns", [((f"{grid}x1x1", "16x1x1"), [c]) for grid, c in ((1, 16), (3, 64), (8, 32))]),
    "pyramid_1d": ("steps columns start border", [((f"{-(-c // (64 - 2 * s))}x1x1", "64x1x1"), [s, c, 1, s])
                                                  for s, c in ((1, 100), (4, 300), (10, 500))]),
    "pyramid_2d": ("steps columns rows border", [((f"{-(-c // (16 - 2 * s))}x{-(-r // (16 - 2 * s))}x1", "16x16x1"), [s, c, r, s])
                                                 for s, c, r in ((1, 30, 20), (2, 64, 64), (4, 33, 50))]),
    "stencil_planes": ("nx ny nz", [(plane(x, 16, 4), [x, y, z]) for x, y, z in ((16, 16, 4), (20, 10, 7), (33, 33, 3))]),
    "nearest": ("points clusters", [(line(n), [n, c]) for n, c in ((100, 5), (1000, 1), (1500, 32))]),
    "boxed": ("(arg0+0) (arg0+4) (arg0+8)", [(plane(max(x, y), 16, 16), [x, y, z])
                                             for x, y, z in ((16, 16, 4), (20, 10, 7), (33, 33, 3))]),
    "reduce_shuffled<128>": ("n", [(("4x1x1", "128x1x1"), [n]) for n in (1024, 3000, 333)]),
    "reduce_interleaved": ("", [((f"{grid}x1x1", f"{block}x1x1"), []) for grid, block in ((1, 32), (4, 64), (3, 256))]),
    "pairs": ("n", [(line(n, 64), [n]) for n in (1, 100, 300)]),
    # warp_kernels.cu
    "copy_offset": ("n offset", [(line(n), [n, o]) for n, o in ((1000, 0), (1000, 1), (1500, 8), (500, 31), (1500, -3))]),
    "copy_stride": ("n stride", [(line(n), [n, s]) for n, s in ((1000, 1), (1000, 2), (500, 3), (300, 32), (77, 0), (100, 100))]),
    "copy_reversed": ("n", [(line(n), [n]) for n in (1, 1000, 1500, 5555)]),
    "copy_bytes": ("n", [(("3x1x1", "96x1x1"), [n]) for n in (100, 5000)]),
    "copy_shorts": ("n offset", [(line(n), [n, o]) for n, o in ((1000, 0), (1000, 1), (1500, 15))]),
    "copy_four": ("n", [(line(n), [n]) for n in (1, 1000, 1500)]),
    "scale_four": ("n", [(line(n), [n]) for n in (1, 1000, 1500)]),
    "broadcast": ("n", [(line(n), [n]) for n in (1, 1000, 1500)]),
    "copy_pieces": ("n length", [(line(n // length, 64), [n, length]) for n, length in ((1000, 10), (2048, 32), (999, 7))]),
    "copy_plane": ("width height pitch", [(plane(max(w, h), x, y), [w, h, p])
                                          for w, h, p, x, y in ((64, 64, 64, 8, 8), (50, 40, 64, 16, 16), (33, 70, 37, 12, 6))]),
    "gather": ("n", [(line(n), [n]) for n in (1, 1000, 1500)]),
    "transpose_naive": ("n", [(plane(n), [n]) for n in (16, 50, 128)]),
    "transpose_tiled<32>": ("n", [((f"{k}x{k}x1", "32x8x1"), [32 * k]) for k in (1, 3)]),
    "transpose_tiled<33>": ("n", [((f"{k}x{k}x1", "32x8x1"), [32 * k]) for k in (1, 3)]),
    "transpose_doubles": ("n", [((f"{k}x{k}x1", "16x16x1"), [16 * k]) for k in (1, 5)]),
    "banks_stride": ("stride", [(("2x1x1", "128x1x1"), [s]) for s in (0, 1, 2, 3, 8, 16, 32, 33)]),
    "banks_bytes": ("", [(("3x1x1", "256x1x1"), [])]),
    "banks_doubles": ("stride", [(("2x1x1", "128x1x1"), [s]) for s in (0, 1, 2, 3, 8, 16)]),
    "banks_four": ("", [(("3x1x1", "128x1x1"), [])]),
    "reduce_strided": ("", [((f"{grid}x1x1", f"{block}x1x1"), []) for grid, block in ((1, 32), (4, 64), (3, 256))]),
    "histogram_own": ("n", [((f"{grid}x1x1", f"{block}x1x1"), [n]) for n, grid, block in ((100, 1, 64), (3000, 3, 128))]),
    "stencil_halo": ("n", [(line(n), [n]) for n in (1, 1000, 1500)]),
    "stencil_plane_halo": ("n", [(plane(n, 8, 8), [n]) for n in (1, 30, 64)]),
    "lookup": ("n step", [(line(n), [n, s]) for n, s in ((1000, 0), (1000, 1), (500, 2))]),
    "local_rows": ("n rounds", [(line(n), [n, r]) for n, r in ((100, 3), (1000, 16))]),
    "lower_rows": ("n", [(line(n, 64), [n]) for n in (1, 100, 250)]),
    "lower_columns": ("n", [(line(n, 64), [n]) for n in (1, 100, 250)]),
    "nested": ("n", [(line(n, 64), [n]) for n in (1, 100, 250)]),
    "either_way": ("n", [(line(n), [n]) for n in (1, 1000, 1500)]),
}
UNKNOWN = {"spmv_ell": ["load global 4"], "gather": ["load global 4"], "histogram": ["atomic shared 4"]}


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def sums(accesses):
    """Of each kind of access [requests, threads, sectors, lines, passes], each from low to high."""
    total = {}
    for each in accesses:
        kind = f"{each['op']} {each['space']} {each['bytes']}"
        row = total.setdefault(kind, [[0, 0] for _ in range(5)])
        for cell, (low, high) in zip(row, ([each["requests"]] * 2, [each["threads"]] * 2, each["sectors"], each["lines"], each["passes"])):
            cell[0] += low
            cell[1] += high
    return total


def compare(kind, found, counted, unknown):
    """What differs, as text."""
    requests, threads, sectors, lines, passes, addresses = counted
    space = kind.split()[1]
    right = {"requests": requests, "threads": threads}
    if space == "shared":
        right["passes"] = passes
    elif space == "constant":
        right["passes"] = addresses
    else:
        right |= {"sectors": sectors, "lines": lines}
    for name, count in right.items():
        low, high = found[["requests", "threads", "sectors", "lines", "passes"].index(name)]
        if not low <= count <= high or (low != high and kind not in unknown):
            yield f"{kind}: {name} {low:g}" + (f" to {high:g}" if low != high else "") + f", counted {count}"


failed = []
for kernel, (names, cases) in CASES.items():
    if wanted and kernel not in wanted:
        continue
    for (grid, block), values in cases:
        sets = [f"{kind}.{axis}={size}" for kind, text in (("grid", grid), ("block", block))
                for axis, size in zip("xyz", text.split("x"))]
        sets += [f"{name}={value}" for name, value in zip(names.split(), values)]
        title = f"{kernel} {grid} {block} {' '.join(map(str, values))}"
        found, executed = run(predicted, records, kernel, *sets), run(program, kernel, grid, block, *values)
        if found.returncode or executed.returncode:
            print(f"{title}: exit status {found.returncode} {found.stderr.strip()}, {executed.returncode} {executed.stderr.strip()}")
            failed.append(title)
            continue
        found, counted = json.loads(found.stdout), json.loads(executed.stdout)["warps"]
        by_kind = sums(each for each in found["accesses"] if each["space"] != "param" and each["requests"])
        differ = ([] if found["complete"] else ["not complete"]) + found.get("open", [])
        for kind in sorted({*by_kind, *counted}):
            if kind in by_kind and kind in counted:
                differ += compare(kind, by_kind[kind], counted[kind], UNKNOWN.get(kernel, []))
            else:
                differ.append(f"{kind}: {'not counted' if kind in by_kind else 'not predicted'}")
        print(f"{title}: " + ("; ".join(differ) or f"{'within bounds' if kernel in UNKNOWN else 'equal'} in {len(counted)} kinds"))
        failed += [title] * bool(differ)
print(f"{len(failed)} cases differ")
sys.exit(bool(failed))
