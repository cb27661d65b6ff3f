#!/usr/bin/python3
"""The oracle for predicted counts: what a function of an x86-64 executable really executes.

Valgrind's callgrind tells how often each instruction ran and whether it touched memory; objdump
tells what the instruction is. Joined, they give Ergon's cost classes, as one JSON object:

  flops_<type> div_<type> sqrt_<type> fma_<type> fp_other_<type>     type: f32 f64 f80
  loads_<space> stores_<space> load_bytes_<space> store_bytes_<space>  space: memory stack constant
  instructions, and "functions": how often each matched function was entered

README.md beside this file says what each space holds and how to build a program for it.

Exit status: 0 done (with --compare: equal), 1 counts differ, 2 nothing could be counted.
"""

import argparse
import collections
import json
import pathlib
import re
import sys

import callgrind
from executable import Executable, OracleError, check_tools

# --- What an instruction counts as ------------------------------------------------------------

# SSE and AVX mnemonics, scalar and packed, without their v and their type.
ARITHMETIC = {"add": "add", "sub": "add", "addsub": "add", "hadd": "add", "hsub": "add",
              "mul": "add", "rsqrt": "add", "rcp": "add", "div": "div", "sqrt": "sqrt"}
OTHER = re.compile(r"(min|max|round|u?comi|cmp\w*)$")
FUSED = re.compile(r"fn?m(add|sub|addsub|subadd)(132|213|231)$")
MOVES = re.compile(r"(mov|unpck|shuf|v?perm|blend|broadcast|insert|extract|maskmov|gather"
                   r"|andn?|x?or|test)\w*$")
TYPED = re.compile(r"v?(?P<base>[a-oq-z]\w*?)(?P<packed>[sp])(?P<type>[sd])$")
CONVERT = re.compile(r"v?cvtt?(?P<source>[a-z]+)2(?P<result>[a-z]+)$")

X87 = re.compile(r"f(?:(?P<arithmetic>i?(?:add|mul|subr?|divr?)p?)|(?P<sqrt>sqrt)|(?P<rem>prem1?)"
                 r"|(?P<other>chs|abs|rndint|u?comi?p?p?|icomp?|tst)"
                 r"|(?P<move>i?ld\w*|n?i?stt?\w*|xch|cmov\w*|free\w*|nop|wait|n?init|n?clex|incstp"
                 r"|decstp))$")

# Callgrind counts an instruction that reads and then writes one place as a write alone.
READ_AND_WRITE = {"add", "sub", "adc", "sbb", "and", "or", "xor", "inc", "dec", "neg", "not", "shl",
                  "sal", "shr", "sar", "rol", "ror", "rcl", "rcr", "shld", "shrd", "bts", "btr",
                  "btc", "xadd", "xchg", "cmpxchg", "cmpxchg8b", "cmpxchg16b"}
# Instructions that load each lane by itself; the last letter is the lane's type.
GATHER = re.compile(r"vp?gather[dq]p?([sdq])$")
# Instructions whose memory operand may go without an access.
NO_ACCESS = re.compile(r"lea|nop|prefetch|clflush|(movs|stos|cmps|scas|lods)$")
LANE_BYTES = {"s": 4, "d": 8, "q": 8}
NOT_FLOAT = {"cmps", "fxsave", "fxsave64", "fxrstor", "fxrstor64"}  # names that look like it

FLOAT_TYPES = ("f32", "f64", "f80")
CLASSES = ({f"{family}_{kind}" for family in ("flops", "div", "sqrt", "fma", "fp_other")
            for kind in FLOAT_TYPES}
           | {f"{what}_{space}" for what in ("loads", "stores", "load_bytes", "store_bytes")
              for space in ("memory", "stack", "constant")}
           | {"instructions"})


def lanes(operands, packed, type_bytes):
    """Values of a scalar or packed operation: an xmm register holds 16 bytes, a ymm register 32."""
    if packed == "s":
        return 1
    return (32 if "ymm" in operands.lower() else 16) // type_bytes  # YMMWORD PTR […] too


