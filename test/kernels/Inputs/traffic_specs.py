"""What the remarks behind kernels say: with which arguments a kernel is called, and where its data lie.

  KERNEL void f(int n, int m, const double *x, const int *at, …) { // m=n//2 x[n*m] at[n]<n …

  x[COUNT]      an array; `x[COUNT:BYTES]` of elements of so many bytes
  x[COUNT]<N    of integers that are random, from 0 and below N; x[COUNT]=i: of its indices
  NAME:KIND[COUNT]   an array that is no argument, as predictions call it
  c={A,B,…}     words of 8 bytes: numbers, or &NAME, and perhaps + an offset in bytes; {A}*COUNT: COUNT of them, numbered k
  m=EXPRESSION  an integer argument; +NAME=EXPRESSION: one for the prediction alone, NAME may be a pattern of an unbound symbol
  call(A,B,…)   the arguments, where the signature does not tell them
  n%8 n^2 n<64  of the sizes only multiples, powers of two, or below
  stack         its own arrays lie on the stack, and count
  callees=f|g   functions that it calls

Expressions are Python's, in n and the integers before.
"""

import dataclasses
import re

POOL, PAGE = 0x20000000, 4096
BYTES = {"double": 8, "float": 4, "long": 8, "int": 4, "short": 2, "char": 1, "ramp": 4, "random": 4, "words": 8}

HEAD = re.compile(r"^KERNEL (?P<result>[\w ]+?)\b(?P<name>\w+)\((?P<parameters>.*)\) \{ +// (?P<remark>.*)$", re.M)
# A remark's words: brackets and braces may hold blanks.
ARRAY = re.compile(r"(?P<name>[^\s:]+?)(?::(?P<kind>\w+))?\[(?P<count>[^\]:]+)(?::(?P<bytes>\d+))?\](?:<(?P<below>.+)|(?P<ramp>=i))?$")
STRUCT = re.compile(r"(?P<name>[^={]+)=\{(?P<words>[^}]*)\}(?:\*(?P<count>.+))?$")
SIZES = re.compile(r"n(?P<what>[%^<])(?P<by>\d+)$")
NUMBER = re.compile(r"(?P<forced>\+?)(?P<name>[^=]+)=(?P<value>.+)$")


@dataclasses.dataclass
class Array:
    """Data at an address."""

    name: str
    kind: str
    count: int
    bytes: int
    more: str = ""
    address: int = 0

    def word(self):
        return f"{self.kind}@{self.address:#x}:{self.count * self.bytes // BYTES[self.kind]}" + (f":{self.more}" if self.more else "")


@dataclasses.dataclass
class Kernel:
    file: str
    name: str
    parameters: list   # (name, kind, is a pointer)
    words: list        # of the remark

    def allows(self, n):
        for word in self.words:
            if match := SIZES.match(word):
                by = int(match["by"])
                if match["what"] == "%" and n % by or match["what"] == "<" and n >= by or match["what"] == "^" and n & (n - 1):
                    return False
        return n > 0

    def has(self, word):
        return word in self.words

    @property
    def callees(self):
        return next((word.split("=")[1] for word in self.words if word.startswith("callees=")), "")


def parse(path):
    """The kernels of a file that have a remark."""
    found = []
    with open(path) as file:
        text = file.read()
    same = re.search(r"^#define ARGS\s*\\?\s*(.*)", text, re.M)  # parameters that all kernels of a file have
    for match in HEAD.finditer(text):
        parameters = []
        for each in (same[1] if match["parameters"] == "ARGS" else match["parameters"]).split(","):
            name = re.search(r"(\w+)\)?(\[.*)?$", each.strip())
            kind = next((kind for kind in ("double", "float", "long", "short", "char") if re.search(rf"\b{kind}\b", each)), "int")
            parameters.append((name[1], kind, bool(re.search(r"[*&[]", each))))
        found.append(Kernel(str(path), match["name"], parameters, match["remark"].split()))
    return found


