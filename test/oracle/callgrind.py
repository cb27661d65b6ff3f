"""Runs of a program under valgrind's callgrind, and the costs that it writes, by instruction.

`run` counts the whole run, `separate_runs` many, one after another, in one process of valgrind: most of a short run's time is
valgrind's start, and the program's. `cold_runs` counts single calls of functions, each from empty caches:
callgrind empties its simulated caches when its instrumentation is switched on, and valgrind's own
gdb server, to which `Server` speaks, stops the program at a function's entry and where it returns to.
"""

import collections
import dataclasses
import os
import pathlib
import re
import subprocess
import tempfile

from executable import OracleError

OPTIONS = ["--tool=callgrind", "--cache-sim=yes", "--dump-instr=yes", "--skip-plt=no", "--compress-strings=no",
           "--compress-pos=no"]
# Counts of accesses do not depend on the caches; those of the machine at hand, of half a gigabyte perhaps, take valgrind
# long to set up, and to copy for each run.
SMALL_CACHES = ["--I1=32768,8,64", "--D1=32768,8,64", "--LL=262144,8,64"]


@dataclasses.dataclass
class Row:
    """What one instruction cost in one context."""

    is_own: bool    # of the executable itself, not of a library
    function: str
    address: int
    line: int       # 0 where the program has no debug information that valgrind can read
    events: dict


def parse(text, path):
    """The rows of a callgrind file: `0xADDRESS LINE Ir Dr Dw …`, trailing zeros left out."""
    whose = pathlib.Path(path).resolve()
    events, own, function = [], False, ""
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("events:"):
            events = line.split()[1:]
        elif line.startswith("ob="):
            own = pathlib.Path(line[3:]).resolve() == whose
        elif line.startswith("fn="):
            function = line[3:]
        elif line.startswith("calls="):
            next(lines)  # the callee's cost, which stands at the callee too
        elif line.startswith("0x"):
            fields = line.split()
            yield Row(own, function, int(fields[0], 16), int(fields[1]), dict(zip(events, map(int, fields[2:]))))


def failed(path, status):
    return OracleError(f"{path} under valgrind ended with status {status}; a program to be counted returns 0")


def run(path, arguments):
    """The rows of a whole run."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "callgrind.out")
        done = subprocess.run(["valgrind", *OPTIONS, *SMALL_CACHES, f"--callgrind-out-file={out}", path, *arguments],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode or not out.exists():
            raise failed(path, done.returncode)
        return list(parse(out.read_text(), path))


def separate_runs(path, runs, library):
    """The rows of each run, from its main on; a run is its arguments, with words NAME=value for its environment before them.
    `library` is Inputs/separate_runs.c, compiled."""
    with tempfile.TemporaryDirectory() as folder:
        out, wanted, done = pathlib.Path(folder, "out"), pathlib.Path(folder, "runs"), pathlib.Path(folder, "done")
        wanted.write_text("".join("\t".join(run) + "\n" for run in runs))
        # Functions of libraries are found before main, once for all runs.
        environment = {**os.environ, "LD_PRELOAD": str(library), "LD_BIND_NOW": "1", "ERGON_RUNS_OF": str(path),
                       "ERGON_RUNS": str(wanted), "ERGON_RUNS_DONE": str(done)}
        ended = subprocess.run(["valgrind", *OPTIONS, *SMALL_CACHES, "--instr-atstart=no", f"--callgrind-out-file={out}.%p", path],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        rows = [tuple(map(int, line.split())) for line in done.read_text().splitlines()] if done.exists() else []
        for run, (_, status) in zip(runs, rows):
            if status:
                raise failed(f"{path} {' '.join(run)}", os.waitstatus_to_exitcode(status))
        if ended.returncode or len(rows) != len(runs):
            raise failed(path, ended.returncode)
        return [list(parse(pathlib.Path(f"{out}.{process}").read_text(), path)) for process, _ in rows]


class Server:
    """valgrind's gdb server, reached through vgdb; packets as gdb's remote serial protocol has them."""

    def __init__(self, prefix, process):
        self.relay = subprocess.Popen(["vgdb", f"--vgdb-prefix={prefix}", "--wait=60", f"--pid={process}"],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def ask(self, request):
        """The answer to one packet; empty where the server has ended."""
        self.relay.stdin.write(f"${request}#{sum(request.encode()) % 256:02x}".encode())
        self.relay.stdin.flush()
        answer = self._packet()
        while answer.startswith("O") and answer != "OK":  # what a command prints
            answer = self._packet()
        return answer

    def _packet(self):
        while (byte := self.relay.stdout.read(1)) != b"$":
            if not byte:
                return ""
        packet = b""
        while (byte := self.relay.stdout.read(1)) != b"#":
            packet += byte
        self.relay.stdout.read(2)
        self.relay.stdin.write(b"+")
        self.relay.stdin.flush()
        # `a*N`: a, and as often again as N says.
        return re.sub(r"(.)\*(.)", lambda repeat: repeat[1] * (ord(repeat[2]) - 28), packet.decode("latin-1"))

    def command(self, text):
        self.ask("qRcmd," + text.encode().hex())

    def resume(self):
        """Runs on. Where it stopped, as (rip, rsp); nothing where the program has ended."""
        answer = self.ask("c")
        values = dict(re.findall(r"([0-9a-f]+):([0-9a-f]+);", answer[3:]))
        return tuple(int.from_bytes(bytes.fromhex(values[number]), "little") for number in ("10", "07")) \
            if answer.startswith("T05") else None

    def word(self, address):
        return int.from_bytes(bytes.fromhex(self.ask(f"m{address:x},8")), "little")

    def close(self):
        self.relay.stdin.close()
        self.relay.wait()


def cold_runs(path, arguments, entries, call_before, geometry):
    """Each call of a function whose address is one of `entries`, with caches as `geometry` says and empty before the
    call: (address, rows). What a call does inside another one belongs to the outer one.
    `call_before` gives the address of the call instruction that returns to an address."""
    with tempfile.TemporaryDirectory() as folder:
        out, prefix = pathlib.Path(folder, "out"), f"{folder}/vgdb"
        # Nothing of the surroundings moves the stack; functions of libraries are found before the call.
        environment = {"PATH": os.environ["PATH"], "LD_BIND_NOW": "1"}
        process = subprocess.Popen(
            ["valgrind", *OPTIONS, "--simulate-wb=yes", *geometry, "--instr-atstart=no", "--vgdb-error=0",
             f"--vgdb-prefix={prefix}", f"--callgrind-out-file={out}", path, *arguments], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        server = Server(prefix, process.pid)
        for address in entries:
            server.ask(f"Z0,{address:x},1")
        entered = []
        while stopped := server.resume():
            address, stack = stopped
            back = server.word(stack)
            call = call_before(back)
            entered.append((address, call))
            server.ask(f"Z0,{back:x},1")
            server.command("instrumentation on")
            # The block of code that has begun runs on as it is: call once more, so that all of the function is seen.
            server.ask(f"P7={(stack + 8).to_bytes(8, 'little').hex()}")
            server.ask(f"P10={call.to_bytes(8, 'little').hex()}")
            while stopped and stopped != (back, stack + 8):
                stopped = server.resume()
            server.command("instrumentation off")
            server.command("dump")
            server.ask(f"z0,{back:x},1")
        server.close()
        if process.wait():
            raise failed(path, process.returncode)
        return [(address, [row for row in parse(pathlib.Path(f"{out}.{number}").read_text(), path) if row.address != call])
                for number, (address, call) in enumerate(entered, 1)]
