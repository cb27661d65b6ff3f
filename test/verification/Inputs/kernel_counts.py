"""Predicted counts of the kernels that `ergon verify` measures against what callgrind saw of them: kernel_counts.py ERGON RECORDS ORACLE PROGRAM BYTES

The records are of the same object code."""

import collections
import json
import subprocess
import sys

ergon, records, oracle_folder, program, size = sys.argv[1:]
sys.path.insert(0, oracle_folder)
import executed_counts as oracle  # noqa: E402
from executable import Executable  # noqa: E402

FLOPS = [f"{family}_{kind}" for family in ("flops", "div", "sqrt") for kind in ("f32", "f64")]
BYTES = ["load_bytes_memory", "store_bytes_memory"]
# What the code generator makes of a kernel is not what it says.
OTHERWISE = {
    "gemv_columns": BYTES[1:], "matmul_ikj": BYTES[1:], "matmul_blocked": BYTES[1:],  # memset stores zeros
    "copy": BYTES, "lu": BYTES,  # memcpy
    "jacobi_1d": BYTES[:1], "jacobi_2d": BYTES[:1], "gauss_seidel": BYTES[:1],  # neighbours stay in registers
    "complex_multiply": BYTES[:1],  # a lane more, at the end
    "nbody": ["flops_f64"],  # x, y and z go into four lanes
    "mandelbrot": ["flops_f64"],  # an integer becomes a number by a subtraction
}


def executed():
    """Function -> what ran of it."""
    result = collections.defaultdict(collections.Counter)
    executable = Executable(program)
    names = {address: name for name, address in symbols().items()}
    for address, (times, reads, writes) in oracle.executed(program, [size]).items():
        instruction = executable.code.get(address)
        if instruction is None or not times or instruction.function not in names:
            continue
        into = result[names[instruction.function]]
        for name, each in oracle.float_counts(instruction):
            into[name] += each * times
        for name, events in oracle.access_counts(instruction, times, reads, writes, executable):
            into[name] += events
    return result


def symbols():
    listed = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    return {words[2]: int(words[0], 16) for words in map(str.split, listed.splitlines()) if len(words) == 3}


def predicted(kernel, snapshot="algorithm"):
    """All counts, with what is known of the data put in for what the record does not know."""
    command = [ergon, "predict", "--strict", f"{records}/{kernel['variant']}", "--json", "--snapshot", snapshot,
               "--entry", f"{kernel['kernel']}_{kernel['variant']}"]
    values = dict(kernel["set"])
    while True:
        sets = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
        prediction = json.loads(subprocess.run(command + sets, capture_output=True, text=True).stdout)
        known = {symbol: kernel["unknowns"][symbol.split("@")[0]] for symbol in prediction["unbound"] if "@" in symbol}
        if not known:
            return prediction["counts"]
        values |= known


# Under valgrind, so that the processor is the one that it can show.
kernels = json.loads(subprocess.run(["valgrind", "-q", program, size], capture_output=True, text=True, check=True).stdout)
found = executed()
wrong = 0
for kernel in kernels:
    said = predicted(kernel)
    ran = found[f"{kernel['kernel']}_{kernel['variant']}"]
    classes = [name for name in FLOPS + BYTES if name not in OTHERWISE.get(kernel["kernel"], [])]
    differ = [f"{name}: predicted {said.get(name, 0)}, executed {ran[name]}" for name in classes if said.get(name, 0) != ran[name]]
    # Vector loops and their rests have unknowns of their own; a mandelbrot's conversion is the code generator's.
    if not kernel["unknowns"] and kernel["kernel"] != "mandelbrot":
        lanes = predicted(kernel, "machine")
        differ += [f"{name} of the machine snapshot: predicted {lanes.get(name, 0)}, executed {ran[name]}"
                   for name in FLOPS if lanes.get(name, 0) != ran[name]]
    if differ:
        wrong += 1
        print(f"{kernel['kernel']}, {kernel['variant']}: {'; '.join(differ)}")
print(f"{len(kernels)} kernels, {wrong} differ")
sys.exit(1 if wrong or not kernels else 0)