@dataclasses.dataclass
class Run:
    """A kernel with numbers put in."""

    kernel: Kernel
    n: int
    values: dict      # of the integer arguments
    sets: dict        # what the prediction is given
    arrays: dict      # by name, in the order of the arguments
    order: list       # the arguments, by name or as numbers

    @property
    def bytes(self):
        return sum(each.count * each.bytes for each in self.arrays.values())

    def place(self, skew=0):
        """One array behind the other, each from a page on; with a skew so many bytes further than the one before."""
        at = POOL
        for number, each in enumerate(self.arrays.values()):
            each.address = at + skew * number
            at = (each.address + each.count * each.bytes + PAGE - 1) // PAGE * PAGE
        for each in self.arrays.values():
            if each.kind == "words":
                where = {f"&{name}": str(other.address) for name, other in self.arrays.items()}
                values = [self._word(word, where, k) for k, word in each.more]
                each.more = ",".join(values)
        return self

    def _word(self, word, where, k):
        for name in sorted(where, key=len, reverse=True):
            word = word.replace(name, where[name])
        return str(evaluate(word, {**self.values, "k": k}))

    def call(self):
        """The driver's words."""
        result = ["call", self.kernel.name]
        result += ["-" + each.word() for name, each in self.arrays.items() if name not in self.order]
        for each in self.order:
            result.append(self.arrays[each].word() if each in self.arrays else f"={evaluate(each, self.values)}")
        return result


def evaluate(text, values):
    return int(eval(text, {"__builtins__": {}}, values))  # the remarks are this repository's


def run_of(kernel, n):
    """The kernel for one size; its data are not placed."""
    values, sets, arrays, order = {"n": n}, {}, {}, None
    kinds = {name: kind for name, kind, _ in kernel.parameters}
    for word in kernel.words:
        if word.startswith("call("):
            order = word[5:-1].split(",")
        elif match := STRUCT.match(word):
            count = evaluate(match["count"], values) if match["count"] else 1
            words = [(k, each) for k in range(count) for each in match["words"].split(",")]
            arrays[match["name"]] = Array(match["name"], "words", len(words), 8, words)
        elif match := ARRAY.match(word):
            kind = match["kind"] or kinds[match["name"]]
            kind = "random" if match["below"] else "ramp" if match["ramp"] else kind
            more = str(evaluate(match["below"], values)) if match["below"] else ""
            bytes = int(match["bytes"] or BYTES[kind])
            arrays[match["name"]] = Array(match["name"], "char" if match["bytes"] else kind, evaluate(match["count"], values), bytes, more)
        elif SIZES.match(word) or word == "stack" or word.startswith("callees="):
            continue
        elif match := NUMBER.match(word):
            (sets if match["forced"] else values)[match["name"]] = evaluate(match["value"], values)
        else:
            raise ValueError(f"{kernel.file}: {kernel.name}: what is '{word}'?")
    scalars = [name for name, kind, pointer in kernel.parameters if not pointer and kind != "double" and kind != "float"]
    for name in scalars if order is None else []:
        sets[name] = values[name]
    if order is None:
        order = [name for name, kind, pointer in kernel.parameters if pointer or name in scalars]
    return Run(kernel, n, values, sets, arrays, order)


def sizes_around(kernel, capacity, ways):
    """Sizes n at which a kernel's data just fit a cache, are as large as it, and twice so. They fit where one line of each
    set is left for what is no data of the program's: its stack and its code."""
    found = []
    for share in (1 - 1 / ways, 1, 2):
        most = 1
        while run_of(kernel, 2 * most).bytes <= share * capacity and most < capacity:
            most *= 2
        below = most
        while below > 1 and not (kernel.allows(below) and run_of(kernel, below).bytes <= share * capacity):
            below -= 1
        for n in range(most, 2 * most):
            if run_of(kernel, n).bytes > share * capacity:
                break
            if kernel.allows(n):
                below = n
        if kernel.allows(below) and below not in found:
            found.append(below)
    return found
