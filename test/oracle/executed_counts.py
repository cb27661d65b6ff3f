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
import bisect
import collections
import dataclasses
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


class OracleError(Exception):
    """Why there is no count: one line for the user."""


# --- The executable: sections, symbols, instructions ------------------------------------------

ACCESS = re.compile(
    r"(?:(?P<width>BYTE|WORD|DWORD|FWORD|QWORD|TBYTE|XMMWORD|YMMWORD) PTR )?"
    r"(?:(?P<segment>[c-gs]s):)?"
    r"(?:\[(?P<inside>[^\]]*)\]|(?P<absolute>0x[0-9a-f]+))"
)
WIDTH_BYTES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "FWORD": 6, "QWORD": 8, "TBYTE": 10,
               "XMMWORD": 16, "YMMWORD": 32}
STACK_REGISTERS = {"rsp", "esp"}
FRAME_REGISTERS = {"rbp", "ebp"}


@dataclasses.dataclass
class Access:
    """A memory operand: its bytes (0: objdump names none) and where it points."""

    bytes: int
    registers: set
    segment: str
    target: int | None  # address, where the instruction alone tells it


@dataclasses.dataclass
class Instruction:
    mnemonic: str
    operands: str
    accesses: list
    function: int  # address of the function that holds it


def parse_accesses(operands, target):
    """The memory operands of an Intel-syntax operand list, in the order printed."""
    found = []
    for match in ACCESS.finditer(operands):
        if match["absolute"] and not match["segment"]:
            continue  # an immediate or a branch target
        inside = match["inside"] or ""
        registers = set(re.findall(r"[a-z][a-z0-9]+", re.sub(r"0x[0-9a-f]+", "", inside)))
        address = None
        if "rip" in registers:
            address = target
        elif not registers:
            address = int(match["absolute"] or inside, 16)
        found.append(Access(WIDTH_BYTES.get(match["width"], 0), registers - {"rip"},
                            match["segment"] or "", address))
    return found


class Executable:
    """The parts of an ELF file that say what an instruction is and what its data are."""

    def __init__(self, path):
        self.path = path
        self.code = {}        # address -> Instruction
        self.functions = {}   # address -> symbol
        self.framed = set()   # addresses of functions whose rbp is a frame pointer
        self._read_code()
        self.read_only = self._sections(r"\.rodata|\.got")
        self.tables = sorted(self._objects())  # named objects: (start, end)

    def _objdump(self, *options):
        done = subprocess.run(["objdump", *options, self.path], capture_output=True, text=True)
        if done.returncode:
            raise OracleError(f"objdump cannot read {self.path}: {done.stderr.strip()}")
        return done.stdout.splitlines()

    def _read_code(self):
        function = None
        for line in self._objdump("-d", "-M", "intel", "--no-show-raw-insn"):
            if head := re.match(r"([0-9a-f]+) <(.*)>:$", line):
                function = int(head[1], 16)
                self.functions[function] = head[2]
            elif row := re.match(r"\s*([0-9a-f]+):\t(.*)", line):
                text, _, comment = row[2].partition("#")
                words = text.split()
                while len(words) > 1 and (words[0] in PREFIXES or words[0].startswith("rex")):
                    words.pop(0)
                mnemonic, operands = words[0], re.sub(r"<.*>", "", " ".join(words[1:])).strip()
                target = re.match(r"\s*([0-9a-f]+)", comment)
                self.code[int(row[1], 16)] = Instruction(
                    mnemonic, operands, parse_accesses(operands, target and int(target[1], 16)),
                    function)
                if mnemonic == "mov" and operands == "rbp,rsp":
                    self.framed.add(function)

    def _sections(self, names):
        """Address ranges of the sections whose names match."""
        rows = (line.split() for line in self._objdump("-h", "-w"))
        return [(int(row[3], 16), int(row[3], 16) + int(row[2], 16)) for row in rows
                if len(row) > 5 and row[0].isdigit() and re.match(names, row[1])]

    def _objects(self):
        for line in self._objdump("-t"):
            row = re.match(r"([0-9a-f]+) .{6}O \S+\s+([0-9a-f]+) ", line)
            if row and int(row[2], 16):
                yield int(row[1], 16), int(row[1], 16) + int(row[2], 16)

    def space(self, access, function):
        """Which space the operand is in: stack, constant or memory."""
        frame = STACK_REGISTERS | (FRAME_REGISTERS if function in self.framed else set())
        if access.registers & frame or (access.segment == "fs" and access.target == 0x28):
            return "stack"  # fs:0x28 is the stack protector's guard
        if access.target is not None and not access.registers and access.segment != "fs" and any(
                start <= access.target < end for start, end in self.read_only):
            at = bisect.bisect_right(self.tables, (access.target, sys.maxsize)) - 1
            named = at >= 0 and access.target < self.tables[at][1]
            return "memory" if named else "constant"
        return "memory"


