"""Types words and a tab into an interactive zsh, and waits for what it makes of them: zsh_completion.py FOLDER"""

import os
import pty
import select
import sys
import time

LINES = {
    "ergon mach": "ergon machine ",
    "ergon machine ro": "ergon machine roofs ",
    "ergon machine show gtx5": "ergon machine show gtx580 ",
    "ergon predict DIR --snap": "ergon predict DIR --snapshot ",
    "ergon show --snapshot alg": "ergon show --snapshot algorithm ",
    "ergon lint --fail-on wa": "ergon lint --fail-on warning ",
    "ergon record -d x -- printe": "ergon record -d x -- printenv ",
}

child, terminal = pty.fork()
if child == 0:
    os.environ.update(TERM="dumb", HOME="/nonexistent", PROMPT="> ")
    os.execvp("zsh", ["zsh", "-f", "-i"])


def wait_for(text):
    """True where the terminal shows the text before long."""
    said, end = "", time.monotonic() + 30
    while text not in said and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            said += os.read(terminal, 65536).decode(errors="replace")
    return text in said


def type_in(text):
    os.write(terminal, text.encode())


type_in(f"fpath=({sys.argv[1]} $fpath); autoload -Uz compinit; compinit -D -u; echo rea''dy\n")
problems = [] if wait_for("ready") else ["zsh is not ready"]
for typed, wanted in LINES.items():
    if problems:
        break
    type_in(typed + "\t")
    if not wait_for(wanted[len(os.path.commonprefix([typed, wanted])):]):
        problems.append(f"{typed!r} is not completed to {wanted!r}")
    type_in("\x15")  # all of the line goes
type_in("\nexit\n")
print("\n".join(problems) if problems else f"{len(LINES)} lines")
sys.exit(bool(problems))
