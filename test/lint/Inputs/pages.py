"""The pages of docs/rules: of each the first program has a finding of its rule, and the better one has none.

pages.py PAGES LANGUAGE ERGON COMPILER FLAGS…: all pages whose programs are in LANGUAGE (c, cuda). Prints a line a page.
"""
import json
import pathlib
import re
import subprocess
import sys

pages, language, ergon, *compiler = sys.argv[1:]
failed = False
for page in sorted(pathlib.Path(pages).glob("*.md")):
    text = page.read_text()
    programs = re.findall(r"```" + language + r"\n(.*?)```", text, re.S)
    if not programs:
        continue
    options = re.search(r"Needs `(.*?)`", text)
    found = []
    for number, program in enumerate(programs):
        folder = pathlib.Path(f"{page.stem}-{number}")
        folder.mkdir()
        source = folder / ("code.cu" if language == "cuda" else "code.c")
        source.write_text(program)
        subprocess.run([*compiler, "-O2", "-g", "-mllvm", f"-ergon-dir={folder}", "-c", source, "-o", folder / "code.o"], check=True)
        report = subprocess.run([ergon, "lint", folder, "--json", "--fail-on", "never", *(options[1].split() if options else [])],
                                check=True, capture_output=True, text=True).stdout
        found.append(any(each["rule"] == page.stem for each in json.loads(report)["findings"]))
    print(page.stem, *found)
    failed |= found not in ([True, False], [True])  # some are mended outside of the source
sys.exit(failed)