def convert_counts(source, result, operands):
    """A conversion belongs to the wider of its floating-point types, as in predictions."""
    kind = "f64" if {"sd", "pd"} & {source, result} else "f32"
    widest = 8 if {"pd", "qq"} & {source, result} else 4
    packed = "s" if {"ss", "sd", "si"} & {source, result} else "p"
    return [(f"fp_other_{kind}", lanes(operands, packed, widest))]


def vector_counts(base, suffix, count):
    """SSE and AVX: `base` is the mnemonic without v and type. None where no rule knows it."""
    if base in ARITHMETIC:
        kind = ARITHMETIC[base]
        return [(f"flops_{suffix}", count)] + [(f"{kind}_{suffix}", count)] * (kind != "add")
    if FUSED.match(base):
        return [(f"flops_{suffix}", 2 * count), (f"fma_{suffix}", count)]
    if OTHER.match(base):
        return [(f"fp_other_{suffix}", count)]
    return [] if MOVES.match(base) else None


def x87_counts(mnemonic):
    """The x87 stack machine: x86-64 compilers use it for 80-bit values. None where not known."""
    match = X87.match(mnemonic)
    if not match:
        return None
    if match["arithmetic"] or match["rem"] or match["sqrt"]:
        kind = "sqrt" if match["sqrt"] else "div" if "div" in mnemonic else None
        return [("flops_f80", 1)] + ([(f"{kind}_f80", 1)] if kind else [])
    return [("fp_other_f80", 1)] if match["other"] else []


def float_counts(instruction):
    """(class, count) pairs for one execution; raises on what may be arithmetic but is not known."""
    mnemonic, operands = instruction.mnemonic, instruction.operands
    if convert := CONVERT.match(mnemonic):
        return convert_counts(convert["source"], convert["result"], operands)
    if mnemonic in NOT_FLOAT:
        return []
    rows = []
    if typed := TYPED.match(mnemonic):
        width = LANE_BYTES[typed["type"]]
        rows = vector_counts(typed["base"], f"f{8 * width}",
                             lanes(operands, typed["packed"], width))
    elif mnemonic.startswith("f"):
        rows = x87_counts(mnemonic)
    if rows is None:
        raise OracleError(f"`{mnemonic} {operands}`: no rule in executed_counts.py says what it "
                          "counts as; add one")
    return rows


def access_counts(instruction, times, reads, writes, executable):
    """(class, count) pairs for the memory accesses of all executions of one instruction."""
    base = instruction.mnemonic
    implicit = executable.implicit(instruction)
    reads = 0 if implicit == "load" else reads
    writes = 0 if implicit == "store" else writes
    if not reads and not writes and base == "mov" and instruction.accesses and not implicit:
        reads = times  # of a value that nothing uses, as before cpuid: valgrind's translator drops it
    if not reads and not writes:
        if instruction.accesses and not implicit and not NO_ACCESS.match(base):
            raise OracleError(f"callgrind does not see the access of `{base} {instruction.operands}` "
                              "(it is blind to masked ones): build for another -march")
        return
    if not instruction.accesses:
        if base in ("bt", "bts", "btr", "btc"):
            return  # of a register: valgrind's translator tests the bit in memory
        raise OracleError(f"`{base} {instruction.operands}` accesses memory that no operand names")
    if base in READ_AND_WRITE and writes:
        reads = writes
    lane = GATHER.match(base)
    for events, what, access in ((reads, "load", instruction.accesses[-1]),
                                 (writes, "store", instruction.accesses[0])):
        if not events:
            continue
        size = LANE_BYTES[lane[1]] if lane else access.bytes
        if not size:
            raise OracleError(f"`{base} {instruction.operands}` names no access size")
        space = executable.space(access, instruction.function)
        if base == "jmp" and space == "memory" and access.registers:
            space = "constant"  # a jump table
        # Valgrind splits some wide accesses, a packed fused operation's for one: each is one.
        count_of = events if lane else min(events, times)
        yield f"{what}s_{space}", count_of
        yield f"{what}_bytes_{space}", count_of * size


