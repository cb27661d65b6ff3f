"""Predicted counts of kernels against what every thread of a launch does on the CPU.

check_shim.py ERGON RECORDS PROGRAM [KERNEL…]: for each case below `ergon predict` with the launch and the kernel's
integers must give the counts that PROGRAM (shim_main.cpp) prints for the same. A kernel of UNKNOWN must end with status 3 and
name no other symbols; what does not rest on them must be equal all the same.
"""
import json
import subprocess
import sys

ergon, records, program = sys.argv[1:4]
wanted = set(sys.argv[4:])
SPACES = ["global", "shared", "constant", "generic"]
COMPARED = ([f"{family}_{kind}" for family in ("flops", "sqrt", "special") for kind in ("f16", "f32", "f64")]
            + [f"{what}_{space}" for what in ("loads", "stores", "load_bytes", "store_bytes") for space in SPACES]
            + ["barriers", "atomics"])


def line(n, block=128):
    """As many blocks as n threads need."""
    return f"{-(-n // block)}x1x1", f"{block}x1x1"


def plane(n, x=16, y=16):
    return f"{-(-n // x)}x{-(-n // y)}x1", f"{x}x{y}x1"


# kernel: the names of its integers; then (grid, block), values for each case
CASES = {
    "saxpy": ("n", [(line(n), [n]) for n in (1, 1000, 4096)]),
    "vector_add": ("n", [(line(1024), [n]) for n in (0, 1000, 5000)]),
    "daxpy": ("n", [(("4x1x1", "64x1x1"), [n]) for n in (100, 256, 12345)]),
    "haxpy": ("n", [(line(n), [n]) for n in (1, 1000, 4096)]),
    "scaled": ("(arg0+8)", [(line(n), [n]) for n in (1, 1000, 4096)]),
    "arrays_of_structs": ("n", [(line(n), [n]) for n in (1, 1000, 4096)]),
    "structs_of_arrays": ("n", [(line(n), [n]) for n in (1, 1000, 4096)]),
    "polynomial<7>": ("n", [(line(n), [n]) for n in (1, 1000, 4096)]),
    "outlined": ("n", [(("3x1x1", "96x1x1"), [n]) for n in (100, 288, 5000)]),
    "black_scholes": ("n", [(line(n), [n]) for n in (1, 1000, 4096)]),
    "stencil_2d": ("n", [(plane(n, 16, 8), [n]) for n in (3, 20, 101)]),
    "stencil_3d": ("n m", [((f"{-(-n // 8)}x{-(-n // 4)}x{-(-m // 2)}", "8x4x2"), [n, m])
                           for n, m in ((3, 3), (10, 7), (25, 33))]),
    "jacobi_3d": ("n", [(plane(n, 16, 4), [n]) for n in (3, 18, 33)]),
    "transpose": ("n", [(plane(n), [n]) for n in (16, 50, 100)]),
    "convolution": ("n", [(line(n), [n]) for n in (9, 1000, 4096)]),
    "convolution_rows": ("pitch", [((f"{x}x{y}x1", "16x4x1"), [64 * x]) for x, y in ((1, 1), (3, 2), (5, 4))]),
    "matmul": ("n", [(plane(n), [n]) for n in (16, 48, 80)]),
    "matmul_ragged": ("n", [(plane(n), [n]) for n in (16, 50, 75)]),
    "spmv_ell": ("rows width", [(line(n), [n, w]) for n, w in ((1, 1), (100, 7), (1000, 20))]),
    "n_body": ("n", [(line(n, block), [n]) for n, block in ((64, 64), (256, 64), (384, 128))]),
    "reduce": ("n", [((f"{grid}x1x1", f"{block}x1x1"), [n])
                     for n, grid, block in ((1000, 4, 256), (77, 1, 64), (4096, 8, 512))]),
    "reduce_fixed<128>": ("n", [(("4x1x1", "128x1x1"), [n]) for n in (100, 512, 5000)]),
    "dot": ("n", [((f"{grid}x1x1", f"{block}x1x1"), [n])
                  for n, grid, block in ((1000, 2, 64), (100, 1, 128), (10000, 3, 256))]),
    "warp_sums": ("", [((f"{grid}x1x1", f"{block}x1x1"), []) for grid, block in ((1, 32), (4, 64), (3, 256))]),
    "scan_128": ("", [((f"{grid}x1x1", "128x1x1"), []) for grid in (1, 2, 7)]),
    "scan_tree": ("", [((f"{grid}x1x1", f"{block}x1x1"), []) for grid, block in ((1, 32), (2, 64), (3, 256))]),
    "histogram": ("n", [((f"{grid}x1x1", f"{block}x1x1"), [n])
                        for n, grid, block in ((100, 1, 64), (1000, 3, 128), (5000, 2, 96))]),
    "butterfly": ("n half", [(line(n // 2), [n, half]) for n, half in ((16, 1), (1024, 64), (2000, 8))]),
    "bitonic": ("", [((f"{grid}x1x1", "256x1x1"), []) for grid in (1, 2, 5)]),
    "mandelbrot": ("n limit", [(line(n, 64), [n, 30]) for n in (64, 1000, 2048)]),
    # suite_kernels.cu
    "scalar_products": ("vectors elements", [((f"{grid}x1x1", f"{block}x1x1"), [v, e])
                                             for grid, block, v, e in ((4, 64, 10, 300), (7, 96, 5, 256), (3, 256, 20, 1000))]),
    "wide_step": ("n", [(("4x1x1", "64x1x1"), [n]) for n in (100, 256, 12345)]),
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
    "nearest": ("points clusters", [(line(n), [n, c]) for n, c in ((100, 5), (1000, 1), (3000, 32))]),
    "frontier": ("n level", [(line(n), [n, 3]) for n in (100, 1000, 2000)]),
    "boxed": ("(arg0+0) (arg0+4) (arg0+8)", [(plane(max(x, y), 16, 16), [x, y, z])
                                             for x, y, z in ((16, 16, 4), (20, 10, 7), (33, 33, 3))]),
    "reduce_shuffled<128>": ("n", [(("4x1x1", "128x1x1"), [n]) for n in (1024, 5000, 333)]),
    "reduce_interleaved": ("", [((f"{grid}x1x1", f"{block}x1x1"), []) for grid, block in ((1, 32), (4, 64), (3, 256))]),
    "pairs": ("n", [(line(n, 64), [n]) for n in (1, 100, 300)]),
}
# kernel: what its unknowns are called
UNKNOWN = {
    "mandelbrot": "trips@ taken@",  # while the point stays inside
    "frontier": "trips@ taken@ value@",  # which vertices, and how many edges each has
}


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


failed = []
for kernel, (names, cases) in CASES.items():
    if wanted and kernel not in wanted:
        continue
    unknown = UNKNOWN.get(kernel, "").split()
    for (grid, block), values in cases:
        sets = [f"{kind}.{axis}={size}" for kind, text in (("grid", grid), ("block", block))
                for axis, size in zip("xyz", text.split("x"))]
        sets += [f"{name}={value}" for name, value in zip(names.split(), values)]
        found = run(ergon, "predict", "--strict", records, "--target", "nvptx", "--entry", kernel, "--json",
                    *(word for each in sets for word in ("--set", each)))
        executed = run(program, kernel, grid, block, *values)
        title = f"{kernel} {grid} {block} {' '.join(map(str, values))}"
        if executed.returncode:
            sys.exit(f"{title}: the shim ends with {executed.returncode} {executed.stderr}")
        if found.returncode != (3 if unknown else 0):
            print(f"{title}: exit status {found.returncode}: {found.stderr.strip()}")
            failed.append(title)
            continue
        prediction, right = json.loads(found.stdout), json.loads(executed.stdout)
        counts, needs = prediction["counts"], prediction.get("needs", {})
        compared = [name for name in COMPARED if name not in needs]
        differ = [f"{name}: predicted {counts.get(name, 0)}, executed {right.get(name, 0)}"
                  for name in compared if counts.get(name, 0) != right.get(name, 0)]
        differ += [f"rests on {symbol}" for symbol in prediction["unbound"] if not symbol.startswith(tuple(unknown))]
        print(f"{title}: " + ("; ".join(differ) or f"equal in {sum(right.get(name, 0) != 0 for name in compared)} classes")
              + "".join(f", {symbol} is not known" for symbol in prediction["unbound"]))
        failed += [title] * bool(differ)
print(f"{len(failed)} cases differ")
sys.exit(bool(failed))
