"""Holds man pages and completion against --help: help.py ERGON HELP_FOLDER SOURCE_TREE MADE_PAGES

What --help lists is found by its layout, apart from the program that wrote the others. bash's completion
is run; that of zsh and fish is read, and parsed where those shells are.
"""

import pathlib
import re
import shutil
import subprocess
import sys

ergon, help_folder, source, made = sys.argv[1], *map(pathlib.Path, sys.argv[2:5])
problems = []


def check(is_good, what):
    if not is_good:
        problems.append(what)


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    check(done.returncode == 0, f"{' '.join(map(str, command[:3]))}: exit status {done.returncode}: {done.stderr[-300:]}")
    return done.stdout, done.stderr


def tree(path):
    """The paths of commands, with what --help lists of each."""
    text, _ = run(ergon, *path, "--help")
    options = [name for line in re.findall(r"^  (-.*?)(?:  | [A-Z\[]|$)", text, re.MULTILINE) for name in line.split(",")]
    commands = re.findall(r"^  ([a-z]\S*)", text, re.MULTILINE)  # positionals are in capitals, options have dashes
    yield path, text, options, commands
    for each in commands:
        yield from tree(path + [each])


def completed(words):
    """What bash offers for the last of the words."""
    script = (f'source "{help_folder}/completion/ergon.bash"; COMP_WORDS=({" ".join(map(repr, words))}); '
              'COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ergon; printf "%s\\n" "${COMPREPLY[@]}"')
    return run("bash", "--norc", "-c", script, cwd="/")[0].split()


bash = (help_folder / "completion" / "ergon.bash").read_text()
zsh = (help_folder / "completion" / "_ergon").read_text()
fish = (help_folder / "completion" / "ergon.fish").read_text()
seen = list(tree([]))
for path, text, options, commands in seen:
    name = " ".join(["ergon", *path])
    check(options, f"{name}: --help lists no option")
    page = help_folder / "man" / "man1" / (name.replace(" ", "-") + ".1")
    check(page.exists(), f"{name}: no man page")
    rendered, warned = run("groff", "-man", "-ww", "-Kutf8", "-Tutf8", "-P-c", page)
    check(not warned, f"{page.name}: {warned[:200]}")
    rendered = re.sub("\x1b\\[[0-9;]*m|.\b", "", rendered)
    offered = completed(["ergon", *path, ""])
    body = zsh.split("_" + name.replace(" ", "_").replace("-", "_") + "() {", 1)[-1].split("\n}\n")[0]
    last = "from " + path[-1] if path else "__fish_use_subcommand"
    fish_lines = [line for line in fish.splitlines() if last in line]
    for each in options + commands:
        where = f"{name}: {each}"
        check(re.search(rf"(^|[ ,]){re.escape(each)}([ ,]|$)", rendered.replace("‐", "-"), re.MULTILINE), f"{where}: not in the man page")
        check(each in offered or (each.startswith("-") and each in completed(["ergon", *path, each[:-1]])),
              f"{where}: not completed by bash")
        check(f"{each}" in body, f"{where}: not in zsh's completion")
        plain = each.lstrip("-")
        check(any(f" {kind} {plain}" in line for line in fish_lines for kind in ("-l", "-s", "-a")),
              f"{where}: not in fish's completion")
    example = re.search(r"^Example: (.*)$", text, re.MULTILINE)
    check(example and (example[1] + " ").startswith(name + " "), f"{name}: --help has no example of it")
    more = re.search(r"^More: (.*)$", text, re.MULTILINE)
    for document in more[1].split(", ") if more else [f"(nothing said by {name})"]:
        check(any((root / document).exists() for root in (source, made)), f"{name}: {document} is not there")
check(len(seen) > 15, f"only {len(seen)} commands were found")
pages = sorted(page.stem for page in (help_folder / "man" / "man1").iterdir())
check(pages == sorted("-".join(["ergon", *path]) for path, *_ in seen), "there are pages of no command")

check("source" in completed(["ergon", "show", "DIR", "--snapshot", ""]), "--snapshot's values are not completed")
check("gtx580" in completed(["ergon", "predict", "--machine", "gt"]), "machines are not completed")
check(completed(["ergon", "mach"]) == ["machine"], "a command is not completed")
check("usr" in completed(["ergon", "record", "-d", ""]), "folders are not completed")
check("sh" in completed(["ergon", "record", "-d", "x", "--", "sh"]), "programs are not completed after --")
for shell, file in (("zsh", "_ergon"), ("fish", "ergon.fish"), ("bash", "ergon.bash")):
    if shutil.which(shell):
        run(shell, "-n", help_folder / "completion" / file)
# zsh's own functions find no fault with what it is given
if shutil.which("zsh"):
    run("zsh", "-f", "-c", f'fpath=({help_folder}/completion $fpath); autoload -Uz compinit && compinit -D -u && whence -w _ergon | grep function')
if shutil.which("fish"):
    offered, _ = run("fish", "--no-config", "-c", f'source {help_folder}/completion/ergon.fish; complete -C "ergon machine "')
    check("roofs" in offered and "predict" not in offered, f"fish offers {offered!r} after ergon machine")
print("\n".join(problems) if problems else f"{len(seen)} commands, {sum(len(options) for _, _, options, _ in seen)} options")
sys.exit(bool(problems))