# --- What ran ---------------------------------------------------------------------------------

def executed(path, arguments):
    """Address -> [executions, reads, writes], of the executable's own code."""
    return own(callgrind.run(path, arguments))


def own(rows):
    """Address -> [executions, reads, writes], of the executable's own code."""
    total = collections.defaultdict(lambda: [0, 0, 0])
    for row in rows:
        if row.is_own:
            for which, event in enumerate(("Ir", "Dr", "Dw")):
                total[row.address][which] += row.events.get(event, 0)
    return total


def count(executable, pattern, total):
    """Executed cost classes of the functions whose plain or demangled name matches."""
    wanted = executable.matching(pattern)
    result, entered = collections.Counter(), collections.Counter()
    for address, (times, reads, writes) in total.items():
        instruction = executable.code.get(address)
        if instruction is None or instruction.function not in wanted or not times:
            continue
        if address == instruction.function:
            entered[wanted[address]] += times
        result["instructions"] += times
        for name, each in float_counts(instruction):
            result[name] += each * times
        for name, events in access_counts(instruction, times, reads, writes, executable):
            result[name] += events
    if not result:
        raise executable.not_executed(pattern)
    return result, entered


def count_runs(path, runs, library):
    """What each run executed, as (pattern, words of the run) with words as callgrind.separate_runs() wants them."""
    path = str(pathlib.Path(path).resolve())
    executable = Executable(path)
    rows = callgrind.separate_runs(path, [words for _, words in runs], library)
    return [count(executable, pattern, own(each))[0] for (pattern, _), each in zip(runs, rows, strict=True)]


# --- Comparing --------------------------------------------------------------------------------

def predicted_counts(where):
    """The `counts` of a prediction: a file, `-` for standard input, or the JSON text itself."""
    text = where if where.lstrip().startswith("{") else (
        sys.stdin.read() if where == "-" else pathlib.Path(where).read_text())
    document = json.loads(text)
    counts = document.get("counts", document)
    if not isinstance(counts, dict):
        raise OracleError(f"{where}: 'counts' is no object")
    if document.get("unbound"):
        raise OracleError("the prediction has unbound symbols: "
                          + ", ".join(map(str, document["unbound"])))
    return counts


def compare(predicted, found, classes):
    """Prints the verdict; true where every class is equal. A class that is not there counts 0."""
    differ = [name for name in classes if predicted.get(name, 0) != found.get(name, 0)]
    for name in differ:
        print(f"{name}: predicted {predicted.get(name, 0)}, executed {found.get(name, 0)}")
    if not differ:
        print("equal: " + ", ".join(f"{name}={found.get(name, 0)}" for name in classes))
    return not differ


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--function", default=".", metavar="REGEX",
                        help="functions to count, by plain or demangled name (default: all)")
    parser.add_argument("--compare", metavar="PREDICTION",
                        help="output of `ergon predict --json`: a file, - or the text")
    parser.add_argument("--classes", default="", metavar="A,B,…",
                        help="with --compare: the cost classes that must be equal")
    parser.add_argument("executable")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    classes = [name for name in options.classes.split(",") if name]
    try:
        check_tools("valgrind", "objdump", "c++filt")
        if unknown := [name for name in classes if name not in CLASSES]:
            raise OracleError(f"no such class: {', '.join(unknown)}; one of "
                              + ", ".join(sorted(CLASSES)))
        if bool(options.compare) != bool(classes):
            raise OracleError("--compare and --classes go together")
        predicted = predicted_counts(options.compare) if options.compare else None
        path = str(pathlib.Path(options.executable).resolve())
        found, entered = count(Executable(path), options.function, executed(path, options.arguments))
        if predicted is None:
            print(json.dumps({**found, "functions": entered}, sort_keys=True))
            return 0
        return 0 if compare(predicted, found, classes) else 1
    except (OracleError, OSError, ValueError, re.error) as error:
        print(f"executed_counts.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
