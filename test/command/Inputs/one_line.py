"""Runs a command that must fail with one line: `one_line.py STATUS COMMAND…`.

Nothing on the standard output, one line on the standard error that begins with `ergon: `, no
stack trace, the exit status as given. Prints the line, so that FileCheck can look at it.
"""
import subprocess
import sys

wanted, command = int(sys.argv[1]), sys.argv[2:]
done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
problems = []
if done.returncode != wanted:
    problems.append(f"exit status {done.returncode}, not {wanted}")
if done.stdout:
    problems.append("something on the standard output: " + done.stdout)
if done.stderr.count("\n") != 1 or not done.stderr.endswith("\n"):
    problems.append(f"{done.stderr.count(chr(10))} lines on the standard error")
if not done.stderr.startswith("ergon: "):
    problems.append("the line does not begin with 'ergon: '")
print(done.stderr, end="")
if problems:
    sys.exit(f"{' '.join(command)}: {'; '.join(problems)}")