# --- What an instruction counts as ------------------------------------------------------------

PREFIXES = {"rep", "repz", "repnz", "lock", "notrack", "bnd", "data16", "cs", "ds", "es", "xacquire",
            "xrelease"}

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
# Instructions with a stack access of their own, which no operand shows, and which one that is.
IMPLICIT_STACK = {"call": "store", "push": "store", "pushf": "store", "enter": "store",
                  "pop": "load", "popf": "load", "ret": "load", "leave": "load"}
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
    implicit = IMPLICIT_STACK.get(base[:-1] if base in ("pushfq", "popfq") else base)
    reads = 0 if implicit == "load" else reads
    writes = 0 if implicit == "store" else writes
    if not reads and not writes:
        if instruction.accesses and not implicit and not NO_ACCESS.match(base):
            raise OracleError(f"callgrind does not see the access of `{base} {instruction.operands}` "
                              "(it is blind to masked ones): build for another -march")
        return
    if not instruction.accesses:
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
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "callgrind.out")
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--cache-sim=yes", "--dump-instr=yes",
             "--skip-plt=no", "--compress-strings=no", "--compress-pos=no",
             f"--callgrind-out-file={out}", path, *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode or not out.exists():
            raise OracleError(f"{path} under valgrind ended with status {done.returncode}; "
                              "a program to be counted returns 0")
        return parse_callgrind(out.read_text().splitlines(), path)


def parse_callgrind(lines, path):
    """The cost lines of a callgrind file: `0xADDRESS LINE Ir Dr Dw …`, trailing zeros left out."""
    columns, own, total = [], False, collections.defaultdict(lambda: [0, 0, 0])
    whose = pathlib.Path(path).resolve()
    rows = iter(lines)
    for row in rows:
        if row.startswith("events:"):
            events = row.split()[1:]
            columns = [2 + events.index(name) for name in ("Ir", "Dr", "Dw")]
        elif row.startswith("ob="):
            own = pathlib.Path(row[3:]).resolve() == whose
        elif row.startswith("calls="):
            next(rows)  # the callee's cost, which stands at the callee too
        elif own and row.startswith("0x"):
            fields = row.split()
            counts = total[int(fields[0], 16)]
            for which, column in enumerate(columns):
                counts[which] += int(fields[column]) if column < len(fields) else 0
    return total


def count(path, arguments, pattern):
    """Executed cost classes of the functions whose plain or demangled name matches."""
    executable = Executable(path)
    symbols = list(executable.functions.values())
    demangled = subprocess.run(["c++filt", *dict.fromkeys(symbols)] if symbols else ["true"],
                               capture_output=True, text=True, check=True).stdout.splitlines()
    readable = dict(zip(dict.fromkeys(symbols), demangled))
    wanted = {address: readable[symbol] for address, symbol in executable.functions.items()
              if re.search(pattern, symbol) or re.search(pattern, readable[symbol])}
    result, entered = collections.Counter(), collections.Counter()
    for address, (times, reads, writes) in executed(path, arguments).items():
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
        near = ", ".join(sorted(set(wanted.values()))[:3])
        raise OracleError(f"no function of {path} that matches '{pattern}' was executed"
                          + (f" (found, not executed: {near})" if near else ""))
    return result, entered


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
        for tool in ("valgrind", "objdump", "c++filt"):
            if not shutil.which(tool):
                raise OracleError(f"{tool} is not installed")
        if unknown := [name for name in classes if name not in CLASSES]:
            raise OracleError(f"no such class: {', '.join(unknown)}; one of "
                              + ", ".join(sorted(CLASSES)))
        if bool(options.compare) != bool(classes):
            raise OracleError("--compare and --classes go together")
        predicted = predicted_counts(options.compare) if options.compare else None
        executable = str(pathlib.Path(options.executable).resolve())
        found, entered = count(executable, options.arguments, options.function)
        if predicted is None:
            print(json.dumps({**found, "functions": entered}, sort_keys=True))
            return 0
        return 0 if compare(predicted, found, classes) else 1
    except (OracleError, OSError, ValueError, re.error) as error:
        print(f"executed_counts.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
