#!/usr/bin/env python3
"""Counts the floating-point instructions that ptxas makes of one PTX instruction.

  scripts/expansion-steps.py [--ptxas PTXAS] [--arch sm_86] [--check passes/opcodes/ExpansionSteps.inc]

A GPU has no instruction for a division or a square root: ptxas writes multiplications and fused
operations in its place, and a call of a longer subroutine for operands near the ends of the range.
Each row of the table is the flops (a fused operation is two) in f32 and in f64 of one such
instruction: the least over the ways that call no subroutine, and the most over all ways. The machine code is read without a
disassembler: the codes of FADD, FMUL, FFMA, DADD, DMUL and DFMA are those that ptxas writes for
`add.rn`, `mul.rn` and `fma.rn`, and the jumps are checked to lead to the start of an instruction.
"""

import argparse
import math
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

OPERATIONS = [
    "div.rn.f32", "div.rn.ftz.f32", "div.full.f32", "div.full.ftz.f32", "div.approx.f32",
    "div.approx.ftz.f32", "rcp.rn.f32", "rcp.rn.ftz.f32", "rcp.approx.f32", "rcp.approx.ftz.f32",
    "sqrt.rn.f32", "sqrt.rn.ftz.f32", "sqrt.approx.f32", "sqrt.approx.ftz.f32",
    "rsqrt.approx.f32", "rsqrt.approx.ftz.f32", "ex2.approx.f32", "ex2.approx.ftz.f32",
    "lg2.approx.f32", "lg2.approx.ftz.f32", "sin.approx.f32", "sin.approx.ftz.f32",
    "cos.approx.f32", "cos.approx.ftz.f32", "tanh.approx.f32",
    "div.rn.f64", "rcp.rn.f64", "rcp.approx.ftz.f64", "sqrt.rn.f64", "rsqrt.approx.f64",
    "rsqrt.approx.ftz.f64", "div.u16", "div.s16", "rem.u16", "rem.s16",
]
# Opcodes without operand forms: the low nine bits of an instruction.
OPCODE, EXIT, BRA, CALL, RET = 0x1FF, 0x14D, 0x147, 0x144, 0x150
OTHER_JUMPS = {0x143, 0x149, 0x14A, 0x14C, 0x153, 0x154}  # through tables and registers
UNCONDITIONAL = 7


def kernel(name, instruction, constant):
    """A PTX kernel with one such instruction on values from memory."""
    real = instruction.rsplit(".", 1)[-1]
    size = int(real[1:]) // 8
    base = instruction.split(".")[0]
    number = {"div": 2, "rem": 2, "add": 2, "mul": 2, "fma": 3}.get(base, 1)
    operands = [f"%v{i}" for i in range(number)]
    lines = [f".visible .entry {name}(.param .u64 p) {{", f".reg .u64 %a; .reg .{real} %v<5>;",
             "ld.param.u64 %a, [p];"]
    if constant:
        operands[1] = "0f40400000" if real == "f32" else "0d4008000000000000"  # 3
    lines += [f"ld.global.{real} {o}, [%a+{size * i}];" for i, o in enumerate(operands) if o[0] == "%"]
    lines += [f"{instruction} %v4, {', '.join(operands)};", f"st.global.{real} [%a], %v4;", "ret; }"]
    return "\n".join(lines)


