"""An x86-64 executable as objdump sees it: its instructions, and in which space their operands lie.

Shared by the oracles of this folder.
"""

import bisect
import dataclasses
import functools
import re
import shutil
import subprocess
import sys


class OracleError(Exception):
    """Why there is no count: one line for the user."""


def check_tools(*names):
    for name in names:
        if not shutil.which(name):
            raise OracleError(f"{name} is not installed")


PREFIXES = {"rep", "repz", "repnz", "lock", "notrack", "bnd", "data16", "cs", "ds", "es", "xacquire",
            "xrelease"}
# Instructions with a stack access of their own, which no operand shows, and which one that is.
IMPLICIT_STACK = {"call": "store", "push": "store", "pushf": "store", "enter": "store",
                  "pop": "load", "popf": "load", "ret": "load", "leave": "load"}
ACCESS = re.compile(
    r"(?:(?P<width>BYTE|WORD|DWORD|FWORD|QWORD|TBYTE|XMMWORD|YMMWORD) PTR )?"
    r"(?:(?P<segment>[c-gs]s):)?"
    r"(?:\[(?P<inside>[^\]]*)\]|(?P<absolute>0x[0-9a-f]+))"
)
WIDTH_BYTES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "FWORD": 6, "QWORD": 8, "TBYTE": 10,
               "XMMWORD": 16, "YMMWORD": 32}
STACK_REGISTERS = {"rsp", "esp"}
FRAME_REGISTERS = {"rbp", "ebp"}


FRAMED = re.compile(r"mov +rbp,rsp\b")


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


class Code(dict):
    """Address -> Instruction. Rows of objdump are read when they are asked for: few of a large program's are."""

    def __init__(self):
        super().__init__()
        self.rows = {}  # address -> function, text

    def __missing__(self, address):
        function, row = self.rows[address]
        text, _, comment = row.partition("#")
        words = text.split()
        while len(words) > 1 and (words[0] in PREFIXES or words[0].startswith("rex")):
            words.pop(0)
        mnemonic, operands = words[0], re.sub(r"<.*>", "", " ".join(words[1:])).strip()
        target = re.match(r"\s*([0-9a-f]+)", comment)
        self[address] = Instruction(mnemonic, operands, parse_accesses(operands, target and int(target[1], 16)), function)
        return self[address]

    def get(self, address, default=None):
        return self[address] if address in self.rows else default


class Executable:
    """The parts of an ELF file that say what an instruction is and what its data are."""

    def __init__(self, path):
        self.path = path
        self.code = Code()
        self.functions = {}   # address -> symbol
        self.framed = set()   # addresses of functions whose rbp is a frame pointer
        self._read_code()
        self.addresses = sorted(self.code.rows)
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
            if line.startswith(" "):
                address, _, text = line.partition(":\t")
                self.code.rows[int(address, 16)] = (function, text)
                if FRAMED.match(text):
                    self.framed.add(function)
            elif head := re.match(r"([0-9a-f]+) <(.*)>:$", line):
                function = int(head[1], 16)
                self.functions[function] = head[2]

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

    @functools.cached_property
    def readable(self):
        """Symbol -> demangled name."""
        symbols = list(dict.fromkeys(self.functions.values()))
        done = subprocess.run(["c++filt"], input="\n".join(symbols), capture_output=True, text=True, check=True)
        return dict(zip(symbols, done.stdout.splitlines(), strict=True))

    def matching(self, pattern):
        """Functions whose plain or demangled name matches: address -> demangled name."""
        return {address: self.readable[symbol] for address, symbol in self.functions.items()
                if re.search(pattern, symbol) or re.search(pattern, self.readable[symbol])}

    def implicit(self, instruction):
        """`load` or `store` where the instruction has a stack access that no operand shows."""
        base = instruction.mnemonic
        return IMPLICIT_STACK.get(base[:-1] if base in ("pushfq", "popfq") else base)

    def call_before(self, address):
        """Where the call instruction stands that returns to the address."""
        at = self.addresses[bisect.bisect_left(self.addresses, address) - 1]
        if not self.code[at].mnemonic.startswith("call"):
            raise OracleError(f"{self.path}: no call ends at {address:#x}: the function is called from a library")
        return at

    def not_executed(self, pattern):
        """The error that no matching function ran."""
        near = ", ".join(sorted(set(self.matching(pattern).values()))[:3])
        return OracleError(f"no function of {self.path} that matches '{pattern}' was executed"
                           + (f" (found, not executed: {near})" if near else ""))
