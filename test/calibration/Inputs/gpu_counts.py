"""What calibration/cuda/KernelTable.cpp says of Kernels.cu, against others who know.

gpu_counts.py TABLE shim PROGRAM           every thread run on the CPU (gpu_shim_main.cpp)
gpu_counts.py TABLE record ERGON FOLDER    Ergon's own record of the source
gpu_counts.py TABLE ptx FILE               the instructions of the PTX
gpu_counts.py TABLE machine FILE           those of a GPU's machine code, a cubin, that compute

Launches are of 2 blocks of 256 threads over 4096 words, with 1 and with 2 iterations.
"""

import json
import re
import struct
import subprocess
import sys
from collections import Counter

table = json.loads(subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout)
BLOCKS, THREADS, WORDS = 2, 512, 4096
problems = []
compared = 0


def said(kernel, iterations):
    """Counts of a launch by the table."""
    result = Counter()
    chunks = WORDS / 4 * (BLOCKS if kernel["near"] else 1)
    for part, times in (("once", THREADS), ("round", THREADS * iterations), ("chunk", chunks * iterations)):
        for name, units in kernel[part].items():
            result[name] += units * times
    return result


def compare(kernel, name, by_table, found):
    global compared
    compared += 1
    if abs(by_table - found) > 1e-9 * max(by_table, found):
        problems.append(f"{kernel['name']}: {name}: {by_table:g} in the table, {found:g} found")


def whole(name):
    return name in ("int_ops", "int_mul", "int_div")


def shim(program):
    """Of whole numbers only those in the values: not the loops' own, nor addresses."""
    ran = json.loads(subprocess.run([program], capture_output=True, text=True, check=True).stdout)
    for kernel in table:
        if kernel["name"] == "nothing":
            continue
        one, two = (Counter(each) for each in ran[kernel["name"]])
        for name in sorted(set(one) | set(said(kernel, 1))):
            # What these stand for is no count of the code.
            if name in ("bytes_shared", "bytes_l2", "bytes_dram", "random_sectors", "l1_lines") or name.startswith("waits_"):
                continue
            if not whole(name):
                compare(kernel, name, said(kernel, 1)[name], one[name])
            elif name != "int_ops" or "i32" in kernel["name"]:
                loop = 2 * THREADS if name == "int_ops" else 0
                compare(kernel, name, said(kernel, 2)[name] - said(kernel, 1)[name] - loop, two[name] - one[name])


def record(ergon, folder):
    """All classes; of whole numbers what each further iteration does."""
    def predict(name, iterations):
        words = [ergon, "predict", "--strict", folder, "--target", "nvptx", "--entry", name, "--json"]
        for value in (f"arg0={iterations}", f"arg3={WORDS}", f"grid.x={BLOCKS}", "block.x=256"):
            words += ["--set", value]
        return Counter(json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)["counts"])

    for kernel in table:
        if kernel["name"] == "nothing":
            continue
        one, two = predict(kernel["name"], 1), predict(kernel["name"], 2)
        for name in sorted(set(one) | set(said(kernel, 1))):
            if name in ("bytes_shared", "bytes_dram", "random_sectors", "l1_lines", "branches", "address_ops"):
                continue
            if name.startswith(("steps_", "issue_", "stall_")): # by the machine code, no count of the code
                continue
            if whole(name):
                compare(kernel, name, said(kernel, 2)[name] - said(kernel, 1)[name], two[name] - one[name])
            else:
                compare(kernel, name, said(kernel, 1)[name], one[name])