def assemble(ptxas, arch, kernels):
    """The machine code of each kernel, as two 64-bit words an instruction."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "a.ptx"), pathlib.Path(folder, "a.cubin")
        source.write_text(f".version 8.0\n.target {arch}\n.address_size 64\n"
                          + "\n".join(kernels.values()))
        subprocess.run([ptxas, f"-arch={arch}", str(source), "-o", str(target)], check=True)
        data = target.read_bytes()
    table, = struct.unpack_from("<Q", data, 40)
    size, number, names = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(number)]
    code = {}
    for name, _, _, _, offset, length in sections:
        start = sections[names][4] + name
        label = data[start:data.index(b"\0", start)].decode()
        if label.startswith(".text."):
            code[label[6:]] = list(struct.iter_unpack("<QQ", data[offset:offset + length]))
    return code


def learn(ptxas, arch):
    """What the operations of a GPU count as, by opcode: (type, flops)."""
    known = {f"k{i}": (f"{base}.rn.{real}", (real, flops))
             for i, (base, real, flops) in enumerate(
                 (b, r, f) for b, f in (("add", 1), ("mul", 1), ("fma", 2)) for r in ("f32", "f64"))}
    code = assemble(ptxas, arch, {n: kernel(n, i, False) for n, (i, _) in known.items()})
    opcodes = {n: {word & OPCODE for word, _ in code[n]} for n in known}
    return {next(iter(opcodes[n] - set().union(*(opcodes[o] for o in known if o != n)))): counts
            for n, (_, counts) in known.items()}


def flops(code, counted, may_call=False):
    """The flops of \p code, for f32 and f64: the least, without a call where that can be, and the
    most."""
    done = {}
    none = {"f32": (0, 0), "f64": (0, 0)}

    def follow(at, returns, active):
        if (at, returns) in done:
            return done[at, returns]
        if (at, returns) in active:
            raise SystemExit("a loop in the code of one instruction")
        active = active | {(at, returns)}
        word = code[at][0]
        opcode, always = word & OPCODE, (word >> 12 & 15) == UNCONDITIONAL
        if opcode in OTHER_JUMPS:
            raise SystemExit(f"a jump that is not followed: {opcode:#x}")
        real, number = counted.get(opcode, ("f32", 0))
        own = dict(none)
        own[real] = (number if always else 0, number)
        ways = []
        if opcode in (BRA, CALL):
            offset = struct.unpack("<i", struct.pack("<I", word >> 32))[0]
            if offset % 16 or not 0 <= at + 1 + offset // 16 < len(code):
                raise SystemExit("a jump to no instruction")
            if opcode == CALL and offset == 0:
                raise SystemExit("a subroutine that is put in later: try --arch sm_86")
            ways.append((at + 1 + offset // 16, returns + ((at + 1,) if opcode == CALL else ())))
        elif opcode == RET:
            ways.append((returns[-1], returns[:-1]))
        if opcode not in (BRA, CALL, RET, EXIT) or not always:
            ways.append((at + 1, returns))
        if opcode == EXIT and always:
            ways = []
        rest = [follow(*way, active) for way in ways] or [none]
        most = {r: own[r][1] + max(w[r][1] for w in rest) for r in own}
        if opcode == CALL and not may_call:
            done[at, returns] = {r: (math.inf, most[r]) for r in own}
        else:
            done[at, returns] = {r: (own[r][0] + min(w[r][0] for w in rest), most[r]) for r in own}
        return done[at, returns]

    found = follow(0, (), frozenset())
    return flops(code, counted, True) if math.inf in found["f32"] else found


def table(ptxas, arch):
    rows = [(o, False) for o in OPERATIONS] + [(o, True) for o in OPERATIONS if o[:7] == "div.rn."]
    kernels = {f"k{i}": kernel(f"k{i}", *row) for i, row in enumerate(rows)}
    code, counted = assemble(ptxas, arch, kernels), learn(ptxas, arch)
    lines = []
    for i, (operation, constant) in enumerate(rows):
        found = flops(code[f"k{i}"], counted)
        name = operation + (".constant" if constant else "")
        numbers = ", ".join(f"{{{low}, {high}}}" for low, high in found.values())
        lines.append(f'{{"{name}", {numbers}}},')
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ptxas", default=shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas")
    parser.add_argument("--arch", default="sm_86")
    parser.add_argument("--check", help="compare with this table")
    options = parser.parse_args()
    lines = table(options.ptxas, options.arch)
    if not options.check:
        print("\n".join(lines))
        return
    rows = re.findall(r'^\{".*\},$', pathlib.Path(options.check).read_text(), re.MULTILINE)
    for line in sorted(set(lines) ^ set(rows)):
        print(("missing: " if line in lines else "not made by ptxas: ") + line)
    sys.exit(lines != rows)


main()
