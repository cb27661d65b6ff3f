"""Whether the options that pages name are there: options.py ERGON FILE… In code of a page, each `--option` behind `ergon COMMAND` has to be in that command's --help."""
import functools
import pathlib
import re
import subprocess
import sys

ergon, *pages = sys.argv[1:]


@functools.cache
def help_of(*path):
    return subprocess.run([ergon, *path, "--help"], capture_output=True, text=True, check=True).stdout


@functools.cache
def commands(*path):
    return set(re.findall(r"^  ([a-z]\S*)", help_of(*path), re.M))  # positionals are in capitals, options have dashes


def code(text):
    """(line, text) of code spans, and of the lines of code blocks."""
    block = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            block = not block
        elif block:
            yield number, line
        else:
            for span in re.findall(r"`([^`]+)`", line):
                yield number, span


named, wrong = 0, []
for page in pages:
    for number, text in code(pathlib.Path(page).read_text()):
        for call in re.findall(r"(?:^|[\s(;&|/])ergon ([^|;&#`]*)", text):
            path, words = [], call.split(" -- ")[0].split()
            while words and words[0] in commands(*path):
                path.append(words.pop(0))
            for option in (re.match(r"--?[a-z][a-z-]*", word) for word in words if path):
                if option:
                    named += 1
                    if not re.search(rf"^  (-\w,)?{re.escape(option[0])}\b", help_of(*path), re.M):
                        wrong.append(f"{page}:{number}: ergon {' '.join(path)} has no {option[0]}")
print("\n".join(wrong or [f"{named} options are there"]))
sys.exit(bool(wrong))