# What an instruction of PTX is (PTX ISA 7.0); the first pattern that fits.
PTX = [
    (r"fma\.rn\.(f32|f64)", lambda m: {f"flops_{m[1]}": 2, f"fma_{m[1]}": 1}),
    (r"fma\.rn\.f16x2", lambda m: {"flops_f16": 4, "fma_f16": 2}),
    (r"(?:add|sub|mul)(?:\.rn)?\.f16x2", lambda m: {"flops_f16": 2}),
    (r"(?:add|sub|mul)(?:\.rn)?\.(f32|f64)", lambda m: {f"flops_{m[1]}": 1}),
    (r"div\.rn\.(f32|f64)", lambda m: {f"flops_{m[1]}": 1, f"div_{m[1]}": 1}),
    (r"sqrt\.rn\.(f32|f64)", lambda m: {f"flops_{m[1]}": 1, f"sqrt_{m[1]}": 1}),
    (r"(?:ex2|lg2)\.approx\.ftz\.f32", lambda m: {"special_f32": 1}),
    (r"wmma\.mma\.sync.*\.m(\d+)n(\d+)k(\d+)\.\S*", lambda m: {"matrix": 2 * int(m[1]) * int(m[2]) * int(m[3]) / 32}),
    (r"ld\.global(?:\.c[ag])?\.v4\.\w?32", lambda m: {"loads_global": 1, "load_bytes_global": 16}),
    (r"ld\.global(?:\.c[ag])?\.\w(32|64)", lambda m: {"loads_global": 1, "load_bytes_global": int(m[1]) // 8}),
    (r"st\.global\.v4\.\w?32", lambda m: {"stores_global": 1, "store_bytes_global": 16}),
    (r"ld\.volatile\.shared\.\w32", lambda m: {"loads_shared": 1, "load_bytes_shared": 4}),
    (r"st\.volatile\.shared\.\w32", lambda m: {"stores_shared": 1, "store_bytes_shared": 4}),
    (r"m(?:ul|ad)\.lo\.s32", lambda m: {"int_mul": 1}),
    (r"div\.u32", lambda m: {"int_div": 1}),
]


def innermost(text):
    """The instructions of the one loop without a jump in it: from a label to the jump back to it."""
    label, body = None, []
    for line in text.split("\n"):
        if match := re.match(r"(\$L__BB\w+):", line):
            label, body = match[1], []
        body.append(line)
        if (match := re.search(r"bra(?:\.uni)?\s+(\$L__BB\w+);", line)) and match[1] == label:
            return body
    return []


def ptx(file):
    """What an iteration of the innermost loop does: a round of a thread, or four words."""
    text = open(file).read()
    bodies = {match[1]: match[2] for match in re.finditer(r"\.entry (\w+)\((.*?)-- End function", text, re.DOTALL)}
    for kernel in table:
        if kernel["name"] == "nothing":
            continue
        found = Counter()
        for line in innermost(bodies[kernel["name"]]):
            for pattern, counts in PTX:
                if match := re.search(r"(?:^|[\s{])" + pattern, line):
                    found.update(counts(match))
                    break
        expected = kernel["chunk" if kernel["words"] else "round"]
        for name in sorted(set(found) | set(expected)):
            if name in ("int_ops", "bytes_shared", "random_sectors", "l1_lines") or name.startswith("flops_matrix_"):
                continue
            if name == "matrix":
                matrix = [units for each, units in expected.items() if each.startswith("flops_matrix_")]
                compare(kernel, name, matrix[0] if matrix else 0, found[name])
            else:
                compare(kernel, name, expected.get(name, 0), found[name])


# Opcodes of compute capability 7.5 and later, bits 0 to 8 of an instruction of 128 bits, as disassemblers
# print them. A sum or a product may be done as a fused operation with 1 or 0: instructions are compared.
OPCODES = {
    0x023: "f32", 0x021: "f32", 0x020: "f32",  # FFMA, FADD, FMUL
    0x02b: "f64", 0x029: "f64", 0x028: "f64",  # DFMA, DADD, DMUL
    0x031: "f16", 0x030: "f16", 0x032: "f16", 0x035: "f16",  # HFMA2, HADD2, HMUL2, HFMA2.MMA
    0x108: "special",  # MUFU
}
STRAIGHT = [f"{op}_{kind}" for kind in ("f16", "f32", "f64") for op in ("fma", "add", "mul")] + ["special_f32"]


def machine(file):
    """Kernels whose operations are one instruction each: nothing was left out or joined by the assembler."""
    image = open(file, "rb").read()
    at, = struct.unpack_from("<Q", image, 0x28)
    size, number, names = struct.unpack_from("<HHH", image, 0x3a)
    sections = [struct.unpack_from("<IIQQQQ", image, at + size * k) for k in range(number)]
    for kernel in table:
        if kernel["name"] not in STRAIGHT:
            continue
        kind = "special" if kernel["name"] == "special_f32" else kernel["name"][-3:]
        lanes = 2 if kind == "f16" else 1
        operations = (kernel["round"].get(f"flops_{kind}", 0) - kernel["round"].get(f"fma_{kind}", 0)) / lanes
        # The seven sums in the end are there too.
        operations += 7 if kind != "special" else kernel["round"]["special_f32"]
        wanted = f".text.{kernel['name']}".encode()
        code, = [image[each[4]:each[4] + each[5]] for each in sections
                 if image[sections[names][4] + each[0]:].split(b"\0", 1)[0] == wanted]
        found = Counter()
        for k in range(0, len(code), 16):
            opcode = struct.unpack_from("<H", code, k)[0] & 0x1ff
            if opcode in OPCODES:
                found[OPCODES[opcode]] += 1
        compare(kernel, kind, operations, found[kind])


{"shim": shim, "record": record, "ptx": ptx, "machine": machine}[sys.argv[2]](*sys.argv[3:])
print("\n".join(problems + [f"{compared} counts compared, {len(problems)} differ"]))
