"""Holds what each kernel is said to execute against what callgrind saw of it: kernel_counts.py ORACLE PROGRAM

Iterations are the difference of two runs, so that what a call does once is not in them."""

import collections
import json
import re
import subprocess
import sys

sys.path.insert(0, sys.argv[1])
import executed_counts as oracle  # noqa: E402
from executable import Executable  # noqa: E402

INTEGER = {
    "int_ops": re.compile(r"(add|inc|xor|shl|shr|test|v?padd[dq]|v?pxor|v?xorps|v?psrlq)$"),
    "int_mul": re.compile(r"(imul|v?pmulld)$"),
    "int_div": re.compile(r"div$"),
    "branches": re.compile(r"j(?!mp)"),
    "shuffles": re.compile(r"v?(shufp|perm|pshuf)"),
}
LOAD = re.compile(r"v?mov(|s[sd]|[au]p[sd]|dq[au])$|vbroadcasts[sd]$")
FLOAT = [f"{family}_{kind}" for family in ("flops", "fma", "div", "sqrt", "fp_other") for kind in ("f32", "f64")]
ACCESSES = ["loads_memory", "stores_memory", "load_bytes_memory", "store_bytes_memory"]


def operations(instruction):
    """Integer operations of an instruction: one for each lane. A test is a logic operation and a comparison."""
    if instruction.mnemonic == "test":
        return 2
    if "xor" in instruction.mnemonic and len(set(re.split(r"\s*,\s*", instruction.operands))) == 1:
        return 0  # a zero
    if "mm" not in instruction.operands or instruction.mnemonic.startswith(("vperm", "vshuf", "shuf", "pshuf", "vpshuf")):
        return 1
    return (32 if "ymm" in instruction.operands else 16) // (4 if instruction.mnemonic.endswith("d") else 8)


def counts(program, executable, iterations):
    """Address of a function -> what ran of it."""
    result = collections.defaultdict(collections.Counter)
    for address, (times, reads, writes) in oracle.executed(program, [str(iterations)]).items():
        instruction = executable.code.get(address)
        if instruction is None or not times:
            continue
        into = result[instruction.function]
        for name, mnemonics in INTEGER.items():
            if mnemonics.match(instruction.mnemonic):
                into[name] += times * operations(instruction)
        if instruction.function not in wanted:
            continue
        for name, each in oracle.float_counts(instruction):
            into[name] += each * times
        # valgrind leaves out loads whose value is not used, but it counts the instructions.
        if instruction.accesses and not writes and LOAD.match(instruction.mnemonic):
            reads = times
        for name, events in oracle.access_counts(instruction, times, reads, writes, executable):
            into[name] += events
    return result


program = sys.argv[2]
# Under valgrind, so that the processor is the one that it can show.
kernels = json.loads(subprocess.run(["valgrind", "-q", program, "1"], capture_output=True, text=True, check=True).stdout)
executable = Executable(program)
wanted = {kernel["at"] for kernel in kernels}
assert len(wanted) == len(kernels), "two kernels are one function"
few, many = (counts(program, executable, iterations) for iterations in (2, 5))
wrong = 0
for kernel in kernels:
    # How indexes of streams are counted up is not said, nor are branches of loops.
    # Compilers look at operands of 64 bits before they divide them.
    integer = [name for name in INTEGER if name in kernel["counts"] or not (name == "branches" or "div-i64" in kernel["name"])]
    classes = FLOAT + ACCESSES + ([] if "bytes_l1" in kernel["counts"] and "issue" not in kernel["name"] else integer)
    for name in classes:
        executed = (many[kernel["at"]][name] - few[kernel["at"]][name]) / 3
        said = kernel["counts"].get(name, 0)
        if executed != said:
            wrong += 1
            print(f"{kernel['name']}: {name}: said {said}, executed {executed:g}")
print(f"{len(kernels)} kernels, {wrong} counts differ")
sys.exit(1 if wrong or not kernels else 0)
