"""Sources whose names hold what terminals act on: hostile_names.py make, or check ERGON, in the test's folder."""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys

# An escape sequence, a C1 control (next line), one that turns the direction of text, a line break.
SYMBOL = "f\x1b]0;title\x07\x1b[2J\u202e\x85\ng"
FILE = "evil\x1b[31m\u202e.c"
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
OWN = re.compile(r"\x1b\[(0|1|1;3[1256])m")


def make():
    os.mkdir("src")
    name = SYMBOL.encode().decode("latin-1")
    quoted = "".join(f"\\{ord(letter):03o}" if not (letter.isascii() and letter.isalnum()) else letter for letter in name)
    pathlib.Path("src", FILE).write_text(
        f'void evil(long n, float *y) __asm__("{quoted}");\n'
        "void evil(long n, float *y) { for (long i = 0; i < n; i++)\n"
        "/*\u202e*/ y[i] = y[i] * 0.1;\n}\n", encoding="utf-8")


def output(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()


def on_terminal(*words):
    """What the command prints on a terminal that has colours."""
    child, end = pty.fork()
    if child == 0:
        os.execvpe(words[0], words, {**os.environ, "TERM": "xterm", "NO_COLOR": ""})
    text = b""
    while True:
        try:
            part = os.read(end, 65536)
        except OSError:  # of a terminal that nobody holds open
            break
        if not part:
            break
        text += part
    os.waitpid(child, 0)
    return text.decode()


def check(ergon):
    def plain(title, text):
        found = ACTING.search(text)
        print(f"{title}: {'plain' if text and not found else repr(text[:300]) + repr(found)}")

    texts = {
        "warned": pathlib.Path("warned").read_bytes().decode(),
        "remarks": "".join(line for line in pathlib.Path("remarks").read_bytes().decode().splitlines(True) if "W = " in line
                           ).replace(FILE, ""),  # clang prints the place
        "show": output(ergon, "show", "records"),
        "predict": output(ergon, "predict", "records", "--entry", SYMBOL, "--set", "n=4"),
        "lint": output(ergon, "lint", "records", "--markdown", "lint.md"),
        "no function": output(ergon, "predict", "records", "--entry", "\x1b[2J"),
        "no folder": output(ergon, "show", "\x1b[2J\u202e"),
        "no machine": output(ergon, "predict", "records", "--entry", SYMBOL, "--set", "n=4", "--machine", "\x1b[2J"),
    }
    record = next(pathlib.Path("records").iterdir())
    pathlib.Path("twice").mkdir(exist_ok=True)
    for name in ("a.ergon.json", "b\x1b[31m.ergon.json"):
        pathlib.Path("twice", name).write_bytes(record.read_bytes())
    texts["twice"] = output(ergon, "show", "twice")
    for title, text in texts.items():
        plain(title, text)
    shown = on_terminal(ergon, "lint", "records")
    ok = OWN.search(shown) and "0.1" in shown and not ACTING.search(OWN.sub("", shown.replace("\r", "").replace("\x1b[K", "")))
    print("on a terminal:", "Ergon's own sequences alone" if ok else repr(shown))
    output(ergon, "report", "records", "--static", "--machine", "i7-950", "--set", "n=10", "-o", "report.md")
    for name in ("lint.md", "report.md"):
        plain(name, pathlib.Path(name).read_bytes().decode())
    functions = json.loads(output(ergon, "show", "records", "--json"))["functions"]
    print("show --json:", "lossless" if functions[0]["name"] == SYMBOL and functions[0]["unit"].endswith("/" + FILE) else functions[0])
    findings = json.loads(output(ergon, "lint", "records", "--json"))["findings"]
    print("lint --json:", "lossless" if findings[0]["function"] == SYMBOL else findings[0])


if sys.argv[1] == "make":
    make()
else:
    check(sys.argv[2])
